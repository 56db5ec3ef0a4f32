import { computeCommandScore } from 'bits-ui';
import { t } from '../../../../contract/messages/words.ts';
import type { TakeView } from '../../../../contract/review.ts';
import { groupHeading } from '../../keys.ts';
import type { Command } from '../../state/commands.svelte.ts';

export interface Entry {
  readonly command: Command;
  readonly heading: string | null;
  readonly take?: TakeView;
}

const MAX_RECENT = 5;
const MAX_TAKES = 8;
/** A match by letters from the middle of words has less. */
const LEAST_GOOD = 0.2;
const KEYWORD = 0.95;

/** Takes that were found come after commands that match as well, and before those with the letters alone. */
export function entriesFor(
  query: string,
  available: readonly Command[],
  recent: readonly string[],
  takes: readonly Entry[] = [],
): Entry[] {
  if (query.trim() !== '') {
    const matching = available
      .map((command) => ({ command, score: scoreFor(command, query), weight: weightFor(command.id, recent) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score * b.weight - a.score * a.weight);
    const isGood = ({ command, score }: (typeof matching)[number]) =>
      score >= LEAST_GOOD || has(command.title, query.trim());
    const good = matching.filter(isGood).map(({ command }) => command);
    const loose = matching.filter((match) => !isGood(match)).map(({ command }) => command);
    return [...under(null, good), ...takes, ...under(takes.length > 0 ? t('window.commands') : null, loose)];
  }
  const latest = recent.flatMap((id) => available.find((command) => command.id === id) ?? []).slice(0, MAX_RECENT);
  const others = Map.groupBy(
    available.filter((command) => command.isSearchedFor !== true && !latest.includes(command)),
    ({ group }) => groupHeading(group),
  );
  return [[t('group.recent'), latest] as const, ...others].flatMap(([heading, members]) => under(heading, members));
}

const under = (heading: string | null, members: readonly Command[]): Entry[] =>
  members.map((command, index) => ({ command, heading: index === 0 ? heading : null }));

/** Recent use decides between like matches, and never lifts a loose one over a good one. */
function weightFor(id: string, recent: readonly string[]): number {
  const at = recent.indexOf(id);
  return at < 0 ? 1 : 2 - at / recent.length;
}

/** Takes that the engine found for a text, those of the shot with that key first, then those used last. */
export function takeEntries(
  query: string,
  { text, takes, total }: { text: string; takes: readonly TakeView[]; total: number },
  recent: readonly string[],
  show: (detail: Record<string, string>) => void,
): Entry[] {
  const words = query.toLowerCase().split(/\s+/);
  const entries = takes
    .map((take) => ({ take, id: `take-${take.id}`, isShot: take.shot.toLowerCase() === words.join(' ') }))
    .toSorted((a, b) => Number(b.isShot) - Number(a.isShot) || weightFor(b.id, recent) - weightFor(a.id, recent))
    .slice(0, MAX_TAKES)
    .map(({ take, id }, index): Entry => {
      const title = t('review.takeName', { shot: take.shot, take: take.take });
      const command: Command = { id, title, group: 'Takes', run: () => show({ take: take.id }) };
      return { command, take, heading: index === 0 ? groupHeading('Takes') : null };
    });
  if (text !== query || total <= entries.length) return entries;
  const title = t('window.showTakesFound', { count: total });
  return [
    ...entries,
    { command: { id: 'all-takes', title, group: 'Review', run: () => show({ text }) }, heading: null },
  ];
}

/**
 * A keyword matches from its beginning only, so that its letters do not add to loose matches. It comes after a title that
 * begins with the text.
 */
function scoreFor({ title, keywords = '', group }: Command, query: string): number {
  if (has(` ${keywords}`, ` ${query.trim()}`)) return KEYWORD;
  return computeCommandScore(withoutAccents(`${title} ${groupHeading(group)}`), withoutAccents(query.trim()));
}

const has = (text: string, part: string): boolean =>
  withoutAccents(text).toLowerCase().includes(withoutAccents(part).toLowerCase());

const withoutAccents = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');
