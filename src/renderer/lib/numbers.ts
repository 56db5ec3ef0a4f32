import { t } from '../../contract/messages/words.ts';
import type { NumberRule } from '../../contract/setting-fields.ts';

export type ParsedNumber =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly problem: string };

/** Reads a number as people write it, with a point or a comma; a problem is one sentence. */
export function parseNumber(text: string, { min, above = false, whole = false }: NumberRule): ParsedNumber {
  const trimmed = text
    .trim()
    .replace(/\s/g, '')
    .replace(/^(-?\d+),(\d+)$/, '$1.$2');
  if (trimmed === '') return { ok: false, problem: t('settings.numberMissing') };
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return { ok: false, problem: t('settings.notANumber', { text: text.trim() }) };
  if (whole && !Number.isInteger(value)) return { ok: false, problem: t('settings.wholeNumber') };
  if (value < min || (above && value === min)) {
    return { ok: false, problem: above ? t('settings.numberAbove', { min }) : t('settings.numberFrom', { min }) };
  }
  return { ok: true, value };
}

/** A number for a field: without digits that only rounding made. */
export const numberText = (value: number): string => String(Number(value.toPrecision(10)));
