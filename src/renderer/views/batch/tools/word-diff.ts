import { diffArrays } from 'diff';
import { spoken } from '../../../../contract/messages/words.ts';

export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

const LONGEST_SHOWN = 4000;
/** With more different words than this, marking them helps nobody. */
const MOST_DIFFERENCES = 400;

const words = new Intl.Segmenter(spoken(), { granularity: 'word' });
const wordsOf = (text: string): string[] => Array.from(words.segment(text), ({ segment }) => segment);

/** Two texts in pieces, with the words marked that only one of them has. Both are cut where they are too long to read. */
export function wordDiff(before: string, after: string): { readonly before: Piece[]; readonly after: Piece[] } {
  const [one, other] = [cut(before), cut(after)];
  const changes = diffArrays(wordsOf(one), wordsOf(other), { maxEditLength: MOST_DIFFERENCES });
  if (changes === undefined) {
    return { before: [{ text: one, isChanged: true }], after: [{ text: other, isChanged: true }] };
  }
  const piecesWithout = (left: 'added' | 'removed'): Piece[] =>
    changes
      .filter((change) => !change[left])
      .map(({ value, added, removed }) => ({ text: value.join(''), isChanged: added || removed }));
  return { before: piecesWithout('added'), after: piecesWithout('removed') };
}

/** A text that is cut where it is longer than `most` characters. */
export const cut = (text: string, most = LONGEST_SHOWN): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
