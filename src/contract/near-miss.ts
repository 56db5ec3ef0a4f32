/** Words shorter than this resemble each other by chance. */
const SHORTEST = 4;

/** The candidate that `word` is probably a misspelling of, or null. One mistake in short words, two in long ones. */
export function nearestWord(word: string, candidates: Iterable<string>): string | null {
  if (word.length < SHORTEST || word.length > 40) return null;
  const allowed = word.length < 7 ? 1 : 2;
  let best: string | null = null;
  let fewest = allowed + 1;
  for (const candidate of candidates) {
    if (candidate.length < SHORTEST || Math.abs(candidate.length - word.length) > allowed) continue;
    const count = mistakesBetween(word, candidate);
    // Letters are swapped or mistaken more often than left out.
    const sameLength = count === fewest && candidate.length === word.length && best?.length !== word.length;
    if (count < fewest || (best !== null && sameLength)) {
      best = candidate;
      fewest = count;
    }
  }
  return best;
}

/** Letters to add, leave out, replace or swap with their neighbour to get from one word to the other. */
function mistakesBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cheapest = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(swapped ? Math.min(cheapest, (beforeLast[j - 2] ?? 0) + 1) : cheapest);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
