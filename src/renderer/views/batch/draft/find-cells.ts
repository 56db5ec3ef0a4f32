/** What is looked for in the cells of a list. */
export interface FindQuery {
  readonly text: string;
  readonly matchCase: boolean;
  /** The cell says this and nothing else, spaces around it apart. */
  readonly wholeCell: boolean;
}

export interface Finder {
  readonly matches: (cell: string) => boolean;
  /** How often the text occurs in a cell. */
  readonly count: (cell: string) => number;
  readonly replaced: (cell: string, by: string) => string;
}

/** Finds a plain text; null where nothing is sought. Upper and lower case are told apart letter by letter, in any script. */
export function finderFor({ text, matchCase, wholeCell }: FindQuery): Finder | null {
  if ((wholeCell ? text.trim() : text) === '') return null;
  // The text is escaped whole, so that every character stands for itself and a search takes linear time.
  const plain = (wholeCell ? text.trim() : text).replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const flags = matchCase ? 'u' : 'iu';
  const pattern = wholeCell ? String.raw`^\s*${plain}\s*$` : plain;
  const [one, all] = [new RegExp(pattern, flags), new RegExp(pattern, `${flags}g`)];
  return {
    matches: (cell) => one.test(cell),
    count: (cell) => cell.match(all)?.length ?? 0,
    // A function, because a text may hold what a replacement string would read as a reference.
    replaced: (cell, by) => cell.replaceAll(all, () => by),
  };
}
