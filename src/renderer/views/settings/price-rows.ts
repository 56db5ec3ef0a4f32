import { t } from '../../../contract/messages/words.ts';
import type { Price } from '../../../contract/settings.ts';
import { numberText, parseNumber } from '../../lib/format.ts';

export interface PriceRow {
  id: number;
  model: string;
  per: Price['per'];
  price: string;
  /** Only for requests with video input, or only for those without. */
  videoInput?: boolean | undefined;
}

export type ParsedPrices =
  | { readonly ok: true; readonly prices: Price[] }
  | { readonly ok: false; readonly problems: ReadonlyMap<number, string> };

let lastId = 0;

export function toRow(price: Price | null): PriceRow {
  lastId += 1;
  return price === null
    ? { id: lastId, model: '', per: 'take', price: '' }
    : { id: lastId, model: price.model, per: price.per, price: numberText(price.price), videoInput: price.videoInput };
}

/** The prices of all rows but empty ones; or the problems, by row id. */
export function toPrices(rows: readonly PriceRow[]): ParsedPrices {
  const problems = new Map<number, string>();
  const prices: Price[] = [];
  for (const { id, model, per, price, videoInput } of rows) {
    if (model.trim() === '' && price.trim() === '') continue;
    const parsed = parseNumber(price, { min: 0 });
    if (model.trim() === '') problems.set(id, t('settings.priceNeedsModel'));
    else if (!parsed.ok) problems.set(id, parsed.problem);
    else
      prices.push({ model: model.trim(), per, price: parsed.value, ...(videoInput !== undefined && { videoInput }) });
  }
  return problems.size === 0 ? { ok: true, prices } : { ok: false, problems };
}
