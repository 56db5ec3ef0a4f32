/** Where a query was found in a text. Positions count UTF-16 units, for marking. */
export interface FuzzyMatch {
  readonly score: number;
  readonly positions: readonly number[];
}

const BOUNDARY = 8;
const ADJACENT = 5;
const SAME_WORD = 1;

/**
 * Finds the letters of `query` in `text`, in order, gaps allowed; null when one is missing. Beginnings of words and
 * unbroken runs score higher, later finds and longer texts lower. Case and accents do not count.
 */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | null {
  const wanted = [...fold(query)].filter((letter) => letter.trim() !== '');
  if (wanted.length === 0) return { score: 0, positions: [] };
  const letters = [...text].map(fold);
  // The first letter may occur several times; the best of the starts wins.
  let best: FuzzyMatch | null = null;
  for (let start = 0; start < letters.length; start += 1) {
    if (letters[start] !== wanted[0]) continue;
    const match = matchFrom(letters, wanted, start);
    if (match === null) break;
    if (best === null || match.score > best.score) best = match;
  }
  if (best === null) return null;
  const offsets = offsetsOf(text);
  return { score: best.score, positions: best.positions.map((position) => offsets[position] ?? position) };
}

function matchFrom(letters: readonly string[], wanted: readonly string[], start: number): FuzzyMatch | null {
  const positions: number[] = [];
  let score = -start * 0.1 - letters.length * 0.02;
  let from = start;
  for (const letter of wanted) {
    const at = nextPosition(letters, letter, from, positions.at(-1));
    if (at === -1) return null;
    if (isBoundary(letters, at)) score += BOUNDARY;
    if (at - 1 === positions.at(-1)) score += ADJACENT;
    else score += SAME_WORD - Math.min(4, at - from) * 0.5;
    positions.push(at);
    from = at + 1;
  }
  return { score, positions };
}

/** The letter right after the last find, else the next beginning of a word with it, else its next occurrence. */
function nextPosition(letters: readonly string[], letter: string, from: number, last: number | undefined): number {
  if (last === undefined || letters[from] === letter) return letters.indexOf(letter, from);
  for (let at = from; at < letters.length; at += 1) {
    if (letters[at] === letter && isBoundary(letters, at)) return at;
  }
  return letters.indexOf(letter, from);
}

function isBoundary(letters: readonly string[], at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(letters[at - 1] ?? ' ');
}

function offsetsOf(text: string): number[] {
  const offsets: number[] = [];
  let offset = 0;
  for (const letter of text) {
    offsets.push(offset);
    offset += letter.length;
  }
  return offsets;
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The items that fit, best first; all of them, in their order, for an empty query. */
export function fuzzyFilter<Item>(
  query: string,
  items: readonly Item[],
  textOf: (item: Item) => string,
): { item: Item; match: FuzzyMatch }[] {
  const found = items.flatMap((item) => {
    const match = fuzzyMatch(query, textOf(item));
    return match === null ? [] : [{ item, match }];
  });
  return query.trim() === '' ? found : found.sort((a, b) => b.match.score - a.match.score);
}
