import { shareOfMoney, shareOfTakes, WARN_AT, type Cap, type CapChange, type CapState } from '../../contract/ledger.ts';
import { t } from '../../contract/messages/words.ts';
import { moneyInWords } from '../../contract/in-words.ts';
import { numberText, parseNumber, type ParsedNumber } from './format.ts';

export interface CapText {
  readonly money: string;
  readonly takes: string;
}

export type ParsedCap =
  | { readonly ok: true; readonly cap: Cap }
  | { readonly ok: false; readonly money?: string; readonly takes?: string };

export const noCap: CapText = { money: '', takes: '' };

export const isCapText = (stored: unknown): stored is CapText =>
  typeof stored === 'object' &&
  stored !== null &&
  ['money', 'takes'].every((field) => typeof (stored as Record<string, unknown>)[field] === 'string');

const MAX_MONEY = 1_000_000_000;
const MAX_TAKES = 1_000_000;

export function capText({ money, takes }: Cap): CapText {
  return { money: money === null ? '' : numberText(money), takes: takes === null ? '' : String(takes) };
}

/** The typed cap, or the problem of each field. `withoutPrice`: models that no cap in money can hold. Pure. */
export function parseCap(text: CapText, withoutPrice: readonly string[] = []): ParsedCap {
  const money = parsed(text.money, MAX_MONEY, false);
  const takes = parsed(text.takes, MAX_TAKES, true);
  const isUnpriced = money.ok && money.value !== null && withoutPrice.length > 0;
  if (money.ok && takes.ok && !isUnpriced) return { ok: true, cap: { money: money.value, takes: takes.value } };
  return {
    ok: false,
    ...(!money.ok && { money: money.problem }),
    ...(isUnpriced && { money: t('cap.noPrices', { models: [...withoutPrice] }) }),
    ...(!takes.ok && { takes: takes.problem }),
  };
}

function parsed(
  text: string,
  most: number,
  whole: boolean,
): Exclude<ParsedNumber, { ok: true }> | { ok: true; value: number | null } {
  if (text.trim() === '') return { ok: true, value: null };
  const number = parseNumber(text, { min: 0, whole });
  return number.ok && number.value > most ? { ok: false, problem: t('cap.tooMuch', { most }) } : number;
}

/** The change that makes `cap` apply; undefined when it applies already. Pure. */
export function capChange(before: Cap | null, { money, takes }: Cap): CapChange | undefined {
  const change = {
    ...(money !== (before?.money ?? null) && { money }),
    ...(takes !== (before?.takes ?? null) && { takes }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

/** `5.00 of 6.00 USD` and `4 of 8 takes`: what of each limit is used, undefined where there is none. Pure. */
export function capInWords(
  { cap, spent }: Pick<CapState, 'cap' | 'spent'>,
  currency: string,
): { readonly money: string | undefined; readonly takes: string | undefined } {
  const money =
    cap.money === null
      ? undefined
      : t('cap.usedMoney', { spent: moneyInWords(spent.money, ''), most: moneyInWords(cap.money, currency) });
  const takes = cap.takes === null ? undefined : t('cap.usedTakes', { spent: spent.takes, most: cap.takes });
  return { money, takes };
}

export function capLine(state: Pick<CapState, 'cap' | 'spent'>, currency: string): string {
  const { money, takes } = capInWords(state, currency);
  return [money, takes].filter((part) => part !== undefined).join(t('common.listSeparator'));
}

/** A cap with room again: each limit that is mostly used grows by half, to a round number. Pure. */
export function raised(state: Pick<CapState, 'cap' | 'spent'>): Cap {
  const { cap, spent } = state;
  const isUsed = (share: number | null): boolean => (share ?? 0) >= WARN_AT;
  return {
    money:
      cap.money !== null && isUsed(shareOfMoney(state)) ? roundUp(1.5 * Math.max(cap.money, spent.money)) : cap.money,
    takes:
      cap.takes !== null && isUsed(shareOfTakes(state))
        ? Math.ceil(roundUp(1.5 * Math.max(cap.takes, spent.takes, 1)))
        : cap.takes,
  };
}

/** To two digits: 87.3 is 88, 1240 is 1300. */
function roundUp(value: number): number {
  if (value === 0) return 1;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(Number((value / step).toFixed(6))) * step).toPrecision(6));
}
