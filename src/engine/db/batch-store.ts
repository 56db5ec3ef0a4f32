import { setImmediate } from 'node:timers/promises';
import { type TakeOrder, batchesInOrder, type BatchOrder } from '../../contract/batch.ts';
import type { CapScope } from '../../contract/ledger.ts';
import { UNSENT } from './job-sql.ts';
import { inCapScope } from './ledger-store.ts';
import { inSlices, SLICE, TakeStore } from './take-store.ts';
import { ShotSpec } from '../../contract/shot.ts';
import { STRETCH_MS } from '../base/slices.ts';
import { sql, Store } from './connection.ts';

export interface Batch {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** Folder of the batch's files, relative to the project folder. */
  readonly folder: string;
  readonly listFolder: string;
  readonly source: string;
  readonly nameTemplate: string;
  readonly order: TakeOrder;
  readonly createdAt: number;
  /** When a data folder last changed its name, its list or its order, ms: the later of two counts. See `changeAfter`. */
  readonly changedAt: number;
  /** Of the list as it was written, in its file in the project, ms; nothing where that is not kept. */
  readonly listAt?: number | null | undefined;
}

/** The time of a change after another one: later than that, whatever the clock says. */
export const changeAfter = ({ changedAt }: Pick<Batch, 'changedAt'>, now: number): number =>
  Math.max(now, changedAt + 1);

export interface BatchRow extends Batch {
  readonly shots: number;
  readonly importing: boolean;
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

const COLUMNS = sql`id, project_id, name, folder, list_folder, source, name_template, take_order AS "order", created_at,
  changed_at, list_at`;
const BATCHES = sql`SELECT ${COLUMNS} FROM batches`;

const SHOTS = sql`SELECT id, batch_id, key, position, content_hash, spec FROM shots`;

const parsed = (shot: StoredShot): StoredShot => ({ ...shot, spec: ShotSpec.parse(shot.spec) });

export class BatchStore extends Store {
  /** Time of commits whose pages are still in the log of the database, ms. */
  #loggedMs = 0;
  readonly #underWay = new Map<string, number>();
  readonly takes = new TakeStore(this.db);

  get(id: string): Batch | null {
    return this.facts.one<Batch>`${BATCHES} WHERE id = ${id}`;
  }

  list(projectId: string): Batch[] {
    return this.facts.all<Batch>`${BATCHES} WHERE project_id = ${projectId} ORDER BY created_at`;
  }

  named(projectId: string, name: string): Batch | null {
    return this.facts.one<Batch>`${BATCHES} WHERE project_id = ${projectId} AND name = ${name}`;
  }

  inFolder(projectId: string, folder: string): Batch | null {
    return this.facts.one<Batch>`${BATCHES} WHERE project_id = ${projectId} AND folder = ${folder}`;
  }

  save(batch: Batch): void {
    const { id, projectId, name, folder, listFolder, source, nameTemplate, order, createdAt, changedAt } = batch;
    const { listAt = null } = batch;
    this.facts.run`INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, take_order,
        created_at, changed_at, list_at)
      VALUES (${id}, ${projectId}, ${name}, ${folder}, ${listFolder}, ${source}, ${nameTemplate}, ${order},
        ${createdAt}, ${changedAt}, ${listAt})
      ON CONFLICT (id) DO UPDATE SET list_folder = excluded.list_folder, source = excluded.source,
        take_order = excluded.take_order, changed_at = excluded.changed_at,
        list_at = excluded.list_at`;
  }

  /** Adds or updates a batch that is adopted from its project folder: it is incomplete until that ends. */
  beginAdoption(batch: Batch): void {
    this.save(batch);
    this.facts.run`UPDATE batches SET adopting = 1 WHERE id = ${batch.id}`;
  }

  /** Everything in a project folder has been adopted. True when batches came with it. */
  endAdoption(projectId: string): boolean {
    return this.facts.run`UPDATE batches SET adopting = 0 WHERE project_id = ${projectId} AND adopting = 1` > 0;
  }

  interruptedAdoptions(): string[] {
    return this.facts.values<string>`SELECT DISTINCT project_id FROM batches WHERE adopting = 1`;
  }

  /** False for a batch that is unknown, or whose shots and takes are not complete yet. */
  isWhole(batchId: string): boolean {
    return this.facts.has`SELECT 1 FROM batches WHERE id = ${batchId} AND adopting = 0`;
  }

  /** While set, no job of the batch is sent: its import has not finished. */
  setImporting(batchId: string, importing: boolean): void {
    this.facts.run`UPDATE batches SET importing = ${importing} WHERE id = ${batchId}`;
  }

  interruptedImports(): Batch[] {
    return this.facts.all<Batch>`${BATCHES} WHERE importing = 1`;
  }

  changedSince(since: number): string[] {
    return this.facts.values<string>`SELECT DISTINCT batch_id FROM jobs WHERE updated_at >= ${since}`;
  }

  currentShots(batchId: string): StoredShot[] {
    return [...this.eachCurrentShot(batchId)].sort((one, other) => one.position - other.position);
  }

  currentKeys(batchId: string): string[] {
    return this.facts.values`SELECT key FROM shots WHERE batch_id = ${batchId} AND current = 1`;
  }

  /** The shots one by one in key order, read in slices: reading 50,000 in one go would block everything else. */
  *eachCurrentShot(batchId: string): Generator<StoredShot> {
    const rows = inSlices(
      (after) => this.facts.all<StoredShot>`${SHOTS} WHERE batch_id = ${batchId} AND current = 1 AND key > ${after}
        ORDER BY key LIMIT +${SLICE}`,
    );
    for (const row of rows) yield parsed(row);
  }

  shot(id: string): StoredShot | null {
    const row = this.facts.one<StoredShot>`${SHOTS} WHERE id = ${id}`;
    return row && parsed(row);
  }

  /** Each with the service that it goes to. */
  unsentShots(scope: CapScope): { shot: ShotSpec; service: string | null }[] {
    type Row = { readonly spec: unknown; readonly service: string | null };
    const rows = this.facts.all<Row>`SELECT spec, service FROM shots
        JOIN batches ON batches.id = shots.batch_id JOIN projects ON projects.id = batches.project_id
      WHERE shots.id IN (SELECT shot_id FROM jobs WHERE state IN ${UNSENT} AND ${inCapScope(scope)})`;
    return rows.map(({ spec, service }) => ({ shot: ShotSpec.parse(spec), service }));
  }

  currentShot(batchId: string, key: string): ShotSpec | null {
    return ShotSpec.nullable().parse(this.facts.value`SELECT spec FROM shots
      WHERE batch_id = ${batchId} AND key = ${key} AND current = 1`);
  }

  /** Belongs in the commit of its caller. The batch's file has to be written afterwards; see `unwritten`. */
  rename({ id, changedAt }: Batch, name: string, now: number): void {
    this.facts.run`UPDATE batches SET name = ${name}, changed_at = ${changeAfter({ changedAt }, now)}, unwritten = 1
      WHERE id = ${id}`;
  }

  /**
   * Gives batches of a project the names that their files have, all at once: some may have exchanged theirs. Another
   * batch that has such a name gets the next free one. Belongs in the commit of its caller.
   */
  adoptNames(projectId: string, names: ReadonlyMap<string, string>, now: number): void {
    // No name of a batch is like this.
    for (const id of names.keys()) this.facts.run`UPDATE batches SET name = ${`\0${id}`} WHERE id = ${id}`;
    for (const [id, wanted] of names) {
      const other = this.named(projectId, wanted);
      if (other) this.rename(other, this.freeName(projectId, wanted), now);
      this.facts.run`UPDATE batches SET name = ${wanted} WHERE id = ${id}`;
    }
  }

  freeName(projectId: string, wanted: string): string {
    let name = wanted;
    for (let number = 2; this.named(projectId, name) !== null; number += 1) name = `${wanted} ${String(number)}`;
    return name;
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

  setUnwritten(id: string): void {
    this.facts.run`UPDATE batches SET unwritten = 1 WHERE id = ${id} AND importing = 0`;
  }

  unwritten(projectId: string): Batch[] {
    return this.facts.all<Batch>`${BATCHES} WHERE project_id = ${projectId} AND unwritten = 1`;
  }

  written(id: string): void {
    this.facts.run`UPDATE batches SET unwritten = 0 WHERE id = ${id}`;
  }

  isArchived(id: string): boolean {
    return this.facts.has`SELECT 1 FROM batches WHERE id = ${id} AND archived_at IS NOT NULL`;
  }

  archive(id: string, now: number | null): void {
    this.facts.run`UPDATE batches SET archived_at = ${now} WHERE id = ${id}`;
  }

  setNotes(id: string, notes: string): void {
    this.facts.run`UPDATE batches SET notes = ${notes} WHERE id = ${id}`;
  }

  /** Sets the order of a project's batches. With `ids`, these get their places and all others get none. */
  setOrder(projectId: string, order: BatchOrder, ids?: readonly string[]): void {
    this.facts.run`UPDATE projects SET batch_order = ${order} WHERE id = ${projectId}`;
    if (!ids) return;
    this.facts.run`UPDATE batches SET place = NULL WHERE project_id = ${projectId}`;
    for (const [place, id] of ids.entries())
      this.facts.run`UPDATE batches SET place = ${place} WHERE id = ${id} AND project_id = ${projectId}`;
  }

  order(projectId: string): BatchOrder {
    return this.facts.value<BatchOrder>`SELECT batch_order FROM projects WHERE id = ${projectId}` ?? 'date';
  }

  /** Batches of a project in its order, with their number of shots and whether their import was interrupted. */
  rows(projectId: string): BatchRow[] {
    const rows = this.facts.all<BatchRow>`SELECT ${COLUMNS}, importing, archived_at, notes, place,
        (SELECT COUNT(*) FROM shots WHERE batch_id = batches.id AND current = 1) AS shots
      FROM batches WHERE project_id = ${projectId} ORDER BY created_at`;
    return batchesInOrder(rows, this.order(projectId));
  }

  /**
   * `isCurrent` is false for a version of a shot that the batch's list no longer has, for the takes made from it. The
   * person's own columns are stored beside it: a trigger would have to parse the JSON again, which is slow for a long
   * list.
   */
  addShot(shot: StoredShot, now: number, isCurrent = true): void {
    const { id, batchId, key, position, contentHash, spec } = shot;
    this.facts.run`INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
      VALUES (${id}, ${batchId}, ${key}, ${position}, ${contentHash}, ${spec}, ${isCurrent}, ${now})`;
    // When two headers differ only in case, the first is kept.
    for (const [name, value] of Object.entries(spec.columns)) {
      if (value === '') continue;
      this.facts.run`INSERT OR IGNORE INTO shot_columns (batch_id, name, shot_id, value)
        VALUES (${batchId}, ${name}, ${id}, ${value})`;
    }
  }

  moveShot(batchId: string, key: string, position: number): void {
    this.facts.run`UPDATE shots SET position = ${position}
      WHERE batch_id = ${batchId} AND key = ${key} AND current = 1`;
  }

  versionOf(batchId: string, key: string, contentHash: string): string | null {
    return this.facts.value`SELECT id FROM shots
      WHERE batch_id = ${batchId} AND key = ${key} AND content_hash = ${contentHash}
      ORDER BY current DESC, created_at DESC`;
  }

  /** The rows with these keys become history; their takes stay. */
  retireShots(batchId: string, keys: readonly string[]): void {
    this.facts.run`UPDATE shots SET current = 0
      WHERE batch_id = ${batchId} AND current = 1 AND key IN (SELECT value FROM json_each(${keys}))`;
  }

  /**
   * Writes something for each item, one commit for each slice, and gives everything else a turn in between. The commits
   * are not synced: the batch was marked as unfinished before, and the commit that removes the mark makes all of them
   * durable.
   */
  async commitInSlices<Item>(items: readonly Item[], write: (item: Item) => void, signal?: AbortSignal): Promise<void> {
    for (let next = 0; next < items.length;) {
      this.inUnsyncedCommit(() => {
        const start = performance.now();
        for (; next < items.length && performance.now() - start < STRETCH_MS; next += 1) write(items[next] as Item);
      });
      signal?.throwIfAborted();
      await setImmediate();
      if (this.#loggedMs < LONG_LOG_MS) continue;
      this.facts.pragma('wal_checkpoint(PASSIVE)');
      this.#loggedMs = 0;
      await setImmediate();
    }
  }

  /**
   * A commit without a sync, for data that is marked as unfinished and is written again if a crash loses it. The next
   * synced commit makes it durable too, such as the one that removes the mark. Its pages stay in the log, which is
   * emptied in a separate turn, because that waits for the disk.
   */
  inUnsyncedCommit(work: () => void): void {
    const { facts } = this;
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
}
