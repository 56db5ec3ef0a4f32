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
