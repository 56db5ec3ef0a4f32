import { MAX_IDS } from '../../contract/commands/jobs.ts';
import { joinSearches, parseTakeSearch } from '../../contract/take-search.ts';
import { t } from '../../contract/messages/words.ts';
import type { VerdictChange } from '../../contract/verdict.ts';
import { withQuietEngine } from '../connect.ts';
import { refused, UsageError } from '../exit.ts';
import { takeNamed, type View, viewDataFolder, viewsCalled, wantedProjects, wantedScopes } from '../look.ts';
import type { Session } from '../session.ts';
import { BATCH, type Given, JSON_LINES, PROJECT, word } from '../verb.ts';

/* Which takes a command is about, and what it sets of their verdicts. */

const WHERE = word('--where <query>', 'cli.optWhere');
export const DRY_RUN = word('--dry-run', 'cli.optTrashDryRun');
export const LIST = [PROJECT, BATCH, WHERE, word('--view <name>', 'cli.optView'), JSON_LINES] as const;
/** A search is required, so that a slip does not change all takes. */
export const TAGGED = [PROJECT, BATCH, WHERE, word('--take <ids...>', 'cli.argJobId'), JSON_LINES] as const;
export const CHOSEN = [...TAGGED, DRY_RUN] as const;

/** Throws UsageError for a search that cannot be read. */
export function requireReadable(where = ''): void {
  const search = parseTakeSearch(where);
  if (!search.ok) throw new UsageError(search.problem, t('cli.seeSearch'));
}

/** Options that name takes. */
type TakesWanted = Partial<Omit<Given<typeof LIST>, 'json'> & Given<typeof TAGGED>>;

export function fittingTakes(view: View, options: TakesWanted, session: Session): { id: string; folder: string }[] {
  const projects = new Map(wantedProjects(view, options, session).map((project) => [project.id, project.path]));
  const wanted = wantedScopes(view, options, session).flatMap((scope) =>
    scope.projectId === undefined
      ? [...projects.keys()].map((projectId) => ({ projectId }))
      : [{ ...scope, projectId: scope.projectId }],
  );
  const saved = options.view === undefined ? null : viewsCalled(view, options.view, [...projects.keys()]);
  return wanted.flatMap((scope) => {
    const kept = saved?.find(({ projectId }) => projectId === scope.projectId)?.filter;
    if (saved && !kept) return [];
    const text = joinSearches(...[kept?.text, options.where].filter((each) => each !== undefined));
    requireReadable(text);
    return view.review
      .ids({ sort: 'list', ...kept, ...scope, ...(text !== '' && { text }) })
      .map((id) => ({ id, folder: projects.get(scope.projectId) ?? '' }));
  });
}

/** Ids of the named takes, or of fitting ones that are `state`; never of all. Throws UsageError without either. */
export function namedOrFitting(session: Session, options: TakesWanted, state = ''): string[] {
  const { where, take: named } = options;
  if ((where === undefined) === (named === undefined) || (where !== undefined && fitsAny(where))) {
    throw refused('cli.whichTakes');
  }
  if (named) return [...new Set(named.map((text) => takeNamed(session, text).id))];
  requireReadable(where);
  return fitting(session, options, `${state} ${where ?? ''}`);
}

function fitsAny(where: string): boolean {
  const search = parseTakeSearch(where);
  return search.ok && search.terms.length === 0;
}

export const fitting = (session: Session, options: TakesWanted, where: string): string[] =>
  viewDataFolder(session.dataFolder, (view) => fittingTakes(view, { ...options, where }, session).map(({ id }) => id));

export async function judge(session: Session, takeIds: readonly string[], verdict: VerdictChange): Promise<void> {
  if (takeIds.length === 0) return;
  await withQuietEngine(session, async ({ api: { takes } }) => {
    for (let start = 0; start < takeIds.length; start += MAX_IDS) {
      await takes.judge({ ids: takeIds.slice(start, start + MAX_IDS), verdict });
    }
  });
}
