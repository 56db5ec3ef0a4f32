import type { ShotSpec } from '../../contract/shot.ts';
import { toMessage } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import type { Batch } from '../db/batch-store.ts';
import type { Project } from '../db/project-store.ts';
import type { Stores } from '../db/stores.ts';
import { readBatchFacts, writeBatchFile } from '../files/batch-file.ts';
import { rowOfPlace } from './plan-start.ts';

type BatchesOfProjects = Pick<Stores, 'batches' | 'projects'>;
type RenameInDrafts = (project: Project, before: string, name: string) => Promise<void>;

export class BatchFiles {
  readonly #stores: BatchesOfProjects;
  readonly #logger: Logger;
  readonly #renameInDrafts: RenameInDrafts;

  constructor(stores: BatchesOfProjects, logger: Logger, renameInDrafts: RenameInDrafts) {
    this.#stores = stores;
    this.#logger = logger;
    this.#renameInDrafts = renameInDrafts;
  }

  /** Writes files in the project's folder that a kill or a full disk prevented. Called when the project is claimed. */
  async writeBehind(projectId: string): Promise<void> {
    for (const batch of this.#stores.batches.unwritten(projectId)) await this.write(batch);
  }

  /** Lists first: as long as the file has the earlier name, they are found again by it after a kill. */
  async write(batch: Batch, earlier = batch.name): Promise<void> {
    const { batches, projects } = this.#stores;
    const project = projects.get(batch.projectId);
    if (project === null) return;
    try {
      const stored = batches.currentShots(batch.id);
      const shots: ShotSpec[] = stored.map(({ spec }) => spec);
      const rows = stored.map(({ position }) => rowOfPlace(position));
      const before = await readBatchFacts(project.path, batch.id);
      for (const name of new Set([before?.name ?? earlier, earlier])) {
        if (name !== batch.name) await this.#renameInDrafts(project, name, batch.name);
      }
      await writeBatchFile(project.path, { format: 1, ...batch, defaults: before?.defaults ?? {}, rows, shots });
      batches.written(batch.id);
    } catch (error) {
      // Its name is in the database; the file follows when the project is taken again.
      this.#logger.warn('The file of a batch could not be written', { batch: batch.id, reason: toMessage(error) });
    }
  }
}
