import * as z from 'zod';
import { SavedView } from '../review.ts';
import { command, Id } from './command.ts';

export const savedViewCommands = {
  /** With the id of a view it replaces that one, also a deleted one. Refused when another has the name. */
  save: command({
    input: SavedView.extend({ id: Id.optional(), name: z.string().max(500) }),
    output: SavedView,
    touches: 'project',
    log: ['view.saved', 'view.renamed'],
    shows: 'project',
    label: 'review.saveView',
    cli: 'views save <NAME>',
  }),
  remove: command({
    input: z.object({ projectId: Id, id: Id }),
    touches: 'project',
    log: 'view.removed',
    shows: 'project',
    label: 'command.removeView',
    cli: 'views remove <VIEW>',
  }),
};
