import type Database from 'better-sqlite3';
import { formats, OutputFormat } from '../../contract/formats.ts';
import type { EngineDatabase } from './open.ts';

/** What there is to read about a take. */
export interface TakeTexts {
  readonly takeId: string;
  readonly prompt: string;
  readonly title: string | null;
  /** Of the list. */
  readonly notes: string | null;
  /** Of the person who reviewed it. */
  readonly note: string | null;
}

/** A text that a take made: a file of its project. */
export interface TakeWords {
  readonly takeId: string;
  /** Of the file, hex. */
  readonly sha256: string;
  /** In the project folder. */
  readonly file: string;
}

const words = OutputFormat.options.filter((format) => formats[format].medium === 'words');

/** Texts of takes, and vectors of texts. */
export class MeaningStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** Of every take of a project, in no order. */
  texts(projectId: string): TakeTexts[] {
    return this.#db
      .prepare(
        `SELECT jobs.id AS takeId, shots.spec ->> '$.prompt' AS prompt, shots.spec ->> '$.notes' AS notes,
           coalesce(shots.spec ->> '$.params.title', shots.spec ->> '$.columns.title') AS title, verdicts.note AS note
         FROM batches JOIN jobs ON jobs.batch_id = batches.id JOIN shots ON shots.id = jobs.shot_id
           LEFT JOIN verdicts ON verdicts.job_id = jobs.id
         WHERE batches.project_id = ?`,
      )
      .all(projectId) as TakeTexts[];
  }

  /** Of every take of a project that is a text, in no order. */
  words(projectId: string): TakeWords[] {
    return this.#db
      .prepare(
        `SELECT jobs.id AS takeId, outputs.sha256, outputs.file
         FROM batches JOIN jobs ON jobs.batch_id = batches.id JOIN outputs ON outputs.job_id = jobs.id
         WHERE batches.project_id = ? AND outputs.file IS NOT NULL
           AND outputs.format IN (SELECT value FROM json_each(?))`,
      )
      .all(projectId, JSON.stringify(words)) as TakeWords[];
  }

  /** Another answer than before says that something in the database has changed. */
  changes(): string {
    const own = this.#db.prepare('SELECT total_changes()').pluck().get() as number;
    return `${String(own)} ${String(this.#db.pragma('data_version', { simple: true }))}`;
  }

  /** Those of these texts that have a vector, by the hash in hex. */
  vectors(model: string, hashes: Iterable<string>): Map<string, Float32Array> {
    const find = this.#db.prepare('SELECT vector FROM vectors WHERE model = ? AND text_hash = ?').pluck();
    const found = new Map<string, Float32Array>();
    for (const hash of hashes) {
      const bytes = find.get(model, Buffer.from(hash, 'hex')) as Buffer | undefined;
      // A copy: the bytes of a row need not lie where floats may begin.
      if (bytes) found.set(hash, new Float32Array(new Uint8Array(bytes).buffer));
    }
    return found;
  }

  keep(model: string, vectors: ReadonlyMap<string, Float32Array>): void {
    const insert = this.#db.prepare('INSERT OR REPLACE INTO vectors (model, text_hash, vector) VALUES (?, ?, ?)');
    this.#db
      .transaction(() => {
        for (const [hash, vector] of vectors) {
          insert.run(model, Buffer.from(hash, 'hex'), Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
        }
      })
      .immediate();
  }
}
