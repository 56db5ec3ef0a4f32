import { isCutOff, type Counts, type JobView, type KeptAnswer, type Standing, Wait } from '../../contract/job.ts';
import { t } from '../../contract/messages/words.ts';
import type { WindowState } from '../../contract/night-window.ts';
import { countsInWords, momentInWords } from '../../contract/in-words.ts';
import { noCounts } from '../exit.ts';
import { commandLine, withGlobals, type GlobalOptions } from '../session.ts';
import { RunTally, type RunReport, waitsForPerson } from './reporter.ts';
import { duration, padded, plainText, tableLines, withSmallLetter, type Style } from './text.ts';
import { failureLine, gateLine, gateRemedy, remedyHere, shortId, takeName } from './words.ts';

const STANDINGS: readonly Standing[] = ['saved', 'failed', 'unknown', 'cancelled', 'unfinished'];

/** With more problems than this, `jobs list` shows the rest. */
const TROUBLES_SHOWN = 25;

export const standingColumns = () =>
  STANDINGS.map((standing) => ({ title: t('projects.factsState', { state: standing }), align: 'right' as const }));

export const standingCells = (counts: Readonly<Counts>): string[] =>
  STANDINGS.map((standing) => String(counts[standing]));

export function reportLines(report: RunReport, style: Style): string[] {
  const { tally, folders, elapsedMs } = report;
  return [
    '',
    style.strong(`${report.title}  ${duration(elapsedMs)}`),
    ...countsTable([...tally.jobs.values()], tally.counts),
    ...folders.flatMap(({ folder, manifest }) => [
      `${padded(t('common.folder'), 10)}${plainText(folder)}`,
      `${padded(t('cli.manifest'), 10)}${plainText(manifest)}`,
    ]),
    ...troubles(report, style),
    ...ending(report, style),
  ];
}

function countsTable(jobs: readonly JobView[], totals: Readonly<Counts>): string[] {
  const kinds = [...new Set(jobs.map((job) => job.kind))].sort();
  const rowFor = (name: string, counts: Readonly<Counts>) => [name, ...standingCells(counts)];
  const rows = kinds.map((kind) => rowFor(kind, new RunTally(jobs.filter((job) => job.kind === kind)).counts));
  return tableLines([{ title: '' }, ...standingColumns()], [...rows, rowFor(withSmallLetter(t('common.all')), totals)]);
}

function troubles({ tally, options }: RunReport, style: Style): string[] {
  const undecided = tally.with('unknown');
  const failed = tally.with('failed');
  if (undecided.length + failed.length === 0) return [];
  const shown = [...undecided, ...failed].slice(0, TROUBLES_SHOWN);
  const rest = undecided.length + failed.length - shown.length;
  const headline = countsInWords({ ...noCounts, failed: failed.length, unknown: undecided.length });
  return [
    '',
    style.warn(`${headline}:`),
    ...shown.flatMap((job) => troubleLines(job, options)).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  ${t('cli.moreTroubles', { count: rest, command: commandLine(options, 'jobs', 'list') })}`] : []),
  ];
}

function ending({ tally, halted, interrupted, sharedBy, goOn, options }: RunReport, style: Style): string[] {
  const left = tally.counts.unfinished;
  if (interrupted && sharedBy !== null) return ['', t('cli.leftUnfinished', { count: left, other: sharedBy })];
  if (interrupted) return ['', t('cli.stoppedWithLeft', { count: left, command: goOn })];
  if (halted?.window) return ['', style.warn(windowEnded(halted.window, left, goOn)), startNowLine(options)];
  if (halted) {
    const remedy = gateRemedy(halted);
    return [
      '',
      style.bad(gateLine(halted)),
      ...(remedy === null ? [] : [withGlobals(options, remedy)]),
      t('cli.haltedWithLeft', { count: left, command: goOn }),
    ];
  }
  const waiting = tally.with('unfinished').filter((job) => waitsForPerson(job) || (isWaiting(job) && !job.paused));
  const [first] = waiting.filter(({ wait }) => wait === undefined);
  const [held] = tally.with('unfinished').filter((job) => !waiting.includes(job));
  return [
    ...(first ? ['', style.warn(waitingLine(waiting.length - tally.counts.waiting, first))] : []),
    ...(tally.counts.waiting > 0 ? ['', ...personLines(waiting, options).map(style.warn)] : []),
    ...(held
      ? [
          '',
          style.warn(t('cli.held', { count: left - waiting.length, reason: held.paused ?? 'none' })),
          nextStep(held, options),
        ]
      : []),
  ];
}

function windowEnded({ changesAt, window: { closes, timeZone } }: WindowState, count: number, command: string): string {
  const opens = changesAt === null ? '' : momentInWords(changesAt, timeZone);
  return t('cli.windowEnded', { closed: closes, opens, count, command });
}

const startNowLine = (options: RunReport['options']): string => withGlobals(options, t('cli.remedyStartNow'));

const isWaiting = ({ waitsFor, needsFrame }: JobView): boolean => (waitsFor ?? needsFrame) !== undefined;

const waitingLine = (count: number, { waitsFor, needsFrame = '' }: JobView): string =>
  waitsFor === undefined
    ? t('cli.waitForFrame', { count, cell: plainText(needsFrame) })
    : t('cli.waitForShot', { count, cell: plainText(waitsFor) });

const WAYS_ON = { pick: ['takes', 'pick'], failed: [], release: ['jobs', 'release'] } as const;

/** A line for each thing that takes wait for a person to do. */
const personLines = (waiting: readonly JobView[], options: GlobalOptions): string[] =>
  Wait.options.flatMap((wait) => {
    const [first, ...others] = waiting.filter((job) => job.wait === wait);
    const shot = plainText(first?.waitsFor ?? '');
    const facts = { count: others.length + 1, wait, shot, command: commandLine(options, ...WAYS_ON[wait]) };
    return first ? [t('cli.waitForPerson', facts)] : [];
  });

/** Lines for a job that failed or needs a decision: what happened and what it costs; what to do next. */
export function troubleLines(job: JobView, options: GlobalOptions): string[] {
  const happened = job.failure ? failureLine(job.failure) : t('cli.notInTime');
  const task = job.taskId === undefined ? '' : `; ${t('cli.task', { task: plainText(job.taskId) })}`;
  const next = nextStep(job, options).split('\n');
  return [`${takeName(job)}: ${happened}${task}`, ...next.map((line) => `    ${line}`)];
}

export const nextStep = (job: JobView, options: GlobalOptions): string =>
  withGlobals(options, nextCommands(job, options));

function nextCommands(job: JobView, options: GlobalOptions): string {
  const jobs = (...words: string[]) => `\`${commandLine(options, 'jobs', ...words)}\``;
  const id = shortId(job.id);
  const retry = (how: string) => `${toRemedy(job)}${t('cli.nextRetry', { how, command: jobs('retry', id) })}`;
  if (job.paused === 'deadline') {
    const resolve = (...words: string[]) => jobs('resolve', id, ...words);
    return [
      ...(job.keptAnswer
        ? keptWays(job.keptAnswer, resolve)
        : [t('cli.nextResult', { command: resolve('--accept', 'ADDRESS') })]),
      t('cli.nextDeadline', { retry: jobs('retry', id), cancel: jobs('cancel', id) }),
    ].join('\n');
  }
  switch (job.state) {
    case 'submit_unknown':
      return [
        t('cli.nextLook'),
        t('cli.nextAttach', { command: jobs('resolve', id, '--attach', 'TASK') }),
        ...(job.keptAnswer ? keptWays(job.keptAnswer, (...words) => jobs('resolve', id, ...words)) : []),
        t('cli.nextResubmit', { command: jobs('resolve', id, '--resubmit') }),
        t('cli.nextLost', { command: jobs('resolve', id, '--lost') }),
      ].join('\n');
    case 'download_blocked':
      return retry('fetch');
    case 'rejected':
      return retry('send');
    case 'result_lost':
      return job.taskId === undefined ? t('cli.nextNoTask') : retry('ask');
    case 'remote_failed':
    case 'remote_cancelled':
      return retry('other');
    default:
      return toRemedy(job).trimEnd() || t('cli.nextSee', { command: jobs('list') });
  }
}

function keptWays(kept: KeptAnswer, resolve: (...words: string[]) => string): string[] {
  const { file, addresses } = kept;
  const isCut = isCutOff(kept);
  return [
    t('cli.kept', { is: isCut ? 'cut' : 'whole', file: plainText(file) }),
    ...addresses.slice(0, 3).map((address) => t('cli.keptAddress', { address: plainText(address) })),
    ...(isCut && addresses.length === 0 ? [] : [t('cli.keptIsAddress', { command: resolve('--accept', 'ADDRESS') })]),
    ...(isCut ? [] : [t('cli.keptIsAnswer', { command: resolve('--accept') })]),
  ];
}

const toRemedy = ({ failure }: JobView) => (failure ? `${remedyHere(failure)} `.trimStart() : '');
