import type { CallPrice } from '../../../../contract/prompts.ts';
import { priceInWords } from '../../../lib/cost.ts';
import { counted } from '../../../lib/words.ts';

/** What calls cost, before they are made. */
export const callsInWords = (calls: number, { price, currency }: CallPrice): string =>
  price === null
    ? `${counted(calls, 'call')}, price unknown`
    : `${counted(calls, 'call')}, ${priceInWords(price, currency)}`;

export const unknownPrice =
  'The service bills each call and does not say its price. Add one for this model in Settings, under Prices.';
