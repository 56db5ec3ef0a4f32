import { say } from '../../contract/messages/words.ts';
import { parseTakeSearch } from '../../contract/take-search.ts';
import { UsageError } from '../exit.ts';
import { viewDataFolder } from '../read-only-view.ts';
import type { Session } from '../session.ts';
import { takeNamed } from './takes.ts';
import { fittingTakes, requireReadable, type TakesListOptions } from './takes-list.ts';

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
    view ? fittingTakes(view, { ...options, where }, session).map(({ id }) => id) : [],
  );
}
