import type { Amount, Spending } from '../../contract/ledger.ts';
import type { Estimate } from '../../contract/batch.ts';
import { t } from '../../contract/messages/words.ts';
import { moneyInWords, priceInWords } from '../../contract/in-words.ts';
import type { Cost } from '../../contract/failure.ts';
import type { CallPrice } from '../../contract/tool.ts';

export function costInWords({
  price,
  currency,
  unpriced,
  newTakes,
}: Pick<Estimate, 'price' | 'currency' | 'unpriced' | 'newTakes'>): string {
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
    unpriced > 0 && t('stats.unpriced', { count: unpriced }),
  ];
  return parts.filter((part) => part !== false).join(t('common.and'));
}

/** What calls of a tool cost, as a clause: `2 calls to embed-demo, 0.10 USD`. */
export function callsInWords(calls: number, model: string, known: CallPrice | undefined): string {
  return t('common.callsAtPrice', { count: calls, model, price: priceOfCall(known) });
}

export function priceOfCall(known: CallPrice | undefined): string {
  if (known === undefined) return '…';
  return known.price === null ? t('common.priceUnknown') : priceInWords(known.price, known.currency);
}

/** Label of the button that repeats a failed call: says when that may cost money. */
export const againInWords: Readonly<Record<Cost, string>> = {
  nothing: t('common.tryAgain'),
  maybe: t('common.sendAgainMaybe'),
  charged: t('common.sendAgainCharged'),
};

export const isEmbedding = (id: string): boolean => /embed/i.test(id);

export const embeddingFirst = (ids: readonly string[]): readonly string[] =>
  ids.toSorted((a, b) => Number(isEmbedding(b)) - Number(isEmbedding(a)));

/** The price of calls without their model: `2 calls, 0.10 USD`. */
export const callCountInWords = (calls: number, known: CallPrice): string =>
  t('tools.callsPriced', { count: calls, price: priceOfCall(known) });

export const unknownPrice = t('tools.unknownPrice');
