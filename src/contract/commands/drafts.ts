import * as z from 'zod';
import { BatchView, DraftEdit, DraftView, ListSource, ReadOptions, StartOptions } from '../batch.ts';
import { command, Id } from './command.ts';

const quiet = { log: null, silent: 'a list keeps its own steps' } as const;
const ofProject = { bare: true, touches: 'project', output: DraftView } as const;
const ofList = {
  bare: true,
  touches: 'nothing',
  output: DraftView,
  refusesItself: 'a list knows its project',
} as const;

export const draftCommands = {
  /** A batch whose list is open already, and was not touched, is answered with that one. */
  open: command({
    ...ofProject,
    input: z.object({ projectId: Id, source: ListSource, read: ReadOptions.default({}) }),
    files: ['source.path', 'source.paths'],
    log: 'batch.duplicated',
    label: 'batch.openShotList',
  }),
  /** Reads the source again another way; edits are dropped. */
  reread: command({
    ...ofList,
    ...quiet,
    input: z.object({ draftId: Id, read: ReadOptions }),
    label: 'command.rereadList',
  }),
  /**
   * `revision` is the one that the edit was made on; refused when the list has changed since. An edit with the `editId`
   * of an earlier one is answered, and not made again.
   */
  edit: command({
    ...ofList,
    ...quiet,
    input: z.object({ draftId: Id, revision: z.int(), edit: DraftEdit, editId: Id.optional() }),
    label: 'command.editList',
  }),
  undo: command({ ...ofList, ...quiet, input: z.object({ draftId: Id }), label: 'command.undoInList' }),
  redo: command({ ...ofList, ...quiet, input: z.object({ draftId: Id }), label: 'command.redoInList' }),
  name: command({
    ...ofList,
    ...quiet,
    input: z.object({ draftId: Id, name: z.string().min(1).max(200) }),
    label: 'command.nameList',
  }),
  /**
   * Stores the batch and lets the queue have it. Refused while a defect is open, when it was edited since `revision`, or
   * a file outside is not agreed to.
   */
  start: command({
    ...ofList,
    input: StartOptions.extend({
      draftId: Id,
      revision: z.int().optional(),
      /** Of the plan that a person saw: which texts its prompts name. */
      texts: z.string().max(100).optional(),
      /** Its takes go to the studio, where any machine makes them; its cap is their budget there. */
      studio: z.boolean().optional(),
    }),
    output: z.object({ batch: BatchView, newTakes: z.int() }),
    log: ['batch.started', 'batch.merged'],
    spends: true,
    label: 'command.startList',
  }),
  discard: command({
    ...ofList,
    ...quiet,
    input: z.object({ draftId: Id }),
    output: z.void(),
    label: 'command.discardList',
  }),
  restore: command({
    ...ofProject,
    ...quiet,
    input: z.object({ projectId: Id, draftId: Id }),
    label: 'command.restoreList',
  }),
};
