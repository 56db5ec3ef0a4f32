import type { BatchOrder } from '../../contract/batch-order.ts';
import type { Actor } from '../../contract/history.ts';
import type { Counts } from '../../contract/job.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { messageOf, RefusedError } from '../base/errors.ts';
import { givenName } from '../base/given-name.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import type { HistoryStore } from '../db/history-store.ts';
import { readBatchFacts, writeBatchFile } from '../files/batch-file.ts';
import { rowOfPlace } from './start-batch.ts';

export interface BatchCommandsParts {
  readonly batches: BatchStore;
  readonly history: HistoryStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs work while nothing else makes or changes takes of the project. */
  readonly inTurn: <Result>(projectId: string, work: () => Promise<Result>) => Promise<Result>;
  readonly counts: (batchId: string) => Counts;
  /** Absolute folder of a project; null for an unknown one. */
  readonly folderOf: (projectId: string) => string | null;
  /** Lists that were to go into a batch go into it under its new name. */
  readonly renameInDrafts: (projectId: string, before: string, name: string) => Promise<void>;
  readonly changed: (projectId: string) => void;
}

/** What people do with whole batches. */
export class BatchCommands {
  readonly #parts: BatchCommandsParts;

  constructor(parts: BatchCommandsParts) {
    this.#parts = parts;
  }

  /**
   * Gives a batch another name. Its folder keeps the one it has: takes are known by their files. Throws RefusedError for a
   * name that another batch of the project has.
   */
  async rename(batchId: string, wanted: string, by: Actor): Promise<void> {
    const { batches, history, clock, inTurn, changed } = this.#parts;
    const { projectId } = this.#batch(batchId);
    await inTurn(projectId, async () => {
      const batch = this.#batch(batchId);
      const name = givenName(wanted);
      checkName(batches, batch, name);
      if (name === batch.name) return;
      batches.inOneCommit(() => {
        batches.rename(batch, name, clock.now());
        const facts = { before: batch.name, name };
        history.note({ code: 'batch.renamed', facts, by, at: clock.now(), projectId, batchId });
      });
      await this.#write(this.#batch(batchId), batch.name);
    });
    changed(projectId);
  }

  /** Puts a batch away: read only, off the list. Throws RefusedError while takes of it are unfinished or undecided. */
  async archive(batchId: string, by: Actor): Promise<void> {
    const { batches, history, clock, inTurn, counts, changed } = this.#parts;
    const { projectId } = this.#batch(batchId);
    await inTurn(projectId, () => {
      const { name } = this.#batch(batchId);
      checkMayArchive(counts(batchId));
      batches.inOneCommit(() => {
        batches.archive(batchId, clock.now());
        const facts = { batch: name };
        history.note({ code: 'batch.archived', facts, by, at: clock.now(), projectId, batchId });
      });
      return Promise.resolve();
    });
    changed(projectId);
  }

  unarchive(batchId: string, by: Actor): void {
    const { batches, history, clock, changed } = this.#parts;
    const batch = this.#known(batchId);
    if (!batches.isArchived(batchId)) return;
    batches.inOneCommit(() => {
      batches.archive(batchId, null);
      const { projectId, name } = batch;
      history.note({ code: 'batch.unarchived', facts: { batch: name }, by, at: clock.now(), projectId, batchId });
    });
    changed(batch.projectId);
  }

  setNotes(batchId: string, notes: string, by: Actor): void {
    const { batches, history, clock, changed } = this.#parts;
    const { projectId, name } = this.#batch(batchId);
    batches.inOneCommit(() => {
      batches.setNotes(batchId, notes.trim());
      history.note({ code: 'batch.noted', facts: { batch: name }, by, at: clock.now(), projectId, batchId });
    });
    changed(projectId);
  }

  /** Lists the batches of a project in another order; with ids, these are put in their places by hand. */
  order(projectId: string, order: BatchOrder, by: Actor, batchIds?: readonly string[]): void {
    const { batches, history, clock, changed } = this.#parts;
    batches.inOneCommit(() => {
      batches.setOrder(projectId, order, batchIds);
      history.note({ code: 'batches.ordered', facts: { order }, by, at: clock.now(), projectId });
    });
    changed(projectId);
  }

  /** Writes files in the project's folder that a kill or a full disk prevented. Called when the project is claimed. */
  async writeBehind(projectId: string): Promise<void> {
    for (const batch of this.#parts.batches.unwritten(projectId)) await this.#write(batch);
  }

  /** Lists first: as long as the file has the earlier name, they are found again by it after a kill. */
  async #write(batch: Batch, earlier = batch.name): Promise<void> {
    const { batches, folderOf, renameInDrafts, logger } = this.#parts;
    const folder = folderOf(batch.projectId);
    if (folder === null) return;
    try {
      const stored = batches.currentShots(batch.id);
      const shots: ShotSpec[] = stored.map(({ spec }) => spec);
      const rows = stored.map(({ position }) => rowOfPlace(position));
      const before = await readBatchFacts(folder, batch.id);
      for (const name of new Set([before?.name ?? earlier, earlier])) {
        if (name !== batch.name) await renameInDrafts(batch.projectId, name, batch.name);
      }
      await writeBatchFile(folder, { format: 1, ...batch, defaults: before?.defaults ?? {}, rows, shots });
      batches.written(batch.id);
    } catch (error) {
      // Its name is in the database; the file follows when the project is taken again.
      logger.warn('The file of a batch could not be written', { batch: batch.id, reason: messageOf(error) });
    }
  }

  #known(batchId: string): Batch {
    const batch = this.#parts.batches.get(batchId);
    if (batch) return batch;
    throw new RefusedError('not_found', messageFor('failure.noSuchBatch'), messageFor('remedy.chooseOther'));
  }

  #batch(batchId: string): Batch {
    const batch = this.#known(batchId);
    requireUnarchivedBatch(this.#parts.batches, batch);
    return batch;
  }
}

/** Throws RefusedError for an archived batch: it is read only. */
export function requireUnarchivedBatch(batches: BatchStore, { id, name }: Pick<Batch, 'id' | 'name'>): void {
  if (!batches.isArchived(id)) return;
  throw new RefusedError(
    'batch_archived',
    messageFor('failure.batchArchived', { batch: name }),
    messageFor('remedy.unarchiveBatch'),
  );
}

function checkName(batches: BatchStore, { id, projectId }: Batch, name: string): void {
  if (batches.rows(projectId).some((row) => row.id === id && row.importing)) {
    throw new RefusedError(
      'import_unfinished',
      messageFor('failure.importUnfinished'),
      messageFor('remedy.runListAgain'),
    );
  }
  const other = batches.named(projectId, name);
  if (other === null || other.id === id) return;
  const text = messageFor('failure.batchNameTaken', { batch: name });
  throw new RefusedError('batch_exists', text, messageFor('remedy.chooseOtherName'));
}

function checkMayArchive({ unfinished, unknown }: Counts): void {
  if (unfinished + unknown === 0) return;
  throw new RefusedError(
    'batch_busy',
    messageFor('failure.batchBusy', { unfinished, unknown }),
    messageFor('remedy.waitCancelOrDecide'),
  );
}
