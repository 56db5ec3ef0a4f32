import { formats, OutputFormat } from '../../contract/formats.ts';
import { Store } from './connection.ts';

export interface TakeTexts {
  /** Of the take, among all. */
  readonly seq: number;
  readonly takeId: string;
  readonly prompt: string;
  readonly title: string | null;
  /** Of the list. */
  readonly notes: string | null;
  /** Of the person who reviewed it. */
  readonly note: string | null;
}

export interface TakeWords {
  readonly takeId: string;
  /** Of the file, hex. */
  readonly sha256: string;
  /** In the project folder. */
  readonly file: string;
}

/** Read in a few milliseconds. */
const TAKES_AT_ONCE = 500;

const words = OutputFormat.options.filter((format) => formats[format].medium === 'words');

export class MeaningStore extends Store {
  /** Of the takes of a project after number `after`, some at a time, in order. */
  texts(projectId: string, after: number): TakeTexts[] {
    return this.facts.all<TakeTexts>`SELECT jobs.seq, jobs.id AS takeId, shots.spec ->> '$.prompt' AS prompt,
           shots.spec ->> '$.notes' AS notes,
           coalesce(shots.spec ->> '$.params.title', shots.spec ->> '$.columns.title') AS title, verdicts.note AS note
         FROM jobs JOIN shots ON shots.id = jobs.shot_id LEFT JOIN verdicts ON verdicts.job_id = jobs.id
         WHERE jobs.project_id = ${projectId} AND jobs.seq > ${after} ORDER BY jobs.seq LIMIT ${TAKES_AT_ONCE}`;
  }

  /** Of every take of a project that is a text, in no order. */
  words(projectId: string): TakeWords[] {
    return this.facts.all<TakeWords>`SELECT jobs.id AS takeId, outputs.sha256, outputs.file
         FROM batches JOIN jobs ON jobs.batch_id = batches.id JOIN outputs ON outputs.job_id = jobs.id
         WHERE batches.project_id = ${projectId} AND outputs.file IS NOT NULL
           AND outputs.format IN (SELECT value FROM json_each(${words}))`;
  }

  /** When this number differs from before, something in the database has changed. */
  changes(): string {
    const own = this.facts.count`SELECT total_changes()`;
    return `${String(own)} ${String(this.facts.pragma('data_version', { simple: true }))}`;
  }

  /** The vector of a text by its hash, hex; null where it has none. */
  vector(model: string, hash: string): Float32Array | null {
    const bytes = this.facts.value<Buffer>`SELECT vector FROM vectors
      WHERE model = ${model} AND text_hash = ${Buffer.from(hash, 'hex')}`;
    // A copy: the bytes of a row may not be aligned for floats.
    return bytes ? new Float32Array(new Uint8Array(bytes).buffer) : null;
  }

  keep(model: string, vectors: ReadonlyMap<string, Float32Array>): void {
    this.facts.inOneCommit(() => {
      for (const [hash, vector] of vectors) {
        const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
        this.facts.run`INSERT OR REPLACE INTO vectors (model, text_hash, vector)
          VALUES (${model}, ${Buffer.from(hash, 'hex')}, ${bytes})`;
      }
    });
  }
}
