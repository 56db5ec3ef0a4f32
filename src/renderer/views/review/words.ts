import type { TakeView, VerdictChange } from '../../../contract/review.ts';

const flagWords = { pick: 'picked', reject: 'rejected', none: 'no flag' } as const;

/** Names a take for people: `010 · take 2`. */
export const takeName = ({ shot, take }: Pick<TakeView, 'shot' | 'take'>): string => `${shot} · take ${take}`;

/** What a verdict says, in words. */
export function verdictWords({ rating, flag, note }: VerdictChange): string {
  if (rating !== undefined) return rating === 0 ? 'not rated' : `${rating} of 5`;
  if (note !== undefined) return note === '' ? 'note removed' : 'note written';
  return flagWords[flag ?? 'none'];
}
