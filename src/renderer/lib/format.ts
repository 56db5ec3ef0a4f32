import type { Language } from '../../contract/messages/languages.ts';
import { t, spoken } from '../../contract/messages/words.ts';
import type { NumberRule } from '../../contract/setting-fields.ts';

/** A length of time in ms: `4 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`. */
export function lengthForPeople(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t('time.seconds', { seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('time.minutesSeconds', { minutes, seconds: twoDigits(seconds % 60) });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return t('time.hoursMinutes', { hours, minutes: twoDigits(minutes % 60) });
  return t('time.daysHours', { days: Math.floor(hours / 24), hours: hours % 24 });
}

const twoDigits = (count: number): string => String(count).padStart(2, '0');

/** English dates have the day first. */
const dateLocales: Readonly<Record<Language, string>> = { en: 'en-GB', 'zh-CN': 'zh-CN' };

/** Made at its first use: the browser takes long over a format, and the first view needs none. */
function dateFormat(options: Intl.DateTimeFormatOptions): (ms: number) => string {
  let format: Intl.DateTimeFormat | null = null;
  return (ms) => (format ??= new Intl.DateTimeFormat(dateLocales[spoken()], options)).format(ms);
}

export const day = dateFormat({ day: 'numeric', month: 'short' });
export const dayAndYear = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' });
export const monthAndYear = dateFormat({ month: 'long', year: 'numeric' });

/** Time of day, `02:14:03`. */
export const clockTime = dateFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit' });

export const fullTime = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' });

/** How long ago, in one glance: `just now`, `12 min ago`, `yesterday`, `3 Mar`. */
export function agoForPeople(ms: number, now = Date.now()): string {
  const minutes = Math.floor((now - ms) / 60_000);
  if (minutes < 1) return t('time.justNow');
  if (minutes < 60) return t('time.minutesAgo', { minutes });
  if (minutes < 24 * 60) return t('time.hoursAgo', { hours: Math.floor(minutes / 60) });
  if (minutes < 48 * 60) return t('time.yesterday');
  return new Date(ms).getFullYear() === new Date(now).getFullYear() ? day(ms) : dayAndYear(ms);
}

/** A share between 0 and 1 as whole per cent; 100 only when all is done. */
export const percent = (share: number): string =>
  t('common.percent', { percent: Math.floor(Math.min(1, Math.max(0, share)) * 100) });

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
