import type { TakeOrder } from '../../contract/batch.ts';
import { batchesInOrder, type BatchOrder } from '../../contract/batch-order.ts';
import type { CapScope } from '../../contract/ledger.ts';
import { FREE_PROJECTS } from './ledger-store.ts';
import { inSlices, SLICE, TakeStore } from './take-store.ts';
import type Database from 'better-sqlite3';
import { ShotSpec } from '../../contract/shot.ts';
import type { EngineDatabase } from './open.ts';

export interface Batch {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** Folder of the batch's files, relative to the project folder. */
  readonly folder: string;
  /** Absolute folder that the list came from; local paths in cells are relative to it. */
  readonly listFolder: string;
  /** The name of the list, to show to a person. */
  readonly source: string;
  readonly nameTemplate: string;
  readonly order: TakeOrder;
  readonly createdAt: number;
  /** When a data folder last changed its name, its list or its order, ms: the later of two counts. See `changeAfter`. */
  readonly changedAt: number;
}

/** The time of a change after another one: later than that, whatever the clock says. */
export const changeAfter = ({ changedAt }: Pick<Batch, 'changedAt'>, now: number): number =>
  Math.max(now, changedAt + 1);

export interface BatchRow extends Batch {
  readonly shots: number;
  readonly importing: boolean;
  /** When it was archived, ms; null while it is on the list. */
  readonly archivedAt: number | null;
  readonly notes: string;
  /** Its place among the others, when a person moved it; null otherwise. */
  readonly place: number | null;
}

export interface StoredShot {
  readonly id: string;
  readonly batchId: string;
  readonly key: string;
  readonly position: number;
  readonly contentHash: string;
  readonly spec: ShotSpec;
}

/** After so many ms of commits, the log is about as long as SQLite allows before it empties it automatically. */
const LONG_LOG_MS = 24;

const BATCH = `id, project_id AS projectId, name, folder, list_folder AS listFolder, source,
  name_template AS nameTemplate, take_order AS "order", created_at AS createdAt, changed_at AS changedAt`;

export class BatchStore {
  readonly #db: EngineDatabase;
  readonly #insertShot: Database.Statement;
  readonly #insertColumn: Database.Statement;
  readonly #shot: Database.Statement;
  readonly #currentShot: Database.Statement;
  readonly #moveShot: Database.Statement;
  readonly #batch: Database.Statement;
  readonly #isWhole: Database.Statement;
  /** Time of commits whose pages are still in the log of the database, ms. */
  #loggedMs = 0;
  readonly #underWay = new Map<string, number>();
  readonly #isArchived: Database.Statement;
  readonly #versionOf: Database.Statement;
  readonly takes: TakeStore;

  constructor(db: EngineDatabase) {
    this.#db = db;
    this.takes = new TakeStore(db.facts);
    this.#currentShot = db.facts
      .prepare('SELECT spec FROM shots WHERE batch_id = ? AND key = ? AND current = 1')
      .pluck();
    this.#shot = db.facts.prepare(
      'SELECT id, batch_id AS batchId, key, position, content_hash AS contentHash, spec FROM shots WHERE id = ?',
    );
    this.#batch = db.facts.prepare(`SELECT ${BATCH} FROM batches WHERE id = ?`);
    this.#isArchived = db.facts.prepare('SELECT 1 FROM batches WHERE id = ? AND archived_at IS NOT NULL');
    this.#isWhole = db.facts.prepare('SELECT 1 FROM batches WHERE id = ? AND adopting = 0');
    this.#versionOf = db.facts
      .prepare(
        `SELECT id FROM shots WHERE batch_id = ? AND key = ? AND content_hash = ? ORDER BY current DESC, created_at DESC`,
      )
      .pluck();
    this.#moveShot = db.facts.prepare('UPDATE shots SET position = ? WHERE batch_id = ? AND key = ? AND current = 1');
    // When two headers differ only in case, the first is kept.
    this.#insertColumn = db.facts.prepare(
      'INSERT OR IGNORE INTO shot_columns (batch_id, name, shot_id, value) VALUES (?, ?, ?, ?)',
    );
    this.#insertShot = db.facts.prepare(
      `INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
       VALUES (@id, @batchId, @key, @position, @contentHash, @spec, @current, @now)`,
    );
  }

  get(id: string): Batch | null {
    return (this.#batch.get(id) as Batch | undefined) ?? null;
  }

  list(projectId: string): Batch[] {
    return this.#db.facts
      .prepare(`SELECT ${BATCH} FROM batches WHERE project_id = ? ORDER BY created_at`)
      .all(projectId) as Batch[];
  }

  named(projectId: string, name: string): Batch | null {
    const row = this.#db.facts
      .prepare(`SELECT ${BATCH} FROM batches WHERE project_id = ? AND name = ?`)
      .get(projectId, name);
    return (row as Batch | undefined) ?? null;
  }

  /** The batch whose takes are in a folder of the project; see `Batch.folder`. */
  inFolder(projectId: string, folder: string): Batch | null {
    const row = this.#db.facts
      .prepare(`SELECT ${BATCH} FROM batches WHERE project_id = ? AND folder = ?`)
      .get(projectId, folder);
    return (row as Batch | undefined) ?? null;
  }

  save(batch: Batch): void {
    this.#db.facts
      .prepare(
        `INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, take_order, created_at,
           changed_at)
         VALUES (@id, @projectId, @name, @folder, @listFolder, @source, @nameTemplate, @order, @createdAt, @changedAt)
         ON CONFLICT (id) DO UPDATE SET list_folder = @listFolder, source = @source, take_order = @order,
           changed_at = @changedAt`,
      )
      .run(batch);
  }

  /** Adds or updates a batch that is adopted from its project folder: it is incomplete until that ends. */
  beginAdoption(batch: Batch): void {
    this.save(batch);
    this.#db.facts.prepare('UPDATE batches SET adopting = 1 WHERE id = ?').run(batch.id);
  }

  /** Everything in a project folder has been adopted. True when batches came with it. */
  endAdoption(projectId: string): boolean {
    const end = this.#db.facts.prepare('UPDATE batches SET adopting = 0 WHERE project_id = ? AND adopting = 1');
    return end.run(projectId).changes > 0;
  }

  /** Ids of the projects whose folders were only partly adopted. */
  interruptedAdoptions(): string[] {
    const found = this.#db.facts.prepare('SELECT DISTINCT project_id FROM batches WHERE adopting = 1');
    return found.pluck().all() as string[];
  }

  /** False for a batch that is unknown, or whose shots and takes are not complete yet. */
  isWhole(batchId: string): boolean {
    return this.#isWhole.get(batchId) !== undefined;
  }

  /** While set, no job of the batch is sent: its import has not finished. */
  setImporting(batchId: string, importing: boolean): void {
    this.#db.facts.prepare('UPDATE batches SET importing = ? WHERE id = ?').run(importing ? 1 : 0, batchId);
  }

  /** Batches whose import was interrupted: their list has to be run again. */
  interruptedImports(): Batch[] {
    return this.#db.facts.prepare(`SELECT ${BATCH} FROM batches WHERE importing = 1`).all() as Batch[];
  }

  /** Ids of batches of which a job was written at `since` (ms) or later. */
  changedSince(since: number): string[] {
    return this.#db.facts
      .prepare('SELECT DISTINCT batch_id FROM jobs WHERE updated_at >= ?')
      .pluck()
      .all(since) as string[];
  }

  currentShots(batchId: string): StoredShot[] {
    return [...this.eachCurrentShot(batchId)].sort((one, other) => one.position - other.position);
  }

  currentKeys(batchId: string): string[] {
    const keys = 'SELECT key FROM shots WHERE batch_id = ? AND current = 1';
    return this.#db.facts.prepare(keys).pluck().all(batchId) as string[];
  }

  /**
   * The shots one by one in the order of their keys, read in slices: reading 50,000 in one go would block everything
   * else.
   */
  *eachCurrentShot(batchId: string): Generator<StoredShot> {
    const read = this.#db.facts.prepare(
      `SELECT id, batch_id AS batchId, key, position, content_hash AS contentHash, spec FROM shots
       WHERE batch_id = ? AND current = 1 AND key > ? ORDER BY key LIMIT ${SLICE}`,
    );
    for (const row of inSlices<Omit<StoredShot, 'spec'> & { spec: string }>((after) => read.all(batchId, after)))
      yield { ...row, spec: ShotSpec.parse(JSON.parse(row.spec)) };
  }

  shot(id: string): StoredShot | null {
    const row = this.#shot.get(id) as (Omit<StoredShot, 'spec'> & { spec: string }) | undefined;
    return row ? { ...row, spec: ShotSpec.parse(JSON.parse(row.spec)) } : null;
  }

  unsentShots(scope: CapScope): ShotSpec[] {
    const where = {
      night: `project_id NOT IN (${FREE_PROJECTS})`,
      project: 'project_id = @id',
      batch: 'batch_id = @id',
    }[scope.scope];
    const id = scope.scope === 'batch' ? scope.batchId : scope.scope === 'project' ? scope.projectId : null;
    const specs = this.#db.facts
      .prepare(
        `SELECT spec FROM shots WHERE id IN (SELECT shot_id FROM jobs WHERE state IN ('needs_assets', 'ready') AND ${where})`,
      )
      .pluck()
      .all({ id }) as string[];
    return specs.map((spec) => ShotSpec.parse(JSON.parse(spec)));
  }

  /** The current content of a row of the batch's list; null for a key that the list does not have. */
  currentShot(batchId: string, key: string): ShotSpec | null {
    const spec = this.#currentShot.get(batchId, key) as string | undefined;
    return spec === undefined ? null : ShotSpec.parse(JSON.parse(spec));
  }

  /** Belongs in the commit of its caller. The batch's file has to be written afterwards; see `unwritten`. */
  rename({ id, changedAt }: Batch, name: string, now: number): void {
    const rename = 'UPDATE batches SET name = ?, changed_at = ?, unwritten = 1 WHERE id = ?';
    this.#db.facts.prepare(rename).run(name, changeAfter({ changedAt }, now), id);
  }

  /**
   * Gives batches of a project the names that their files have, all at once: some may have exchanged theirs. Another
   * batch that has such a name gets the next free one. Belongs in the commit of its caller.
   */
  adoptNames(projectId: string, names: ReadonlyMap<string, string>, now: number): void {
    const name = this.#db.facts.prepare('UPDATE batches SET name = ? WHERE id = ?');
    // No name of a batch is like this.
    for (const id of names.keys()) name.run(`\0${id}`, id);
    for (const [id, wanted] of names) {
      const other = this.named(projectId, wanted);
      if (other) this.rename(other, this.#freeName(projectId, wanted), now);
      name.run(wanted, id);
    }
  }

  #freeName(projectId: string, taken: string): string {
    for (let number = 2; ; number += 1) {
      const name = `${taken} ${String(number)}`;
      if (this.named(projectId, name) === null) return name;
    }
  }

  /** Runs work that writes a change of a batch into its file and then into the database. */
  async whileChanging<Result>({ id, changedAt }: Batch, work: () => Promise<Result>): Promise<Result> {
    this.#underWay.set(id, changedAt);
    try {
      return await work();
    } finally {
      this.#underWay.delete(id);
    }
  }

  /** When a batch was changed last, ms, with a change under way. A file that says a later time was changed elsewhere. */
  lastChange({ id, changedAt }: Batch): number {
    return Math.max(changedAt, this.#underWay.get(id) ?? 0);
  }

  /** The batch's file in the project folder is older than the database, or missing. */
  setUnwritten(id: string): void {
    this.#db.facts.prepare('UPDATE batches SET unwritten = 1 WHERE id = ? AND importing = 0').run(id);
  }

  unwritten(projectId: string): Batch[] {
    const found = this.#db.facts.prepare(`SELECT ${BATCH} FROM batches WHERE project_id = ? AND unwritten = 1`);
    return found.all(projectId) as Batch[];
  }

  written(id: string): void {
    this.#db.facts.prepare('UPDATE batches SET unwritten = 0 WHERE id = ?').run(id);
  }

  isArchived(id: string): boolean {
    return this.#isArchived.get(id) !== undefined;
  }

  /** Archives a batch at `now`, ms; null restores it. */
  archive(id: string, now: number | null): void {
    this.#db.facts.prepare('UPDATE batches SET archived_at = ? WHERE id = ?').run(now, id);
  }

  setNotes(id: string, notes: string): void {
    this.#db.facts.prepare('UPDATE batches SET notes = ? WHERE id = ?').run(notes, id);
  }

  /** Sets the order of a project's batches. With `ids`, these get their places and all others get none. */
  setOrder(projectId: string, order: BatchOrder, ids?: readonly string[]): void {
    this.#db.facts.prepare('UPDATE projects SET batch_order = ? WHERE id = ?').run(order, projectId);
    if (!ids) return;
    this.#db.facts.prepare('UPDATE batches SET place = NULL WHERE project_id = ?').run(projectId);
    const put = this.#db.facts.prepare('UPDATE batches SET place = ? WHERE id = ? AND project_id = ?');
    for (const [place, id] of ids.entries()) put.run(place, id, projectId);
  }

  order(projectId: string): BatchOrder {
    const order = this.#db.facts.prepare('SELECT batch_order FROM projects WHERE id = ?').pluck().get(projectId);
    return (order as BatchOrder | undefined) ?? 'date';
  }

  /** Batches of a project in its order, with their number of shots and whether their import was interrupted. */
  rows(projectId: string): BatchRow[] {
    const rows = this.#db.facts
      .prepare(
        `SELECT ${BATCH}, importing, archived_at AS archivedAt, notes, place, (SELECT COUNT(*) FROM shots WHERE batch_id = batches.id AND current = 1) AS shots
         FROM batches WHERE project_id = ? ORDER BY created_at`,
      )
      .all(projectId) as (Omit<BatchRow, 'importing'> & { importing: number })[];
    const whole = rows.map((row) => ({ ...row, importing: row.importing === 1 }));
    return batchesInOrder(whole, this.order(projectId));
  }

  addShot(shot: StoredShot, now: number): void {
    this.#insert(shot, 1, now);
  }

  /**
   * The person's own columns are stored beside it: a trigger would have to parse the JSON again, which is slow for a
   * long list.
   */
  #insert({ spec, ...shot }: StoredShot, current: 0 | 1, now: number): void {
    this.#insertShot.run({ ...shot, spec: JSON.stringify(spec), current, now });
    for (const [name, value] of Object.entries(spec.columns)) {
      if (value !== '') this.#insertColumn.run(shot.batchId, name, shot.id, value);
    }
  }

  moveShot(batchId: string, key: string, position: number): void {
    this.#moveShot.run(position, batchId, key);
  }

  /** Adds a version of a shot that the batch's list no longer has, for the takes made from it. */
  addOldVersion(shot: StoredShot, now: number): void {
    this.#insert(shot, 0, now);
  }

  /** Id of the newest version of a shot with this content, or null. */
  versionOf(batchId: string, key: string, contentHash: string): string | null {
    return (this.#versionOf.get(batchId, key, contentHash) as string | undefined) ?? null;
  }

  /** The rows with these keys become history; their takes stay. */
  retireShots(batchId: string, keys: readonly string[]): void {
    const retire = this.#db.facts.prepare(
      'UPDATE shots SET current = 0 WHERE batch_id = ? AND key = ? AND current = 1',
    );
    for (const key of keys) retire.run(batchId, key);
  }

  inOneCommit<Result>(work: () => Result): Result {
    return this.#db.facts.transaction(work).immediate();
  }

  /**
   * The same without a sync, for data that is marked as unfinished and is written again if a crash loses it. The next
   * synced commit makes it durable too, such as the one that removes the mark. Its pages stay in the log: once
   * `isLogLong`, call `emptyLog` in a separate turn, because that waits for the disk.
   */
  inUnsyncedCommit(work: () => void): void {
    const { facts } = this.#db;
    const emptiedAt = facts.pragma('wal_autocheckpoint', { simple: true }) as number;
    facts.pragma('synchronous = NORMAL');
    facts.pragma('wal_autocheckpoint = 0');
    const began = performance.now();
    try {
      this.inOneCommit(work);
    } finally {
      this.#loggedMs += performance.now() - began;
      facts.pragma('synchronous = FULL');
      facts.pragma(`wal_autocheckpoint = ${String(emptiedAt)}`);
    }
  }

  get isLogLong(): boolean {
    return this.#loggedMs >= LONG_LOG_MS;
  }

  emptyLog(): void {
    this.#db.facts.pragma('wal_checkpoint(PASSIVE)');
    this.#loggedMs = 0;
  }
}
