import { diffArrays } from 'diff';
import { spoken } from '../../contract/messages/words.ts';

export interface Piece {
  readonly text: string;
  readonly is: 'same' | 'added' | 'removed';
}

const MAX_SHOWN = 4000;
/** With more different words than this, marking them helps nobody. */
const MAX_DIFFERENCES = 400;

const words = new Intl.Segmenter(spoken(), { granularity: 'word' });
const toWords = (text: string): string[] => Array.from(words.segment(text), ({ segment }) => segment);

/**
 * The words of two texts in pieces: those of both once, those of only one of them marked. Both are cut where they are too
 * long to read.
 */
export function wordChanges(before: string, after: string): Piece[] {
  const [one, other] = [cut(before), cut(after)];
  const changes = diffArrays(toWords(one), toWords(other), { maxEditLength: MAX_DIFFERENCES });
  if (changes === undefined) {
    return [
      { text: one, is: 'removed' },
      { text: other, is: 'added' },
    ];
  }
  return changes.map(({ value, added, removed }) => ({
    text: value.join(''),
    is: added ? 'added' : removed ? 'removed' : 'same',
  }));
}

/** A text that is cut where it is longer than `most` characters. */
export const cut = (text: string, most = MAX_SHOWN): string => (text.length > most ? `${text.slice(0, most)}…` : text);
