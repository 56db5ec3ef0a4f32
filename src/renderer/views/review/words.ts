import type { TakeView } from '../../../contract/review.ts';

export const flagWords = { pick: 'picked', reject: 'rejected', none: 'no flag' } as const;

/** Names a take for people: `010 · take 2`. */
export const takeName = ({ shot, take }: Pick<TakeView, 'shot' | 'take'>): string => `${shot} · take ${take}`;
