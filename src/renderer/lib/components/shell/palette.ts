import { fuzzyFilter } from '../../fuzzy.ts';
import type { Command } from '../../state/commands.svelte.ts';
import { Persisted } from '../../state/persisted.svelte.ts';

const REMEMBERED = 5;

/** One line of the palette. */
export interface Entry {
  readonly command: Command;
  /** Letters of the title that were typed. */
  readonly marked: ReadonlySet<number>;
  /** Heading above this line, where a new group begins. */
  readonly heading: string | null;
}

/** What the palette shows: recent commands first, then all by group; or what fits the query, best first. */
export function entriesFor(query: string, available: readonly Command[], recent: readonly string[]): Entry[] {
  if (query.trim() !== '') {
    return fuzzyFilter(query, available, (command) => `${command.title} ${command.group}`).map(({ item, match }) => ({
      command: item,
      marked: new Set(match.positions),
      heading: null,
    }));
  }
  const latest = recent.flatMap((id) => available.find((command) => command.id === id) ?? []);
  const groups = Map.groupBy(
    available.filter((command) => !latest.includes(command)),
    (command) => command.group,
  );
  return [...section('Recent', latest), ...[...groups].flatMap(([group, members]) => section(group, members))];
}

function section(heading: string, members: readonly Command[]): Entry[] {
  return members.map((command, index) => ({ command, marked: new Set(), heading: index === 0 ? heading : null }));
}

const areIds = (stored: unknown): stored is string[] =>
  Array.isArray(stored) && stored.every((each) => typeof each === 'string');

/** Ids of the commands run last from the palette, newest first. */
export const recentCommands = new Persisted<readonly string[]>('recent-commands', [], areIds);

export function rememberCommand(id: string): void {
  recentCommands.current = [id, ...recentCommands.current.filter((each) => each !== id)].slice(0, REMEMBERED);
}
