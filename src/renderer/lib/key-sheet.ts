/** What a key does, for the key sheet. */
export interface KeyHint {
  readonly title: string;
  /** Heading in the key sheet. */
  readonly group: string;
  /** In tinykeys' notation. */
  readonly keys: string;
}

export interface KeyLine {
  readonly title: string;
  /** Every way to have it, in tinykeys' notation. */
  readonly ways: readonly string[];
}

/**
 * Keys by their headings, each meaning on one line with every way to have it. What a view does with a key that means
 * the same everywhere stands with the view, whose key it is while that is shown; later hints are those of the view.
 */
export function keySheet(hints: readonly KeyHint[]): ReadonlyMap<string, readonly KeyLine[]> {
  const shown = hints.filter(
    (hint, index) =>
      !hints.slice(index + 1).some(({ title, group, keys }) => {
        return title === hint.title && keys === hint.keys && group !== hint.group;
      }),
  );
  const groups = Map.groupBy(shown, ({ group }) => group);
  return new Map([...groups].map(([group, all]) => [group, linesOf(all)]));
}

function linesOf(hints: readonly KeyHint[]): KeyLine[] {
  return [...Map.groupBy(hints, ({ title }) => title)].map(([title, same]) => ({
    title,
    ways: [...new Set(same.map(({ keys }) => keys))],
  }));
}
