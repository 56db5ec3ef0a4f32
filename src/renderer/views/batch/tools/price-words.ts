import { say } from '../../../../contract/messages/words.ts';
import type { CallPrice } from '../../../../contract/prompts.ts';
import { priceInWords } from '../../../lib/cost.ts';

/** What calls cost, before they are made. */
export const callsInWords = (calls: number, { price, currency }: CallPrice): string =>
  price === null
    ? say('tools.callsUnpriced', { count: calls })
    : say('tools.callsPriced', { count: calls, price: priceInWords(price, currency) });

export const unknownPrice = say('tools.unknownPrice');
