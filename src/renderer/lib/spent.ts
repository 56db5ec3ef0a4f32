import type { Amount, Spending } from '../../contract/spending.ts';
import { priceInWords } from './cost.ts';
import { counted } from './words.ts';

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
