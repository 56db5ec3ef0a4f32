import type { ShotSpec } from '../../contract/shot.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import { readBatchFacts, writeBatchFile } from '../files/batch-file.ts';
import { rowOfPlace } from './start-batch.ts';

export interface BatchFilesParts {
  readonly batches: BatchStore;
  readonly logger: Logger;
  /** Absolute folder of a project; null for an unknown one. */
  readonly folderOf: (projectId: string) => string | null;
  readonly renameInDrafts: (projectId: string, before: string, name: string) => Promise<void>;
}

export class BatchFiles {
  readonly #parts: BatchFilesParts;

  constructor(parts: BatchFilesParts) {
    this.#parts = parts;
  }

  /** Writes files in the project's folder that a kill or a full disk prevented. Called when the project is claimed. */
  async writeBehind(projectId: string): Promise<void> {
    for (const batch of this.#parts.batches.unwritten(projectId)) await this.write(batch);
  }

  /** Lists first: as long as the file has the earlier name, they are found again by it after a kill. */
  async write(batch: Batch, earlier = batch.name): Promise<void> {
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
}
