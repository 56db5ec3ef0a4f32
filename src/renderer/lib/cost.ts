import type { Spending } from '../../contract/spending.ts';
import type { Estimate } from '../../contract/batch.ts';
import { say, spoken } from '../../contract/messages/words.ts';

const money = new Intl.NumberFormat(spoken(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const priceInWords = (price: number, currency: string): string => `${money.format(price)} ${currency}`.trim();

type Cost = Pick<Estimate, 'price' | 'currency' | 'unpriced' | 'newTakes'>;

/** The expected cost in a few words; says so when there is no price. */
export function costInWords({ price, currency, unpriced, newTakes }: Cost): string {
  if (newTakes === 0) return say('common.nothingToPay');
  if (price === null) return say('common.priceUnknown');
  const known = priceInWords(price, currency);
  return unpriced === 0 ? known : say('common.priceAndUnpricedTakes', { price: known, count: unpriced });
}

/** The cost so far in a few words; empty when nothing was sent. Pure. */
export function spentInWords({ charged, maybe, currency }: Spending): string {
  const unpriced = charged.unpriced + maybe.unpriced;
  const parts = [
    charged.price !== null && priceInWords(charged.price, currency),
    maybe.price !== null && say('common.maybeCharged', { price: priceInWords(maybe.price, currency) }),
    unpriced > 0 && say('common.unpricedRequests', { count: unpriced }),
  ];
  return parts.filter((part) => part !== false).join(say('common.and'));
}
