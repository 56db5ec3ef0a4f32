import { setImmediate as nextTurn } from 'node:timers/promises';
import { reportLines } from '../batches/csv-text.ts';
import { messageFor, wordsOfOthers } from '../../contract/messages/message.ts';
import { frameName, marksOf, toMarks, toNotes } from '../../contract/frame-changes.ts';
import type { FrameNote } from '../../contract/frame-notes.ts';
import type { JobView } from '../../contract/job.ts';
import { startTimecode } from '../../contract/media-facts.ts';
import type { Rate } from '../../contract/rate.ts';
import { remarksOfFile, type Output, type Stale, type TakeLink } from '../../contract/take.ts';
import type { Verdict } from '../../contract/verdict.ts';
import { createCoalescedWriter, type CoalescedWriter } from '../base/coalesced-writer.ts';
import { ErrorWithText } from '../base/errors.ts';
import type { Ports } from '../base/ports.ts';
import type { Stores } from '../db/stores.ts';
import { below, placeIn } from '../files/place.ts';
import { look, makeFolder, removeAbandoned, replaceFile } from '../files/project-files.ts';

/** One line of `manifest.csv`: one output of a take, or a take without outputs. */
export interface ManifestRow {
  readonly job: Pick<JobView, 'shot' | 'take' | 'state' | 'trash' | 'model' | 'taskId' | 'traceId' | 'requestId'> &
    Pick<JobView, 'failure' | 'from' | 'medium' | 'remarks' | 'stale'>;
  readonly output?: Output;
  /** Of the take; absent where it has neither. */
  readonly frames?: Pick<Verdict, 'marks' | 'notes'> | undefined;
}

type Cell = (
  job: ManifestRow['job'],
  output: Output | undefined,
  frames: NonNullable<ManifestRow['frames']>,
) => string | number | undefined;

/** Scripts read these by name or by place: a new one comes last, and none is renamed. Listed in docs/reference/cli.md. */
const COLUMNS: Readonly<Record<string, Cell>> = {
  shot: ({ shot }) => shot,
  take: ({ take }) => take,
  state: ({ state, trash }) => trash ?? state,
  file: (_job, output) => output?.file,
  bytes: (_job, output) => output?.bytes,
  sha256: (_job, output) => output?.sha256,
  model: ({ model }) => model,
  task_id: ({ taskId }) => taskId,
  trace_id: ({ traceId }) => traceId,
  request_id: ({ requestId }) => requestId,
  error: ({ failure }) => failure?.code,
  remark: (job, output) => output && remarksOfFile(job, output).join('; '),
  from: ({ from = [] }) => from.map(linkName).join('; '),
  error_message: ({ failure }) => failure && wordsOfOthers(failure.message),
  stale: ({ stale }) => stale && staleFact(stale),
  retake_of: ({ from = [] }) => madeFrom(from, 'retake'),
  note: ({ from = [] }) => from.find(({ how }) => how === 'retake')?.note,
  final_of: ({ from = [] }) => madeFrom(from, 'final'),
  in: (_job, output, frames) => marksOf(toMarks(frames), output?.number ?? 0).in,
  out: (_job, output, frames) => marksOf(toMarks(frames), output?.number ?? 0).out,
  frame_notes: (_job, output, frames) =>
    toNotes(frames)
      .filter((note) => note.output === output?.number)
      .map((note) => frameNoteFact(note, output?.facts?.rate))
      .join('; '),
  frame_rate: (_job, output) => output?.facts?.rate && fraction(output.facts.rate),
  variable_rate: (_job, output) => output?.facts?.isVariable && 'true',
  frames: (_job, output) => output?.facts?.frames,
  seconds: (_job, output) => output?.facts?.seconds,
  start_timecode: (_job, output) => output?.facts && startTimecode(output.facts),
  width: (_job, output) => output?.facts?.width,
  height: (_job, output) => output?.facts?.height,
  channels: (_job, output) => output?.facts?.channels,
  sample_rate: (_job, output) => output?.facts?.sampleRate,
};

/** Rows converted to text at a time, so that nothing else waits long. */
const ROWS_AT_ONCE = 1000;

/**
 * Writes `manifest.csv` as a whole into the batch's folder. UTF-8 with a byte order mark, because Excel assumes another
 * encoding without it. Lines end in CRLF. Keys, names and ids come from lists and servers, so no cell may run as a
 * formula (see `reportLines`).
 */
export async function writeManifest({ folder, rows }: Awaited<ReturnType<typeof manifestFor>>): Promise<void> {
  await makeFolder(folder);
  await replaceFile(below(folder, 'manifest.csv'), textFor(rows), { syncName: false });
}

async function* textFor(rows: Iterable<ManifestRow>): AsyncGenerator<string> {
  let lines: (string | number)[][] = [Object.keys(COLUMNS)];
  let start = '\ufeff';
  for (const { job, output, frames = {} } of rows) {
    lines.push(Object.values(COLUMNS).map((cell) => cell(job, output, frames) ?? ''));
    if (lines.length < ROWS_AT_ONCE) continue;
    yield start + reportLines(lines);
    start = '';
    lines = [];
    await nextTurn();
  }
  if (lines.length > 0) yield start + reportLines(lines);
}

/** `24000/1001`, or a whole number. */
const fraction = ({ num, den }: Rate): string => (den === 1 ? String(num) : `${num}/${den}`);

function madeFrom(from: readonly TakeLink[], how: TakeLink['how']): string | undefined {
  const link = from.find((each) => each.how === how);
  return link && linkName(link);
}

/** `010 take 2 file 1 frame 239`. */
function linkName({ takeId, shot, take, output, frame }: TakeLink): string {
  const name = shot === undefined ? takeId : `${shot} take ${String(take)}`;
  const file = output === undefined ? name : `${name} file ${String(output)}`;
  return frame === undefined ? file : `${file} frame ${String(frame)}`;
}

/** `00:00:02:00 to 00:00:03:00: Hand too large`; a person's drawing alone is named as one. */
function frameNoteFact({ from, to, text }: FrameNote, rate: Rate | undefined): string {
  const at = frameName(from, rate);
  return `${to === undefined ? at : `${at} to ${frameName(to, rate)}`}: ${text === '' ? 'drawing' : text}`;
}

/** `picked; 010 take 1; 010 take 3`: why, what it was made from, what counts now. */
function staleFact({ why, shot, take, now }: Stale): string {
  const takes = [take, now].flatMap((number) => (number === undefined ? [] : `${shot} take ${String(number)}`));
  return [why, ...takes].join('; ');
}

/** The current content of a batch's manifest. Throws if the batch is unknown or its project is away. */
export async function manifestFor(
  stores: Pick<Stores, 'batches' | 'projects' | 'queries' | 'review'>,
  batchId: string,
) {
  const batch = stores.batches.get(batchId);
  const project = batch && stores.projects.get(batch.projectId);
  if (!batch || !project) throw new Error(`Batch ${batchId} is unknown.`);
  // An unplugged disk leaves an empty mount point, where nothing must be written.
  if ((await look(placeIn(project.path, '.dailies'))) === null) {
    throw new ErrorWithText(messageFor('failure.folderGone', { path: project.path }));
  }
  return { folder: placeIn(project.path, batch.folder), rows: rowsFor(stores, batchId) };
}

function* rowsFor({ queries, review }: Pick<Stores, 'queries' | 'review'>, batchId: string): Iterable<ManifestRow> {
  const marked = review.framesOf(batchId);
  for (const { job, outputs } of queries.ofBatch(batchId)) {
    if (outputs.length === 0) yield { job };
    for (const output of outputs) yield { job, output, frames: marked.get(job.id) };
  }
}

/** Keeps manifests up to date without writing 50,000 rows each time one of them changes. */
export function createManifestWriter(
  { clock, logger }: Pick<Ports, 'clock' | 'logger'>,
  load: (batchId: string) => ReturnType<typeof manifestFor> | null,
): CoalescedWriter {
  const tidied = new Set<string>();
  return createCoalescedWriter({
    ...{ clock, logger, what: 'manifest' },
    async write(batchId) {
      const content = await load(batchId);
      if (content === null) return;
      await writeManifest(content);
      if (!tidied.has(batchId)) await removeAbandoned(content.folder, clock.now());
      tidied.add(batchId);
    },
  });
}
