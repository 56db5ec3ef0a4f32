import type { TakeView, VerdictChange } from '../../../contract/review.ts';
import type { TakeLink } from '../../../contract/take-source.ts';

const flagWords = { pick: 'picked', reject: 'rejected', none: 'no flag' } as const;

/** Names a take for people: `010 · take 2`. */
export const takeName = ({ shot, take }: Pick<TakeView, 'shot' | 'take'>): string => `${shot} · take ${take}`;

/** Names a take that another one of `shot` came from, or went into: `take 2`, `010 · take 1, file 2`. */
export function linkName({ shot, take, output }: TakeLink, ofShot: string): string {
  if (shot === undefined || take === undefined) return 'a take that is not known here';
  const name = shot === ofShot ? `take ${take}` : takeName({ shot, take });
  return output === undefined || output === 1 ? name : `${name}, file ${output}`;
}

/** What a verdict says, in words. */
export function verdictWords({ rating, flag, note }: VerdictChange): string {
  if (rating !== undefined) return rating === 0 ? 'not rated' : `${rating} of 5`;
  if (note !== undefined) return note === '' ? 'note removed' : 'note written';
  return flagWords[flag ?? 'none'];
}
