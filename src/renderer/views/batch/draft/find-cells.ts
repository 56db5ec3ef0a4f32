export interface FindQuery {
  readonly text: string;
  readonly matchCase: boolean;
  /** The cell says this and nothing else, spaces around it apart. */
  readonly wholeCell: boolean;
}

export interface Finder {
  readonly matches: (cell: string) => boolean;
  readonly count: (cell: string) => number;
  readonly replaced: (cell: string, by: string) => string;
}

/** Finds a plain text; null for an empty one. Case counts or not, letter by letter, in any script. */
export function finderFor({ text, matchCase, wholeCell }: FindQuery): Finder | null {
  if ((wholeCell ? text.trim() : text) === '') return null;
  // The whole text is escaped, so every character means itself and a search takes linear time.
  const plain = (wholeCell ? text.trim() : text).replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const flags = matchCase ? 'u' : 'iu';
  const pattern = wholeCell ? String.raw`^\s*${plain}\s*$` : plain;
  const [one, all] = [new RegExp(pattern, flags), new RegExp(pattern, `${flags}g`)];
  return {
    matches: (cell) => one.test(cell),
    count: (cell) => cell.match(all)?.length ?? 0,
    // A function, because the new text may hold `$` signs that a replacement string would read as references.
    replaced: (cell, by) => cell.replaceAll(all, () => by),
  };
}
