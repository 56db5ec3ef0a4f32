import * as z from 'zod';
import { AddedShot, AgreedPaths, ShotCells } from '../batch.ts';
import { BatchOrder } from '../batch.ts';
import { Hours } from '../night-window.ts';
import { command, Id } from './command.ts';

export const batchCommands = {
  /** Its folder keeps its name: takes are known by their files. Refused for a name that another batch of the project has. */
  rename: command({
    input: z.object({ batchId: Id, name: z.string().min(1).max(200) }),
    touches: 'batch',
    lock: 'project',
    log: 'batch.renamed',
    shows: 'batches',
    label: 'command.renameBatch',
    cli: 'batches rename <BATCH> <NAME>',
  }),
  /** Puts a batch away: read only, off the list. Refused while takes are unfinished or undecided. */
  archive: command({
    input: z.object({ batchId: Id }),
    touches: 'batch',
    lock: 'project',
    log: 'batch.archived',
    shows: 'batches',
    label: 'command.archiveBatch',
    cli: 'batches archive <BATCH>',
  }),
  unarchive: command({
    input: z.object({ batchId: Id }),
    touches: 'archived batch',
    log: 'batch.unarchived',
    shows: 'batches',
    label: 'command.unarchiveBatch',
    cli: 'batches unarchive <BATCH>',
  }),
  setNotes: command({
    input: z.object({ batchId: Id, notes: z.string().max(10_000) }),
    touches: 'batch',
    log: 'batch.noted',
    shows: 'batches',
    label: 'command.noteBatch',
    cli: 'batches note <BATCH> <TEXT>',
  }),
  /** Lists the batches of a project in another order. With ids, these are put in their places by hand. */
  order: command({
    input: z.object({ projectId: Id, order: BatchOrder, batchIds: z.array(Id).max(20_000).optional() }),
    touches: 'project',
    log: 'batches.ordered',
    shows: 'batches',
    label: 'command.orderBatches',
    cli: 'batches order <ORDER>',
  }),
  addShot: command({
    input: z.object({
      projectId: Id,
      cells: ShotCells,
      agreed: AgreedPaths.default([]),
      /** Its takes wait on hold until these hours. */
      tonight: Hours.optional(),
    }),
    output: AddedShot,
    bare: true,
    touches: 'project',
    log: ['batch.started', 'batch.merged'],
    spends: true,
    label: 'batch.describeShot',
  }),
};
