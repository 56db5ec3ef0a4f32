import { computeCommandScore } from 'bits-ui';
import { t } from '../../../../contract/messages/words.ts';
import { groupHeading } from '../../keys.ts';
import type { Command } from '../../state/commands.svelte.ts';

export interface Entry {
  readonly command: Command;
  readonly heading: string | null;
}

export function entriesFor(query: string, available: readonly Command[], recent: readonly string[]): Entry[] {
  if (query.trim() !== '') {
    return available
      .map((command) => ({ command, heading: null, score: scoreFor(command, query) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score);
  }
  const latest = recent.flatMap((id) => available.find((command) => command.id === id) ?? []);
  const others = Map.groupBy(
    available.filter((command) => command.isSearchedFor !== true && !latest.includes(command)),
    ({ group }) => groupHeading(group),
  );
  return [[t('group.recent'), latest] as const, ...others].flatMap(([heading, members]) =>
    members.map((command, index) => ({ command, heading: index === 0 ? heading : null })),
  );
}

/** A keyword matches from its beginning only, so that its letters do not add to loose matches. */
function scoreFor({ title, keywords = '', group }: Command, query: string): number {
  const wanted = withoutAccents(query.trim());
  const isKeyword = ` ${withoutAccents(keywords)}`.toLowerCase().includes(` ${wanted.toLowerCase()}`);
  return isKeyword ? 1 : computeCommandScore(withoutAccents(`${title} ${groupHeading(group)}`), wanted);
}

const withoutAccents = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');
