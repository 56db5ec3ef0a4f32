import { say } from '../../contract/messages/words.ts';
import { viewNamed, type SavedView, type ViewFilter } from '../../contract/saved-views.ts';
import { SavedViewStore } from '../../engine/db/saved-view-store.ts';
import { withQuietEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, shortText } from '../output/text.ts';
import { noProjectAt, viewDataFolder, wantedProjects, wantedScopes, type View } from '../read-only-view.ts';
import { printTo, type Session } from '../session.ts';
import { requireReadable } from './takes-list.ts';

interface OfProject {
  readonly project: string;
}

interface OfView extends OfProject {
  readonly view: string;
}

/** Lists the saved views of a project. */
export function listViews(session: Session, options: OfProject & { readonly json?: boolean }): ExitStatus {
  const views = viewDataFolder(session.dataFolder, (view) => viewsOf(view, options, session).views);
  if (options.json) {
    for (const view of views) session.shell.stdout.write(jsonLine({ type: 'view', ...view }));
    return exitStatus.saved;
  }
  const print = printTo(session);
  if (views.length === 0) print(say('cli.noViews'));
  for (const { name, filter } of views) {
    // What `filter` holds besides its search is in --json, and in review.
    const search = filter.text ?? '';
    print(say('cli.view', { name: plainText(name), search: search === '' ? '' : shortText(search, 200) }));
  }
  return exitStatus.saved;
}

/** Keeps a search of takes under a name; another one with that name stays. */
export async function saveView(
  session: Session,
  options: OfProject & { readonly name: string; readonly where: string; readonly batch?: string },
): Promise<ExitStatus> {
  const { name, where } = options;
  requireReadable(where);
  const { projectId, batchId } = viewDataFolder(session.dataFolder, (view) => {
    const known = viewsOf(view, options, session);
    const [scope] = view ? wantedScopes(view, options, session) : [];
    return { ...known, batchId: scope?.batchId };
  });
  const filter: ViewFilter = { text: where, sort: 'list', ...(batchId !== undefined && { batchId }) };
  await withQuietEngine(session, 'dailies views', ({ api }) => api.savedViews.save({ projectId, name, filter }));
  printTo(session)(say('review.viewSaved', { name: plainText(name) }));
  return exitStatus.saved;
}

export async function renameView(session: Session, options: OfView & { readonly name: string }): Promise<ExitStatus> {
  const view = viewCalled(session, options);
  await withQuietEngine(session, 'dailies views', ({ api }) => api.savedViews.save({ ...view, name: options.name }));
  printTo(session)(say('cli.viewRenamed', { before: plainText(view.name), name: plainText(options.name) }));
  return exitStatus.saved;
}

export async function removeView(session: Session, options: OfView): Promise<ExitStatus> {
  const { id, projectId, name } = viewCalled(session, options);
  await withQuietEngine(session, 'dailies views', ({ api }) => api.savedViews.remove({ projectId, id }));
  printTo(session)(say('cli.viewRemoved', { name: plainText(name) }));
  return exitStatus.saved;
}

function viewCalled(session: Session, options: OfView): SavedView {
  const { views } = viewDataFolder(session.dataFolder, (view) => viewsOf(view, options, session));
  const found = viewNamed(views, options.view.normalize('NFC').trim());
  if (found) return found;
  const names = views.map(({ name }) => plainText(name));
  throw new UsageError(
    say('cli.noView', { name: plainText(options.view) }),
    names.length === 0 ? say('cli.noViewsYet') : say('cli.viewNames', { names }),
  );
}

/** Throws UsageError for a folder that is no project here. */
function viewsOf(
  view: View | null,
  options: OfProject,
  session: Session,
): { readonly projectId: string; readonly views: SavedView[] } {
  const [project] = view ? wantedProjects(view, { project: options.project }, session) : [];
  if (!view || !project) throw noProjectAt(session, options.project);
  return { projectId: project.id, views: new SavedViewStore(view.db).list(project.id) };
}
