import { say, type MessageKey } from '../../contract/messages/words.ts';
import { commandLine, withGlobals } from '../session.ts';
import type { Counts, JobView, Standing } from '../../contract/job.ts';
import type { WindowState } from '../../contract/night-window.ts';
import { momentInWords } from '../../contract/window-words.ts';
import { noCounts } from '../exit.ts';
import { nextStep, troubleLines } from './next-step.ts';
import { gateRemedy } from './remedies.ts';
import type { RunReport } from './reporter.ts';
import { duration, padded, plainText, tableLines, type Style } from './text.ts';
import { gateLine } from './words.ts';

const STANDINGS: readonly Standing[] = ['saved', 'failed', 'unknown', 'cancelled', 'unfinished'];

const standingTitles = {
  saved: 'cli.columnSaved',
  failed: 'cli.columnFailed',
  unknown: 'cli.columnUndecided',
  cancelled: 'cli.columnCancelled',
  unfinished: 'cli.columnUnfinished',
} as const satisfies Record<Standing, MessageKey>;

/** With more problems than this, `jobs list` shows the rest. */
const TROUBLES_SHOWN = 25;

export const standingColumns = () =>
  STANDINGS.map((standing) => ({ title: say(standingTitles[standing]), align: 'right' as const }));

export const standingCells = (counts: Readonly<Counts>): string[] =>
  STANDINGS.map((standing) => String(counts[standing]));

export function reportLines(report: RunReport, style: Style): string[] {
  const { tally, folders, elapsedMs } = report;
  return [
    '',
    style.strong(`${report.title}  ${duration(elapsedMs)}`),
    ...countsTable([...tally.jobs], tally.counts),
    ...folders.flatMap(({ folder, manifest }) => [
      `${padded(say('common.folder'), 10)}${plainText(folder)}`,
      `${padded(say('cli.manifest'), 10)}${plainText(manifest)}`,
    ]),
    ...troubles(report, style),
    ...ending(report, style),
  ];
}

function countsTable(jobs: readonly JobView[], totals: Readonly<Counts>): string[] {
  const kinds = [...new Set(jobs.map((job) => job.kind))].sort();
  const rowOf = (name: string, counts: Readonly<Counts>) => [name, ...standingCells(counts)];
  const rows = kinds.map((kind) => rowOf(kind, countsOf(jobs.filter((job) => job.kind === kind))));
  return tableLines([{ title: '' }, ...standingColumns()], [...rows, rowOf(say('cli.allKinds'), totals)]);
}

export function countsOf(jobs: readonly JobView[]): Counts {
  const counts = { ...noCounts };
  for (const job of jobs) counts[job.standing] += 1;
  return counts;
}

function troubles({ tally, options }: RunReport, style: Style): string[] {
  const undecided = tally.with('unknown');
  const failed = tally.with('failed');
  if (undecided.length + failed.length === 0) return [];
  const shown = [...undecided, ...failed].slice(0, TROUBLES_SHOWN);
  const rest = undecided.length + failed.length - shown.length;
  const headline = [
    ...(undecided.length > 0 ? [say('cli.takesUndecided', { count: undecided.length })] : []),
    ...(failed.length > 0 ? [say('cli.takesFailed', { count: failed.length })] : []),
  ].join(', ');
  return [
    '',
    style.warn(`${headline}:`),
    ...shown.flatMap((job) => troubleLines(job, options)).map((line) => `  ${line}`),
    ...(rest > 0
      ? [`  ${say('cli.moreTroubles', { count: rest, command: commandLine(options, 'jobs', 'list') })}`]
      : []),
  ];
}

function ending({ tally, halted, interrupted, sharedBy, goOn, options }: RunReport, style: Style): string[] {
  const left = tally.counts.unfinished;
  if (interrupted && sharedBy !== null)
    return ['', left > 0 ? say('cli.leftToOther', { count: left, other: sharedBy }) : say('cli.followedNoLonger')];
  if (interrupted)
    return ['', left > 0 ? say('cli.stoppedWithLeft', { count: left, command: goOn }) : say('cli.stopped')];
  if (halted?.window) return ['', style.warn(windowEnded(halted.window, left, goOn)), startNowLine(options)];
  if (halted) {
    const remedy = gateRemedy(halted);
    return [
      '',
      style.bad(gateLine(halted)),
      ...(remedy === null ? [] : [withGlobals(options, remedy)]),
      say('cli.haltedWithLeft', { count: left, command: goOn }),
    ];
  }
  const waiting = tally.with('unfinished').filter(({ waitsFor, paused }) => waitsFor !== undefined && !paused);
  const [first] = waiting;
  const [held] = tally.with('unfinished').filter((job) => !waiting.includes(job));
  return [
    ...(first ? ['', style.warn(waitingLine(waiting.length, first))] : []),
    ...(held ? ['', style.warn(heldLine(left - waiting.length, held)), nextStep(held, options)] : []),
  ];
}

function windowEnded({ changesAt, window: { closes, timeZone } }: WindowState, count: number, command: string): string {
  const opens = changesAt === null ? '' : momentInWords(changesAt, timeZone);
  return say('cli.windowEnded', { closed: closes, opens, count, command });
}

const startNowLine = (options: RunReport['options']): string => withGlobals(options, say('cli.remedyStartNow'));

const heldLine = (count: number, { paused }: JobView): string =>
  paused ? say('cli.heldFor', { count, reason: paused }) : say('cli.held', { count });

const waitingLine = (count: number, { waitsFor = '' }: JobView): string =>
  say('cli.waitForShot', { count, cell: plainText(waitsFor) });
