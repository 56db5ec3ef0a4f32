import { setImmediate as nextTurn } from 'node:timers/promises';
import { reportLines } from '../batches/csv-text.ts';
import type { Remark } from '../../contract/remarks.ts';
import type { TakeLink } from '../../contract/take-source.ts';
import { messageOf } from '../base/errors.ts';
import type { Clock, Logger } from '../base/ports.ts';
import { below, type Place } from '../files/place.ts';
import { makeFolder, removeAbandoned, replaceFile } from '../files/project-files.ts';

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
  /** The takes that it was made from. */
  readonly from?: readonly TakeLink[];
  readonly error?: string;
  /** Remarks about the file. */
  readonly remarks?: readonly Remark[];
}

/** A whole manifest, about to be written. */
export interface ManifestContent {
  /** The folder of the batch. */
  readonly folder: Place;
  readonly rows: Iterable<ManifestRow>;
}

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
] as const;

/** Rows converted to text at a time, so that nothing else waits long. */
const ROWS_AT_ONCE = 1000;

/**
 * Writes `manifest.csv` as a whole into the batch's folder. UTF-8 with a byte order mark, because Excel assumes another
 * encoding without it. Lines end in CRLF. Keys, names and ids come from lists and servers, so no cell may run as a
 * formula (see `reportLines`).
 */
export async function writeManifest(content: ManifestContent): Promise<void> {
  await makeFolder(content.folder);
  await replaceFile(below(content.folder, 'manifest.csv'), textOf(content.rows), { syncName: false });
}

async function* textOf(rows: Iterable<ManifestRow>): AsyncGenerator<string> {
  let lines: (string | number)[][] = [[...COLUMNS]];
  let start = '\ufeff';
  for (const row of rows) {
    lines.push(cellsOf(row));
    if (lines.length < ROWS_AT_ONCE) continue;
    yield start + reportLines(lines);
    start = '';
    lines = [];
    await nextTurn();
  }
  if (lines.length > 0) yield start + reportLines(lines);
}

function cellsOf(row: ManifestRow): (string | number)[] {
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
    (row.from ?? []).map(nameOf).join('; '),
  ];
}

/** `010 take 2 file 1`. */
function nameOf({ takeId, shot, take, output }: TakeLink): string {
  const name = shot === undefined ? takeId : `${shot} take ${String(take)}`;
  return output === undefined ? name : `${name} file ${String(output)}`;
}

export interface ManifestWriterOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The current content of a batch's manifest. */
  readonly load: (batchId: string) => Promise<ManifestContent>;
}

export interface ManifestWriter {
  /** A batch has changed and its manifest will be written soon. Cheap: may be called for every row. */
  touch(batchId: string): void;
  /** Writes all pending manifests now. Returns, by batch, why a manifest could not be written. */
  flush(): Promise<ReadonlyMap<string, string>>;
}

/** How long a manifest waits for more changes before it is written, ms. */
const GATHER_MS = 1000;
/** Writing takes at most a twentieth of the time, however large the batch is. */
const COST_FACTOR = 20;
/** When to try again a file that another program holds open, ms. */
const RETRY_MS = 5000;

/** Keeps manifests up to date without writing 50,000 rows each time one of them changes. */
export function createManifestWriter(options: ManifestWriterOptions): ManifestWriter {
  const batches = new Map<string, BatchManifest>();
  const of = (batchId: string): BatchManifest => {
    const known = batches.get(batchId) ?? new BatchManifest(batchId, options);
    batches.set(batchId, known);
    return known;
  };
  return {
    touch: (batchId) => of(batchId).touch(),
    async flush() {
      const problems = new Map<string, string>();
      for (const [batchId, manifest] of batches) {
        const problem = await manifest.flush();
        if (problem !== null) problems.set(batchId, problem);
      }
      return problems;
    },
  };
}

class BatchManifest {
  readonly #batchId: string;
  readonly #options: ManifestWriterOptions;
  #changed = false;
  #tidied = false;
  #problem: string | null = null;
  #notBefore = 0;
  #hurry = new AbortController();
  #running: Promise<void> | null = null;

  constructor(batchId: string, options: ManifestWriterOptions) {
    this.#batchId = batchId;
    this.#options = options;
  }

  touch(): void {
    this.#changed = true;
    this.#running ??= this.#run();
  }

  /** Null, or why the manifest is not up to date. */
  async flush(): Promise<string | null> {
    this.#hurry.abort();
    await this.#running;
    if (this.#changed) await this.#write();
    this.#hurry = new AbortController();
    return this.#problem;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#hurry;
    while (this.#changed && !signal.aborted) {
      const waitMs = Math.max(GATHER_MS, this.#notBefore - clock.now());
      await clock.sleep(waitMs, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#write();
    }
    this.#running = null;
  }

  async #write(): Promise<void> {
    const { clock, load, logger } = this.#options;
    const startedAt = clock.now();
    this.#changed = false;
    try {
      const content = await load(this.#batchId);
      await writeManifest(content);
      if (!this.#tidied) await removeAbandoned(content.folder, clock.now());
      this.#tidied = true;
      this.#problem = null;
      this.#notBefore = clock.now() + COST_FACTOR * (clock.now() - startedAt);
    } catch (error) {
      // A manifest open in a spreadsheet must not stop the takes; it is written later.
      this.#changed = true;
      this.#problem = messageOf(error);
      this.#notBefore = clock.now() + RETRY_MS;
      logger.warn('A manifest could not be written', { batch: this.#batchId, problem: this.#problem });
    }
  }
}
