import { say } from '../../contract/messages/words.ts';
import { join } from 'node:path';
import { parseTakeSearch } from '../../contract/take-search.ts';
import { tagsOf, type TakeView } from '../../contract/review.ts';
import { ReviewStore } from '../../engine/db/review-store.ts';
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
  readonly json?: boolean;
}

/** A take with the folder of its project: files are named from there. */
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
  print(say('cli.takesFound', { count: listed.length }));
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
  return wanted.flatMap((scope) =>
    review
      .ids({ ...scope, sort: 'list', ...(options.where !== undefined && { text: options.where }) })
      .map((id) => ({ id, folder: projects.get(scope.projectId) ?? '' })),
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
  const { id, shot, state, standing, kind, model, batch, files, verdict } = take;
  const [file] = files;
  return {
    ...{ type: 'take', shot, take: take.take, state, standing },
    file: file === undefined ? null : join(folder, file),
    files: files.map((each) => join(folder, each)),
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
      take.state.replaceAll('_', ' '),
      take.verdict.rating === 0 ? '' : String(take.verdict.rating),
      take.verdict.flag ?? '',
      shortText(tagsOf(take.verdict).join(', '), 24),
      take.files.map(plainText).join(', '),
    ]),
  );
}
