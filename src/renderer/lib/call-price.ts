import type { Cost } from '../../contract/failure.ts';
import type { CallPrice } from '../../contract/tool.ts';
import { priceInWords } from '../../contract/in-words.ts';
import { say } from '../../contract/messages/words.ts';

/** What calls of a tool cost, as a clause: `2 calls to embed-demo, 0.10 USD`. Without the price while that is being read. */
export function callsInWords(calls: number, model: string, known: CallPrice | undefined): string {
  return known === undefined
    ? say('common.calls', { count: calls, model })
    : say('common.callsAtPrice', { count: calls, model, price: priceOfCall(known) });
}

export function priceOfCall(known: CallPrice | undefined): string {
  if (known === undefined) return '…';
  return known.price === null ? say('common.priceUnknown') : priceInWords(known.price, known.currency);
}

/** Label of the button that repeats a failed call: says when that may cost money. */
export const againInWords: Readonly<Record<Cost, string>> = {
  nothing: say('common.tryAgain'),
  maybe: say('common.sendAgainMaybe'),
  charged: say('common.sendAgainCharged'),
};

export const isEmbedding = (id: string): boolean => /embed/i.test(id);

export const embeddingFirst = (ids: readonly string[]): readonly string[] =>
  ids.toSorted((a, b) => Number(isEmbedding(b)) - Number(isEmbedding(a)));

/** The price of calls without their model: `2 calls, 0.10 USD`. */
export const callCountInWords = (calls: number, { price, currency }: CallPrice): string =>
  price === null
    ? say('tools.callsUnpriced', { count: calls })
    : say('tools.callsPriced', { count: calls, price: priceInWords(price, currency) });

export const unknownPrice = say('tools.unknownPrice');
