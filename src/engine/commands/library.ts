import { messageFor } from '../../contract/messages/message.ts';
import { refused } from '../base/errors.ts';
import { wholePath } from '../files/existing-paths.ts';
import { step, type CommandFunctions } from './command-function.ts';

export const library: CommandFunctions<'library'> = {
  addUrl: ({ views }, { projectId, url, target }, { signal }) =>
    views.library(projectId).addUrl(webAddress(url), target, signal),
  uploadFiles: ({ views }, { projectId, paths, target }, { signal }) =>
    views.library(projectId).upload(paths.map(wholePath), target, signal),
  sync: ({ views }, { projectId }) => views.library(projectId).sync(),

  async createGroup({ views }, { projectId, ...fields }, { note }) {
    const made = await views.library(projectId).createGroup(fields);
    note({ facts: { name: made.name } });
    return { undo: null, result: made };
  },

  async renameGroup({ views }, input, { note, requireUnchanged }) {
    const { projectId, groupId, ...fields } = input;
    const of = views.library(projectId);
    const known = of.groups().find(({ id, name }) => id === groupId || name === groupId);
    const before = {
      ...(fields.name !== undefined && { name: known?.name ?? '' }),
      ...(fields.description !== undefined && { description: known?.description ?? '' }),
    };
    const undo = known ? step('library.renameGroup', { ...input, ...before }) : null;
    if (undo) requireUnchanged(undo);
    const renamed = await of.renameGroup(groupId, fields);
    note({ facts: { before: known?.name ?? groupId, name: renamed.name } });
    return { undo, result: renamed };
  },

  hide({ views }, input) {
    const { projectId, assetId, hidden } = input;
    const of = views.library(projectId);
    const asset = of.asset(assetId);
    if (!asset) {
      throw refused('not_found', messageFor('failure.noSuchItem', { what: 'asset' }), 'remedy.loadJobsAgain');
    }
    of.hide(assetId, hidden);
    if (asset.hidden === hidden) return null;
    const facts = { asset: asset.name };
    return {
      text: hidden ? messageFor('library.hidden', facts) : messageFor('library.shownAgain', facts),
      undo: step('library.hide', { ...input, hidden: !hidden }),
    };
  },
};

function webAddress(text: string): string {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return text;
  throw refused('bad_address', 'failure.notAWebAddress', 'remedy.beginWithHttps');
}
