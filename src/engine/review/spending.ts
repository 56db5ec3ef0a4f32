import type { SentAlike } from '../db/review-store.ts';
import type { Cost } from '../../contract/failure.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Amount, Spending } from '../../contract/spending.ts';
import { priceOf } from '../batches/estimate.ts';

/** What requests came to, by the user's price table; null where there is no such table. Pure. */
export function spending(sent: readonly SentAlike[], { prices, currency }: Settings): Spending | null {
  if (prices.length === 0) return null;
  const amountOf = (cost: Cost): Amount => {
    const amount: { -readonly [Name in keyof Amount]: Amount[Name] } = { requests: 0, price: null, unpriced: 0 };
    for (const { shot, requests } of sent.filter((each) => each.cost === cost)) {
      const price = priceOf(shot, requests, prices);
      amount.requests += requests;
      if (price === null) amount.unpriced += requests;
      else amount.price = (amount.price ?? 0) + price;
    }
    return amount;
  };
  return { currency, charged: amountOf('charged'), maybe: amountOf('maybe') };
}
