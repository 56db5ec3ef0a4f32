import { t } from './messages/words.ts';
import type { VerdictChange } from './verdict.ts';

/** What a change of a verdict sets, one text for each part: `4 of 5`, `Picked`, the note, `12f: its text`. */
export const changesInWords = ({ rating, flag, note, addNotes = [] }: VerdictChange): string[] => [
  ...(rating === undefined ? [] : [rating === 0 ? t('reel.noStars') : t('review.stars', { stars: rating })]),
  ...(flag === undefined ? [] : [flagInWords(flag)]),
  ...(note === undefined ? [] : [note === '' ? t('reel.noNote') : `“${note}”`]),
  ...addNotes.map(({ from, text }) => t('kit.note', { at: `${from}f`, text })),
];

function flagInWords(flag: NonNullable<VerdictChange['flag']> | null): string {
  switch (flag) {
    case 'pick':
      return t('review.picked');
    case 'alternate':
      return t('review.alternate');
    case 'reject':
      return t('review.rejected');
    case null:
      return t('review.noFlag');
  }
}
