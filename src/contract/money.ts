import { messageFor, type Message } from './messages/message.ts';
import { say, sayText } from './messages/words.ts';

/** What the ledger counts in: what costs less, but something, is shown as this much. */
const LEAST = 1 / 1_000_000;

/**
 * An amount of money for a text: `3.00 USD`, `0.002 USD`. It has two digits, and as many more as the amount needs, so
 * that only nothing is shown as nothing.
 */
export function moneyMessage(money: number, currency: string): Message {
  const amount = money > 0 ? Math.max(LEAST, money) : money;
  return currency === '' ? messageFor('common.amount', { amount }) : messageFor('common.money', { amount, currency });
}

export const moneyInWords = (money: number, currency: string): string => sayText(moneyMessage(money, currency));

/** The price of something, as a clause: `0.002 USD`, `free`. */
export const priceInWords = (price: number, currency: string): string =>
  price === 0 ? say('common.free') : moneyInWords(price, currency);

/** The price of something, where it stands alone: `0.002 USD`, `Free`. Where it is not known, `unknown`. */
export const priceAlone = (price: number | null, currency: string, unknown = '–'): string =>
  price === null ? unknown : price === 0 ? say('start.free') : moneyInWords(price, currency);

/** An average, which has no end of digits: it gets two, or as many as its first three that say something. */
export const averageInWords = (money: number, currency: string): string =>
  moneyInWords(money < 1 ? Number(money.toPrecision(3)) : Math.round(money * 100) / 100, currency);
