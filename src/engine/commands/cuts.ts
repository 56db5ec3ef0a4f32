import { MAX_CUTS, type Cut } from '../../contract/cut.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { MAX_VIEW_NAME, toViewName } from '../../contract/review.ts';
import { refused } from '../base/errors.ts';
import { cutBeside } from '../projects/cut-files.ts';
import { projectFor } from '../projects/overview.ts';
import { cutCalled, revisionOf } from '../review/cuts.ts';
import { addSound } from '../review/cut-sounds.ts';
import { step, type CommandContext, type CommandFunctions } from './command-function.ts';

export const cuts: CommandFunctions<'cuts'> = {
  save(context, { projectId, cut: given, revision }) {
    const name = revision === null ? freeName(context, projectId, given.name) : given.name;
    const before = context.cuts.get(projectId, name);
    if ((before && revisionOf(before)) !== revision)
      throw refused('changed_since', 'common.changedSince', 'remedy.none');
    const cut = { ...given, name };
    const result = { name, revision: revisionOf(cut) };
    if (result.revision === revision) return null;
    store(context, projectId, name, cut);
    return {
      ...{ code: before ? ('cut.changed' as const) : ('cut.made' as const), facts: { name }, result },
      done: { projectId, cut, revision },
      undo: before
        ? step('cuts.save', { projectId, cut: before, revision: result.revision })
        : step('cuts.remove', { projectId, ...result }),
    };
  },

  remove(context, { projectId, name, revision }) {
    const { cut, revision: present } = cutCalled(context, projectId, name);
    if (revision !== undefined && revision !== present) {
      throw refused('changed_since', 'common.changedSince', 'remedy.none');
    }
    store(context, projectId, name, null);
    return {
      facts: { name },
      done: { projectId, name, revision: present },
      undo: step('cuts.save', { projectId, cut, revision: null }),
    };
  },

  rename(context, { projectId, name, to: wanted }) {
    const { cut } = cutCalled(context, projectId, name);
    const to = freeName(context, projectId, wanted, name);
    if (to === name) return null;
    store(context, projectId, name, null);
    store(context, projectId, to, { ...cut, name: to });
    return {
      facts: { before: name, name: to },
      done: { projectId, name, to },
      undo: step('cuts.rename', { projectId, name: to, to: name }),
    };
  },

  addSound: ({ projects }, { projectId, path }) => addSound(projectFor(projects, projectId).path, path),
};

function store({ cuts: stored, ports }: CommandContext, projectId: string, name: string, cut: Cut | null): void {
  // Later than what the folder of the project says of it, whatever the clock says.
  const changedAt = Math.max(ports.clock.now(), stored.changedAt(projectId, name) + 1);
  stored.save(projectId, { name, cut, changedAt });
}

/** A name as it is kept. Throws RefusedError for one that is none, or whose file another cut has. */
function freeName(context: CommandContext, projectId: string, wanted: string, own?: string): string {
  const name = toViewName(wanted);
  if (name === null) {
    throw refused(
      'bad_cut_name',
      messageFor('failure.badCutName', { name: wanted.slice(0, 2 * MAX_VIEW_NAME) }),
      messageFor('remedy.writeViewName', { most: MAX_VIEW_NAME }),
    );
  }
  const other = cutBeside(context, projectId, name);
  if (other && other.name !== own) {
    throw refused('cut_exists', messageFor('failure.cutExists', { name: other.name }), 'remedy.chooseOtherName');
  }
  if (own === undefined && context.cuts.list(projectId).length >= MAX_CUTS) {
    throw refused('too_many_cuts', messageFor('failure.tooManyCuts', { most: MAX_CUTS }), 'remedy.removeOneFirst');
  }
  return name;
}
