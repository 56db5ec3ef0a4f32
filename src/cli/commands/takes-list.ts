import { say } from '../../contract/messages/words.ts';
import { join } from 'node:path';
import { joinSearches, parseTakeSearch } from '../../contract/take-search.ts';
import { tagsOf, type TakeView } from '../../contract/review.ts';
import { viewNamed, type ViewFilter } from '../../contract/saved-views.ts';
import { ReviewStore } from '../../engine/db/review-store.ts';
import { SavedViewStore } from '../../engine/db/saved-view-store.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { shortId } from '../job-ids.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, shortText, tableLines } from '../output/text.ts';
import { viewDataFolder, wantedProjects, wantedScopes, type View } from '../read-only-view.ts';
import { printTo, type Session } from '../session.ts';

export interface TakesListOptions {
  readonly project?: string;
  readonly batch?: string;
  /** See `parseTakeSearch`. */
  readonly where?: string;
  /** Name of a saved view of the project; the other options narrow it further. */
  readonly view?: string;
  readonly json?: boolean;
}

/** A take with the folder of its project, which its files are relative to. */
interface Listed {
  readonly take: TakeView;
  readonly folder: string;
}

/** Lists the takes that fit a search, in the order of their lists, beside a running engine too. */
export function listTakes(session: Session, options: TakesListOptions): ExitStatus {
  requireReadable(options.where);
  const listed = viewDataFolder(session.dataFolder, (view) => (view ? takesOf(view, options, session) : []));
  if (options.json) {
    for (const each of listed) session.shell.stdout.write(jsonLine(asObject(each)));
    return exitStatus.saved;
  }
  const print = printTo(session);
  for (const line of tableOf(listed)) print(line);
  print(say('common.takes', { count: listed.length }));
  return exitStatus.saved;
}

/** Throws UsageError for a search that cannot be read. */
export function requireReadable(where = ''): void {
  const search = parseTakeSearch(where);
  if (!search.ok) throw new UsageError(plainText(search.problem), say('cli.seeSearch'));
}

/** Ids of the takes that fit, with the folder of their project. */
export function fittingTakes(
  view: View,
  options: TakesListOptions,
  session: Session,
): { id: string; folder: string }[] {
  const review = new ReviewStore(view.db, view.jobs);
  const projects = new Map(wantedProjects(view, options, session).map((project) => [project.id, project.path]));
  const scopes = wantedScopes(view, options, session);
  const wanted = scopes.flatMap((scope) =>
    scope.projectId === undefined
      ? [...projects.keys()].map((projectId) => ({ projectId }))
      : [{ ...scope, projectId: scope.projectId }],
  );
  const saved = options.view === undefined ? null : viewsNamed(view, options.view, [...projects.keys()]);
  return wanted.flatMap((scope) => {
    const kept = saved?.get(scope.projectId);
    if (saved && !kept) return [];
    const text = joinSearches(...[kept?.text, options.where].filter((each) => each !== undefined));
    requireReadable(text);
    return review
      .ids({ sort: 'list', ...kept, ...scope, ...(text !== '' && { text }) })
      .map((id) => ({ id, folder: projects.get(scope.projectId) ?? '' }));
  });
}

/**
 * The saved views with that name, by project. Throws UsageError when no project has one, and names the existing ones.
 */
function viewsNamed(view: View, name: string, projectIds: readonly string[]): Map<string, ViewFilter> {
  const store = new SavedViewStore(view.db);
  const all = projectIds.map((projectId) => ({ projectId, views: store.list(projectId) }));
  const found = all.flatMap(({ projectId, views }) => {
    const named = viewNamed(views, name.normalize('NFC').trim());
    return named ? [[projectId, named.filter] as const] : [];
  });
  if (found.length > 0) return new Map(found);
  const names = [...new Set(all.flatMap(({ views }) => views.map((each) => plainText(each.name))))];
  throw new UsageError(
    say('cli.noView', { name: plainText(name) }),
    names.length === 0 ? say('cli.noViewsYet') : say('cli.viewNames', { names }),
  );
}

function takesOf(view: View, options: TakesListOptions, session: Session): Listed[] {
  const review = new ReviewStore(view.db, view.jobs);
  return fittingTakes(view, options, session).flatMap(({ id, folder }) => {
    const take = review.take(id);
    return take ? [{ take, folder }] : [];
  });
}

function asObject({ take, folder }: Listed): object {
  const { id, shot, state, standing, kind, model, batch, files, verdict, trash } = take;
  const [file] = files;
  return {
    ...{ type: 'take', shot, take: take.take, state, standing },
    file: file === undefined ? null : join(folder, file),
    files: files.map((each) => join(folder, each)),
    ...(trash && { trash }),
    ...{ id, batch, kind, model },
    ...{ rating: verdict.rating, flag: verdict.flag, note: verdict.note, tags: tagsOf(verdict) },
  };
}

function tableOf(listed: readonly Listed[]): string[] {
  if (listed.length === 0) return [];
  const columns = [
    { title: say('cli.id') },
    { title: say('cli.batch') },
    { title: say('cli.shot') },
    { title: say('cli.take'), align: 'right' as const },
    { title: say('cli.state') },
    { title: say('review.rating'), align: 'right' as const },
    { title: say('review.flag') },
    { title: say('review.tags') },
    { title: say('common.files') },
  ];
  return tableLines(
    columns,
    listed.map(({ take }) => [
      shortId(take.id),
      shortText(take.batch, 24),
      shortText(take.shot, 24),
      String(take.take),
      (take.trash ?? take.state).replaceAll('_', ' '),
      take.verdict.rating === 0 ? '' : String(take.verdict.rating),
      take.verdict.flag ?? '',
      shortText(tagsOf(take.verdict).join(', '), 24),
      take.files.map(plainText).join(', '),
    ]),
  );
}
