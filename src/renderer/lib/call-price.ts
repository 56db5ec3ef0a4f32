import type { Cost } from '../../contract/failure.ts';
import type { CallPrice } from '../../contract/tool.ts';
import { priceInWords } from '../../contract/in-words.ts';
import { t } from '../../contract/messages/words.ts';

/** What calls of a tool cost, as a clause: `2 calls to embed-demo, 0.10 USD`. Without the price while that is being read. */
export function callsInWords(calls: number, model: string, known: CallPrice | undefined): string {
  return known === undefined
    ? t('common.calls', { count: calls, model })
    : t('common.callsAtPrice', { count: calls, model, price: priceOfCall(known) });
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
export const callCountInWords = (calls: number, { price, currency }: CallPrice): string =>
  price === null
    ? t('tools.callsUnpriced', { count: calls })
    : t('tools.callsPriced', { count: calls, price: priceInWords(price, currency) });

export const unknownPrice = t('tools.unknownPrice');
