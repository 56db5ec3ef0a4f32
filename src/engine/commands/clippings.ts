import { v7 as uuid } from 'uuid';
import { messageFor } from '../../contract/messages/message.ts';
import type { Clipping } from '../../contract/tool.ts';
import { projectFor } from '../projects/overview.ts';
import { putClipping, readClipping, removeClipping, pictureToLibrary } from '../tools/research/pictures.ts';
import { step, type CommandFunctions } from './command-function.ts';

export const clippings: CommandFunctions<'clippings'> = {
  async keep({ ports, projects }, { projectId, askedFor, finding }) {
    const clipping: Clipping = { format: 1, id: uuid(), ...finding, askedFor, at: ports.clock.now() };
    await putClipping(projectFor(projects, projectId).path, clipping);
    const undo = step('clippings.remove', { projectId, id: clipping.id });
    return { text: messageFor('research.keptWithProject'), result: clipping, undo };
  },

  async remove({ projects }, { projectId, id }) {
    const { path } = projectFor(projects, projectId);
    const clipping = await readClipping(path, id);
    await removeClipping(path, id);
    const undo = clipping && step('clippings.restore', { projectId, clipping });
    return { text: messageFor('research.clippingDeleted'), undo };
  },

  async restore({ projects }, { projectId, clipping }) {
    await putClipping(projectFor(projects, projectId).path, clipping);
    return { undo: step('clippings.remove', { projectId, id: clipping.id }) };
  },

  async picture(context, { projectId, url }, { signal }) {
    const project = projectFor(context.projects, projectId);
    const library = context.views.library(projectId);
    return { result: await pictureToLibrary(context, library, project, url, signal), undo: null };
  },
};
