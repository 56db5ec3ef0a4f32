import * as z from 'zod';
import { OpenedProjectView } from '../project.ts';
import { command, Id } from './command.ts';
import { AddedShot, AgreedPaths, ShotCells, BatchOrder } from '../batch.ts';
import { SavedView } from '../review.ts';

const opening = {
  output: OpenedProjectView,
  bare: true,
  touches: 'nothing',
  refusesItself: 'its folder says which project it is',
} as const;
const path = z.string().min(1).max(4096);

const ofProject = { touches: 'project', shows: 'project' } as const;

export const projectCommands = {
  /** Opens a folder, making a project of it when it is none. */
  open: command({
    ...opening,
    input: z.object({ path }),
    log: ['project.opened', 'project.relinked'],
    label: 'command.openProject',
  }),
  /** A known project whose folder was moved. Refused when the folder is another project. */
  relink: command({
    ...opening,
    input: z.object({ projectId: Id, path }),
    log: 'project.relinked',
    label: 'command.relinkProject',
  }),
  /** Takes a project off the list of recents; its folder is left alone. Refused while takes are unfinished. */
  forget: command({
    input: z.object({ projectId: Id }),
    ...ofProject,
    log: 'project.forgotten',
    label: 'command.forgetProject',
    ownEntry: true,
  }),
  /** Gives a project and its folder another name. Refused while its requests do not end, or the name is taken. */
  rename: command({
    input: z.object({ projectId: Id, name: z.string().min(1).max(200) }),
    ...ofProject,
    commits: 'own',
    log: 'project.renamed',
    label: 'command.renameProject',
    cli: 'projects rename <NAME>',
    help: 'cli.helpProjectsRename',
    answer: 'cli.projectRenamed',
  }),
  /** Puts a project away: read only, off the list. Refused while takes are unfinished or undecided. */
  archive: command({
    input: z.object({ projectId: Id }),
    ...ofProject,
    lock: 'project',
    log: 'project.archived',
    label: 'command.archiveProject',
    ownEntry: true,
    cli: 'projects archive',
    help: 'cli.helpProjectsArchive',
    answer: 'cli.projectArchived',
  }),
  unarchive: command({
    input: z.object({ projectId: Id }),
    touches: 'archived project',
    log: 'project.unarchived',
    shows: 'project',
    label: 'command.unarchiveProject',
    cli: 'projects unarchive',
    help: 'cli.helpProjectsUnarchive',
    answer: 'cli.projectUnarchived',
  }),
};

const ofBatch = { touches: 'batch', shows: 'batches' } as const;

export const batchCommands = {
  /** Its folder keeps its name: takes are known by their files. Refused for a name that another batch of the project has. */
  rename: command({
    input: z.object({ batchId: Id, name: z.string().min(1).max(200) }),
    ...ofBatch,
    lock: 'project',
    log: 'batch.renamed',
    label: 'command.renameBatch',
    cli: 'batches rename <BATCH> <NAME>',
    help: 'cli.helpBatchesRename',
    answer: 'cli.batchRenamed',
  }),
  /** Puts a batch away: read only, off the list. Refused while takes are unfinished or undecided. */
  archive: command({
    input: z.object({ batchId: Id }),
    ...ofBatch,
    lock: 'project',
    log: 'batch.archived',
    label: 'command.archiveBatch',
    cli: 'batches archive <BATCH>',
    help: 'cli.helpBatchesArchive',
    answer: 'cli.projectArchived',
  }),
  unarchive: command({
    input: z.object({ batchId: Id }),
    touches: 'archived batch',
    log: 'batch.unarchived',
    shows: 'batches',
    label: 'command.unarchiveBatch',
    cli: 'batches unarchive <BATCH>',
    help: 'cli.helpBatchesUnarchive',
    answer: 'cli.projectUnarchived',
  }),
  setNotes: command({
    input: z.object({ batchId: Id, notes: z.string().max(10_000) }),
    ...ofBatch,
    log: 'batch.noted',
    label: 'command.noteBatch',
    cli: 'batches note <BATCH> <TEXT>',
    help: 'cli.helpBatchesNote',
    answer: 'cli.batchNoted',
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
    input: z.object({ projectId: Id, cells: ShotCells, agreed: AgreedPaths.default([]) }),
    output: AddedShot,
    bare: true,
    touches: 'project',
    log: ['batch.started', 'batch.merged'],
    spends: true,
    label: 'batch.describeShot',
  }),
};

export const savedViewCommands = {
  /** With the id of a view it replaces that one, also a deleted one. Refused when another has the name. */
  save: command({
    input: SavedView.extend({ id: Id.optional(), name: z.string().max(500) }),
    output: SavedView,
    ...ofProject,
    log: ['view.saved', 'view.renamed'],
    label: 'command.saveView',
    cli: 'views save <NAME>',
  }),
  remove: command({
    input: z.object({ projectId: Id, id: Id }),
    ...ofProject,
    log: 'view.removed',
    label: 'command.removeView',
    cli: 'views remove <VIEW>',
    help: 'cli.helpViewsRemove',
    answer: 'cli.viewRemoved',
  }),
};
