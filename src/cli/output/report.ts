import { commandLine, withGlobals } from '../session.ts';
import type { Counts, JobView, Standing } from '../../contract/job.ts';
import { noCounts } from '../exit.ts';
import { nextStep, troubleLines } from './next-step.ts';
import { gateRemedy } from './remedies.ts';
import type { RunReport } from './reporter.ts';
import { counted, duration, plainText, tableLines, type Style } from './text.ts';
import { gateLine } from './words.ts';

const STANDINGS: readonly Standing[] = ['saved', 'failed', 'unknown', 'cancelled', 'unfinished'];
/** More troubles than this are for `jobs list`, not for the end of a run. */
const TROUBLES_SHOWN = 25;

/** The end of a run: counts by kind, time, folder and manifest, and what each trouble asks for. */
export function reportLines(report: RunReport, style: Style): string[] {
  const { tally, folders, elapsedMs } = report;
  return [
    '',
    style.strong(`${report.title}  ${duration(elapsedMs)}`),
    ...countsTable([...tally.jobs], tally.counts),
    ...folders.flatMap(({ folder, manifest }) => [
      `Folder    ${plainText(folder)}`,
      `Manifest  ${plainText(manifest)}`,
    ]),
    ...troubles(report, style),
    ...ending(report, style),
  ];
}

function countsTable(jobs: readonly JobView[], totals: Readonly<Counts>): string[] {
  const kinds = [...new Set(jobs.map((job) => job.kind))].sort();
  const rowOf = (name: string, counts: Readonly<Counts>) => [
    name,
    ...STANDINGS.map((standing) => `${counts[standing]}`),
  ];
  const rows = kinds.map((kind) => rowOf(kind, countsOf(jobs.filter((job) => job.kind === kind))));
  return tableLines(
    [{ title: '' }, ...STANDINGS.map((title) => ({ title, align: 'right' as const }))],
    [...rows, rowOf('all', totals)],
  );
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
    ...(undecided.length > 0
      ? [counted(undecided.length, 'take needs your decision', 'takes need your decision')]
      : []),
    ...(failed.length > 0 ? [counted(failed.length, 'take failed', 'takes failed')] : []),
  ].join(', ');
  return [
    '',
    style.warn(`${headline}:`),
    ...shown.flatMap((job) => troubleLines(job, options)).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  … and ${counted(rest, 'more', 'more')}: \`${commandLine(options, 'jobs', 'list')}\``] : []),
  ];
}

function ending({ tally, halted, interrupted, sharedBy, goOn, options }: RunReport, style: Style): string[] {
  const left = tally.counts.unfinished;
  if (interrupted && sharedBy !== null)
    return [
      '',
      left > 0 ? `${counted(left, 'take')} unfinished: ${sharedBy} goes on with them.` : 'Followed no longer.',
    ];
  if (interrupted)
    return ['', left > 0 ? `Stopped with ${counted(left, 'take')} to go. Go on with \`${goOn}\`.` : 'Stopped.'];
  if (halted) {
    const remedy = gateRemedy(halted);
    return [
      '',
      style.bad(gateLine(halted)),
      ...(remedy === null ? [] : [withGlobals(options, remedy)]),
      `${counted(left, 'take')} to go. Then go on with \`${goOn}\`.`,
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

const heldLine = (held: number, { paused }: JobView): string =>
  `${counted(held, 'take is', 'takes are')} held back${paused ? ` (${paused})` : ''}.`;

const waitingLine = (waiting: number, { waitsFor = '' }: JobView): string =>
  `${counted(waiting, 'take waits', 'takes wait')} for a take of another shot (${plainText(waitsFor)}). ` +
  `${waiting === 1 ? 'It goes' : 'They go'} on when that is saved.`;
