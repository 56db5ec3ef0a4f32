import * as z from 'zod';
import { Cut, CutSound } from '../cut.ts';
import { command, Id } from './command.ts';

const Name = z.string().min(1).max(500);
/** Names the content that a change was made from. */
const Revision = z.string().max(100);

export const cutCommands = {
  /** Saves a cut as a whole, as it was edited; without a revision, a new one. Refused where it was changed since. */
  save: command({
    input: z.object({ projectId: Id, cut: Cut.extend({ name: Name }), revision: Revision.nullable() }),
    output: z.object({ name: z.string(), revision: Revision }),
    touches: 'project',
    log: ['cut.made', 'cut.changed'],
    shows: 'project',
    label: 'cut.save',
  }),
  remove: command({
    input: z.object({ projectId: Id, name: Name, revision: Revision.optional() }),
    touches: 'project',
    log: 'cut.removed',
    shows: 'project',
    label: 'cut.remove',
    cli: 'cut remove <CUT>',
  }),
  /** Refused when another cut has the name. */
  rename: command({
    input: z.object({ projectId: Id, name: Name, to: Name }),
    touches: 'project',
    log: 'cut.renamed',
    shows: 'project',
    label: 'cut.rename',
    cli: 'cut rename <CUT> <NAME>',
  }),
  /** Copies a sound file of this machine into the project, for the music of its cuts. Refused for what is no sound. */
  addSound: command({
    input: z.object({ projectId: Id, path: z.string().min(1).max(4096) }),
    output: CutSound,
    bare: true,
    touches: 'project',
    log: null,
    silent: 'kept by the cut that is saved with it',
    label: 'cut.addSound',
    files: true,
  }),
};
