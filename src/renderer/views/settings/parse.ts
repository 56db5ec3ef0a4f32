import { t } from '../../../contract/messages/words.ts';
import { toPrefix, type Price } from '../../../contract/settings.ts';
import type * as z from 'zod';
import type { KeyState } from '../../../contract/procedures.ts';
import { numberText, parseNumber } from '../../lib/format.ts';

export const keyInWords = ({ from, keptFor }: z.infer<typeof KeyState>): string =>
  keptFor === undefined ? t('settings.keyFrom', { from }) : t('settings.keyOfOtherAddress', { from, address: keptFor });

/** A service address as the engine stores it, however it was typed; what is no address stays as it is. */
export function storedAddress(typed: string): string {
  const url = URL.parse(typed.trim());
  return url === null ? typed.trim() : url.origin + toPrefix(url.pathname);
}

/** The problem with a service address, in one sentence; null without one. The engine decides in the end. */
export function problemOfAddress(text: string): string | null {
  if (text.trim() === '') return null;
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return t('failure.notAServiceAddress');
  }
  if (url.username !== '' || url.password !== '') return t('failure.addressWithKey');
  if (url.search !== '' || url.hash !== '') return t('failure.addressWithQuery');
  return null;
}

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
