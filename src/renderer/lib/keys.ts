import { t, type MessageKey } from '../../contract/messages/words.ts';

const macKeys: Readonly<Record<string, string>> = { $mod: '⌘', Shift: '⇧', Alt: '⌥', Control: '⌃' };
const allKeys: Readonly<Record<string, string>> = {
  $mod: 'Ctrl',
  Control: 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/**
 * How keys in tinykeys' notation are written for people: `⌘K` or `Ctrl+K`. Modifiers in brackets are allowed, not
 * needed, and left out; the presses of a sequence (`g p`) are separated by a blank.
 */
export function writeKeys(keys: string, isMac: boolean): string {
  return keys
    .split(' ')
    .map((press) =>
      press
        .replace(/\[\w+\]\+/g, '')
        .split('+')
        .map(
          (key) => (isMac ? macKeys[key] : undefined) ?? allKeys[key] ?? (key.length === 1 ? key.toUpperCase() : key),
        )
        .join(isMac ? '' : '+'),
    )
    .join(' ');
}

const groups = {
  Batch: 'common.batch',
  Everywhere: 'group.everywhere',
  Go: 'group.go',
  Library: 'place.library',
  Picture: 'group.picture',
  Player: 'group.player',
  Projects: 'place.projects',
  Queue: 'place.queue',
  Research: 'place.research',
  Review: 'place.review',
  'Shot list': 'place.batch',
  Takes: 'group.takes',
  Verdict: 'group.verdict',
} as const satisfies Readonly<Record<string, MessageKey>>;
export type CommandGroup = keyof typeof groups;

export const groupHeading = (group: CommandGroup): string => t(groups[group]);

export interface KeyHint {
  readonly title: string;
  readonly group: CommandGroup;
  readonly keys: string;
}

export interface KeyLine {
  readonly title: string;
  readonly ways: readonly string[];
}

/**
 * Keys by their groups, one line for each meaning with all its keys. A key that a view shares with all others is listed
 * with the view while that is shown; the view's hints come last.
 */
export function keySheet(hints: readonly KeyHint[]): ReadonlyMap<CommandGroup, readonly KeyLine[]> {
  const shown = hints.filter(
    (hint, index) =>
      !hints.slice(index + 1).some(({ title, group, keys }) => {
        return title === hint.title && keys === hint.keys && group !== hint.group;
      }),
  );
  const byGroup = Map.groupBy(shown, ({ group }) => group);
  return new Map([...byGroup].map(([group, all]) => [group, toLines(all)]));
}

function toLines(hints: readonly KeyHint[]): KeyLine[] {
  return [...Map.groupBy(hints, ({ title }) => title)].map(([title, same]) => ({
    title,
    ways: [...new Set(same.map(({ keys }) => keys))],
  }));
}

/** Rows that Page Down moves by in a list of this height, px: one less than fit, so that the eye keeps its place. */
export const rowsOfPage = (height: number, rowHeight: number): number =>
  Math.max(1, Math.floor(height / rowHeight) - 1);

/**
 * The row that a movement key leads to from row `at`; null for other keys. -1 means no row yet. Tiles stand in lines of
 * `columns`: up and down stay in the column as far as the line goes. Pure.
 */
export function rowAfterKey(
  key: string,
  at: number,
  { rows, page, columns = 1 }: { rows: number; page: number; columns?: number },
): number | null {
  const lastLine = Math.ceil(rows / columns) - 1;
  const below = (lines: number): number =>
    Math.max(0, Math.min(Math.floor(at / columns) + lines, lastLine)) * columns + Math.max(0, at % columns);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: below(1),
    ArrowUp: below(-1),
    PageDown: below(page),
    PageUp: below(-page),
    Home: 0,
    End: rows - 1,
    ...(columns > 1 && { ArrowRight: at + 1, ArrowLeft: at - 1 }),
  };
  const to = steps[key];
  return to === undefined || rows === 0 ? null : Math.max(0, Math.min(to, rows - 1));
}
