import { v7 as uuid } from 'uuid';
import { messageFor } from '../../contract/messages/message.ts';
import { MAX_VIEW_NAME, MAX_VIEWS, viewNamed, toViewName, type SavedView } from '../../contract/review.ts';
import { refused } from '../base/errors.ts';
import { step, type CommandFunctions } from './command-function.ts';

export const savedViews: CommandFunctions<'savedViews'> = {
  save({ savedViews: store }, { id = uuid(), projectId, name: wanted, filter }) {
    const views = store.list(projectId);
    const name = freeName(views, wanted, id);
    const before = views.find((view) => view.id === id);
    if (!before && views.length >= MAX_VIEWS) {
      throw refused('too_many_views', messageFor('failure.tooManyViews', { most: MAX_VIEWS }), 'remedy.removeOneFirst');
    }
    store.save({ id, projectId, name, filter });
    const result = store.list(projectId).find((view) => view.id === id) as SavedView;
    return {
      ...(before && before.name !== name
        ? { code: 'view.renamed', facts: { before: before.name, name } }
        : { code: 'view.saved', facts: { name } }),
      result,
      done: result,
      undo: before ? step('savedViews.save', before) : step('savedViews.remove', { projectId, id }),
    };
  },

  remove({ savedViews: store }, { projectId, id }) {
    const view = store.list(projectId).find((each) => each.id === id);
    if (!view) return null;
    store.remove(projectId, id);
    return { facts: { name: view.name }, undo: step('savedViews.save', view) };
  },
};

/** A name as it is kept. Throws RefusedError for one that is none, or that another view has. */
function freeName(views: readonly SavedView[], wanted: string, id: string): string {
  const name = toViewName(wanted);
  if (name === null) {
    throw refused(
      'bad_view_name',
      messageFor('failure.badViewName', { name: wanted.slice(0, 2 * MAX_VIEW_NAME) }),
      messageFor('remedy.writeViewName', { most: MAX_VIEW_NAME }),
    );
  }
  const other = viewNamed(views, name);
  if (!other || other.id === id) return name;
  throw refused('view_exists', messageFor('failure.viewExists', { name }), 'remedy.chooseOtherName');
}
