import type { Amount, Spending } from '../../contract/ledger.ts';
import type { Estimate } from '../../contract/batch.ts';
import { t } from '../../contract/messages/words.ts';
import { moneyInWords, priceInWords } from '../../contract/in-words.ts';

type Cost = Pick<Estimate, 'price' | 'currency' | 'unpriced' | 'newTakes'>;

export function costInWords({ price, currency, unpriced, newTakes }: Cost): string {
  if (newTakes === 0) return t('common.nothingToPay');
  if (price === null) return t('common.priceUnknown');
  if (unpriced === 0) return priceInWords(price, currency);
  const known = moneyInWords(price, currency);
  return t('common.priceAndUnpricedTakes', { price: known, count: unpriced });
}

/** What requests cost or may cost, in a few words; says so when there is no price. Pure. */
export const amountInWords = ({ requests, price, unpriced }: Amount, currency: string): string =>
  costInWords({ newTakes: requests, price, unpriced, currency });

/** The cost so far in a few words; empty when nothing was sent. Pure. */
export function spentInWords({ charged, sending, maybe, currency }: Spending): string {
  const unpriced = charged.unpriced + sending.unpriced + maybe.unpriced;
  const parts = [
    charged.price !== null && moneyInWords(charged.price, currency),
    sending.price !== null && t('common.beingSent', { price: moneyInWords(sending.price, currency) }),
    maybe.price !== null && t('common.maybeCharged', { price: moneyInWords(maybe.price, currency) }),
    unpriced > 0 && t('common.unpricedRequests', { count: unpriced }),
  ];
  return parts.filter((part) => part !== false).join(t('common.and'));
}
