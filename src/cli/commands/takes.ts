import { join } from 'node:path';
import { MAX_IDS } from '../../contract/commands/jobs.ts';
import { say } from '../../contract/messages/words.ts';
import { tagsOf, type TakeView } from '../../contract/review.ts';
import { viewNamed, type ViewFilter } from '../../contract/saved-views.ts';
import { MOST_TAGS } from '../../contract/tags.ts';
import { joinSearches, parseTakeSearch } from '../../contract/take-search.ts';
import { Verdict, type VerdictChange } from '../../contract/verdict.ts';
import { withQuietEngine } from '../connect.ts';
import { UsageError, type ExitStatus } from '../exit.ts';
import { viewDataFolder, wantedProjects, wantedScopes, type View, type Wanted } from '../look.ts';
import { noView, shortId, takeNamed } from '../named.ts';
import { columnsOf, printList, printOne } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import type { Session } from '../session.ts';
import { BATCH, JSON_LINES, PROJECT, verb, word, type Word } from '../verb.ts';

const WHERE = word('--where <query>', 'cli.optWhere');
const TAKES = word('--take <ids...>', 'cli.optTakes');
const DRY_RUN = word('--dry-run', 'cli.optTrashDryRun');
const TAGS = [word('<TAGS...>', 'cli.argTags'), PROJECT, BATCH, WHERE, TAKES, JSON_LINES] as const;
const JUDGED = [PROJECT, BATCH, WHERE, TAKES, DRY_RUN, JSON_LINES] as const;

export const verbs = [
  verb(
    'takes list',
    'cli.helpTakesList',
    [PROJECT, BATCH, WHERE, word('--view <name>', 'cli.optView'), JSON_LINES],
    listTakes,
  ),
  verb('takes tag', 'cli.helpTakesTag', TAGS, (session, options) => tag(session, options, 'tagged')),
  verb('takes untag', 'cli.helpTakesUntag', TAGS, (session, options) => tag(session, options, 'untagged')),
  judging('rate', [word('<STARS>', 'cli.argStars')], ({ stars = '' }) => {
    const rating = Verdict.shape.rating.safeParse(/^\d$/.test(stars) ? Number(stars) : null);
    if (!rating.success) throw new UsageError(say('cli.notStars'), say('cli.notStarsRemedy'));
    return [{ rating: rating.data }, say('review.stars', { stars: rating.data })];
  }),
  judging('pick', [], () => [{ flag: 'pick' }, say('review.picked')]),
  judging('reject', [], () => [{ flag: 'reject' }, say('review.rejected')]),
  judging('unflag', [], () => [{ flag: null }, say('cli.noFlag')]),
  judging('note', [word('<TEXT>', 'cli.argTakeNote')], ({ text = '' }) => {
    const note = Verdict.shape.note.safeParse(text.trim());
    if (!note.success) throw new UsageError(say('cli.noteTooLong'), say('cli.noteTooLongRemedy'));
    const words = note.data === '' ? say('cli.noNote') : say('cli.noteIs', { note: shortText(note.data, 200) });
    return [{ note: note.data }, words];
  }),
];

interface TakesListOptions extends Wanted {
  readonly where?: string;
  readonly view?: string;
}

function listTakes(session: Session, options: TakesListOptions & { readonly json?: boolean }): ExitStatus {
  requireReadable(options.where);
  const rows = viewDataFolder(session.dataFolder, (view) =>
    fittingTakes(view, options, session).flatMap(({ id, folder }) => {
      const take = view.review.take(id);
      return take ? [{ take, folder }] : [];
    }),
  );
  return printList(session, options.json, {
    type: 'take',
    rows,
    object: asObject,
    columns: columnsOf(
      ...(['cli.id', 'cli.batch', 'cli.shot', '>cli.take', 'cli.state', '>review.rating', 'review.flag'] as const),
      ...(['review.tags', 'common.files'] as const),
    ),
    cells: ({ take: { id, batch, shot, take, trash, state, verdict, files } }) => [
      ...[shortId(id), shortText(batch, 24), shortText(shot, 24), String(take)],
      ...[(trash ?? state).replaceAll('_', ' '), verdict.rating === 0 ? '' : String(verdict.rating)],
      ...[verdict.flag ?? '', shortText(tagsOf(verdict).join(', '), 24), files.map(plainText).join(', ')],
    ],
    below: [say('common.takes', { count: rows.length })],
  });
}

function asObject({ take: view, folder }: { readonly take: TakeView; readonly folder: string }): object {
  const { id, shot, take, state, standing, kind, model, batch, verdict, trash } = view;
  const files = view.files.map((file) => join(folder, file));
  const { rating, flag, note } = verdict;
  return {
    ...{ shot, take, state, standing, file: files[0] ?? null, files, ...(trash && { trash }) },
    ...{ id, batch, kind, model, rating, flag, note, tags: tagsOf(verdict) },
  };
}

/** Throws UsageError for a search that cannot be read. */
export function requireReadable(where = ''): void {
  const search = parseTakeSearch(where);
  if (!search.ok) throw new UsageError(plainText(search.problem), say('cli.seeSearch'));
}

function fittingTakes(view: View, options: TakesListOptions, session: Session): { id: string; folder: string }[] {
  const projects = new Map(wantedProjects(view, options, session).map((project) => [project.id, project.path]));
  const wanted = wantedScopes(view, options, session).flatMap((scope) =>
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
    return view.review
      .ids({ sort: 'list', ...kept, ...scope, ...(text !== '' && { text }) })
      .map((id) => ({ id, folder: projects.get(scope.projectId) ?? '' }));
  });
}

/** The saved views with that name, by project. Throws UsageError when no project has one, and names the existing ones. */
function viewsNamed(view: View, name: string, projectIds: readonly string[]): Map<string, ViewFilter> {
  const all = projectIds.map((projectId) => ({ projectId, views: view.savedViews.list(projectId) }));
  const found = all.flatMap(({ projectId, views }) => {
    const named = viewNamed(views, name.normalize('NFC').trim());
    return named ? [[projectId, named.filter] as const] : [];
  });
  if (found.length > 0) return new Map(found);
  throw noView(
    name,
    all.flatMap(({ views }) => views.map((each) => each.name)),
  );
}

export interface TakesWanted extends TakesListOptions {
  /** Ids of takes, or their beginnings or ends. */
  readonly take?: readonly string[];
}

/**
 * Ids of the named takes, or of those that fit and are `state`. One of the two is required, and a search that fits
 * every take is refused. Throws UsageError.
 */
export function namedOrFitting(session: Session, options: TakesWanted, state = ''): string[] {
  const { where, take: named } = options;
  if ((where === undefined) === (named === undefined) || (where !== undefined && fitsAny(where))) {
    throw new UsageError(say('cli.whichTakes'), say('cli.whichTakesRemedy'));
  }
  if (named) return [...new Set(named.map((text) => takeNamed(session, text).id))];
  requireReadable(where);
  return fitting(session, options, `${state} ${where ?? ''}`);
}

function fitsAny(where: string): boolean {
  const search = parseTakeSearch(where);
  return search.ok && search.terms.length === 0;
}

export function fitting(session: Session, options: TakesWanted, where: string): string[] {
  return viewDataFolder(session.dataFolder, (view) =>
    fittingTakes(view, { ...options, where }, session).map(({ id }) => id),
  );
}

/** Gives takes a verdict, so many in one call as an engine takes. */
async function judge(session: Session, takeIds: readonly string[], verdict: VerdictChange): Promise<void> {
  if (takeIds.length === 0) return;
  await withQuietEngine(session, 'dailies takes', async ({ api: { takes } }) => {
    for (let start = 0; start < takeIds.length; start += MAX_IDS) {
      await takes.judge({ ids: takeIds.slice(start, start + MAX_IDS), verdict });
    }
  });
}

/** A search is required, so that a slip does not tag all takes. */
async function tag(
  session: Session,
  options: TakesWanted & { readonly tags: readonly string[]; readonly json?: boolean },
  type: 'tagged' | 'untagged',
): Promise<ExitStatus> {
  const { tags } = options;
  if (tags.length > MOST_TAGS)
    throw new UsageError(say('cli.mostTags', { most: MOST_TAGS }), say('cli.mostTagsRemedy'));
  const takeIds = namedOrFitting(session, options);
  await judge(session, takeIds, type === 'tagged' ? { addTags: [...tags] } : { removeTags: [...tags] });
  const facts = { count: takeIds.length, tags: tags.map(plainText) };
  const line = type === 'tagged' ? say('cli.takesTagged', facts) : say('cli.takesUntagged', facts);
  return printOne(session, options.json, { type, tags, takes: takeIds.length }, line);
}

/** A verb that sets something of a verdict; `changeOf` says what, with its text for a person. */
function judging(
  name: 'rate' | 'pick' | 'reject' | 'unflag' | 'note',
  argument: readonly Word[],
  changeOf: (given: { readonly stars?: string; readonly text?: string }) => readonly [VerdictChange, string],
) {
  return verb(`takes ${name}`, `cli.helpTakes.${name}`, [...argument, ...JUDGED], async (session, options) => {
    const { dryRun, json } = options;
    const [change, verdict] = changeOf(options as object);
    const takeIds = namedOrFitting(session, options);
    if (!dryRun) await judge(session, takeIds, change);
    const facts = { count: takeIds.length, verdict };
    const object = { type: dryRun ? 'would_judge' : 'judged', ...change, takes: takeIds.length };
    const line = dryRun ? say('cli.wouldJudge', facts) : say('cli.takesJudged', facts);
    return printOne(session, json, object, line);
  });
}
