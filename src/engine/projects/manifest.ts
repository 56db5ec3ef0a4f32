import { setImmediate as nextTurn } from 'node:timers/promises';
import { reportLines } from '../batches/csv-text.ts';
import { messageFor, wordsOfOthers } from '../../contract/messages/message.ts';
import { remarksOfFile, type Remark, type TakeLink } from '../../contract/take.ts';
import { createCoalescedWriter, type CoalescedWriter } from '../base/coalesced-writer.ts';
import { ErrorWithText } from '../base/errors.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { JobQueries } from '../db/job-queries.ts';
import type { Stores } from '../db/stores.ts';
import { below, placeIn } from '../files/place.ts';
import { look, makeFolder, removeAbandoned, replaceFile } from '../files/project-files.ts';

/** One line of `manifest.csv`: one output of a take, or a take without outputs. */
export interface ManifestRow {
  readonly shot: string;
  readonly take: number;
  /** State of the job; see `JobStateName`. For a saved take in the trash, the state of its files; see `TrashState`. */
  readonly state: string;
  /** Relative to the project folder, forward slashes; empty without an output. */
  readonly file?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly model: string;
  readonly taskId?: string;
  readonly traceId?: string;
  readonly requestId?: string;
  readonly from?: readonly TakeLink[];
  /** Code of the failure; see `Failure`. */
  readonly error?: string;
  /** What the service said, as it came; empty where it said nothing. */
  readonly errorMessage?: string;
  readonly remarks?: readonly Remark[];
}

/** Scripts read these by name or by place: a new one comes last, and none is renamed. Listed in docs/reference/cli.md. */
const COLUMNS = [
  'shot',
  'take',
  'state',
  'file',
  'bytes',
  'sha256',
  'model',
  'task_id',
  'trace_id',
  'request_id',
  'error',
  'remark',
  'from',
  'error_message',
] as const;

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
  let lines: (string | number)[][] = [[...COLUMNS]];
  let start = '\ufeff';
  for (const row of rows) {
    lines.push(cellsFor(row));
    if (lines.length < ROWS_AT_ONCE) continue;
    yield start + reportLines(lines);
    start = '';
    lines = [];
    await nextTurn();
  }
  if (lines.length > 0) yield start + reportLines(lines);
}

function cellsFor(row: ManifestRow): (string | number)[] {
  return [
    row.shot,
    row.take,
    row.state,
    row.file ?? '',
    row.bytes ?? '',
    row.sha256 ?? '',
    row.model,
    row.taskId ?? '',
    row.traceId ?? '',
    row.requestId ?? '',
    row.error ?? '',
    (row.remarks ?? []).join('; '),
    (row.from ?? []).map(linkName).join('; '),
    row.errorMessage ?? '',
  ];
}

/** `010 take 2 file 1`. */
function linkName({ takeId, shot, take, output }: TakeLink): string {
  const name = shot === undefined ? takeId : `${shot} take ${String(take)}`;
  return output === undefined ? name : `${name} file ${String(output)}`;
}

/** The current content of a batch's manifest. Throws if the batch is unknown or its project is away. */
export async function manifestFor(stores: Pick<Stores, 'batches' | 'projects' | 'queries'>, batchId: string) {
  const batch = stores.batches.get(batchId);
  const project = batch && stores.projects.get(batch.projectId);
  if (!batch || !project) throw new Error(`Batch ${batchId} is unknown.`);
  // An unplugged disk leaves an empty mount point, where nothing must be written.
  if ((await look(placeIn(project.path, '.dailies'))) === null) {
    throw new ErrorWithText(messageFor('failure.folderGone', { path: project.path }));
  }
  return { folder: placeIn(project.path, batch.folder), rows: rowsFor(stores.queries, batchId) };
}

function* rowsFor(queries: JobQueries, batchId: string): Iterable<ManifestRow> {
  for (const { job, outputs } of queries.ofBatch(batchId)) {
    const take = {
      shot: job.shot,
      take: job.take,
      state: job.trash ?? job.state,
      model: job.model,
      ...(job.taskId !== undefined && { taskId: job.taskId }),
      ...(job.traceId !== undefined && { traceId: job.traceId }),
      ...(job.requestId !== undefined && { requestId: job.requestId }),
      ...(job.from && { from: job.from }),
      ...(job.failure && { error: job.failure.code, errorMessage: wordsOfOthers(job.failure.message) }),
    };
    if (outputs.length === 0) yield take;
    for (const output of outputs) {
      const { file, bytes, sha256 } = output;
      yield { ...take, file, bytes, sha256, remarks: remarksOfFile(job, output) };
    }
  }
}

/** Keeps manifests up to date without writing 50,000 rows each time one of them changes. */
export function createManifestWriter({
  clock,
  logger,
  load,
}: {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly load: (batchId: string) => ReturnType<typeof manifestFor>;
}): CoalescedWriter {
  const tidied = new Set<string>();
  return createCoalescedWriter({
    ...{ clock, logger, what: 'manifest' },
    async write(batchId) {
      const content = await load(batchId);
      await writeManifest(content);
      if (!tidied.has(batchId)) await removeAbandoned(content.folder, clock.now());
      tidied.add(batchId);
    },
  });
}
