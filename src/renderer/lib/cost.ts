import type { Amount, Spending } from '../../contract/spending.ts';
import type { Estimate } from '../../contract/batch.ts';
import { counted } from './words.ts';

const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const priceInWords = (price: number, currency: string): string => `${money.format(price)} ${currency}`.trim();

type Cost = Pick<Estimate, 'price' | 'currency' | 'unpriced' | 'newTakes'>;

/** What it will cost, in a few words; says so where no price is known. */
export function costInWords({ price, currency, unpriced, newTakes }: Cost): string {
  if (newTakes === 0) return 'nothing to pay';
  if (price === null) return 'no price known';
  const known = priceInWords(price, currency);
  return unpriced === 0 ? known : `${known} and ${counted(unpriced, 'take')} of unknown price`;
}

/** What was spent, in a few words; empty where nothing was sent. Pure. */
export function spentInWords({ charged, maybe, currency }: Spending): string {
  const known = [amountInWords(charged, currency, ''), amountInWords(maybe, currency, ' that may have been charged')];
  const unpriced = charged.unpriced + maybe.unpriced;
  if (unpriced > 0) known.push(`${counted(unpriced, 'request')} of unknown price`);
  return known.filter(Boolean).join(', and ');
}

function amountInWords({ price }: Amount, currency: string, which: string): string {
  return price === null ? '' : `${priceInWords(price, currency)}${which}`;
}
