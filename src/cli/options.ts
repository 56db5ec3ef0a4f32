import { isTimeZone, NightWindow, ownTimeZone, parseDays, parseHours, WEEKDAYS } from '../contract/night-window.ts';
import { nightStart } from '../engine/projects/spending.ts';
import { refused } from './exit.ts';
import type { Session } from './session.ts';
import { word, type Given } from './verb.ts';

export const WINDOW = [
  word('--window <hours>', 'cli.optWindow'),
  word('--days <days>', 'cli.optWindowDays'),
  word('--time-zone <zone>', 'cli.optTimeZone'),
] as const;

/** Undefined where none is wanted; throws UsageError for what cannot be read. On every day, and of this machine, unless said. */
export function toWindow({ window, days, timeZone = ownTimeZone() }: Given<typeof WINDOW>): NightWindow | undefined {
  if (window === undefined) {
    if (days === undefined) return undefined;
    throw refused('cli.daysWithoutHours');
  }
  const hours = parseHours(window);
  if (!hours) throw refused('cli.notHours', { what: 'hours', text: window });
  const on = days === undefined ? [...WEEKDAYS] : parseDays(days);
  if (!on) throw refused('cli.notHours', { what: 'days', text: days ?? '' });
  if (!isTimeZone(timeZone)) throw refused('cli.notHours', { what: 'zone', text: timeZone });
  return NightWindow.parse({ ...hours, days: on, timeZone });
}

const MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE };

/**
 * A time as a person writes it: so long ago (`90m`, `12h`, `3d`), `last-night` (its noon: nights run from noon to noon), or a day with
 * or without its time, where the person is. Null for anything else. Pure. `nightStart` is the noon before a time.
 */
export function readTime(text: string, now: number, nightStart: (at: number) => number): number | null {
  if (text === 'last-night') {
    const present = nightStart(now);
    // Until noon the night that began yesterday is the last one.
    return new Date(now).getHours() < 12 ? present : nightStart(present - 1);
  }
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  const [, day, time = '00:00'] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?$/.exec(text) ?? [];
  if (day === undefined) return null;
  const at = new Date(`${day}T${time}`);
  // The 31st of a month of 30 days would be the 1st of the next.
  return Number.isNaN(at.getTime()) || at.getDate() !== Number(day.slice(-2)) ? null : at.getTime();
}

/** The time that a person wrote. Throws UsageError. */
export function timeGiven({ shell: { clock } }: Session, text: string): number {
  const at = readTime(text, clock.now(), nightStart);
  if (at === null) throw refused('cli.notTime');
  return at;
}
