import { say } from '../contract/messages/words.ts';
import { isTimeZone, NightWindow, ownTimeZone, parseDays, parseHours, WEEKDAYS } from '../contract/night-window.ts';
import { UsageError } from './exit.ts';
import { plainText } from './output/text.ts';
import { word, type Given } from './verb.ts';

export const WINDOW = [
  word('--window <hours>', 'cli.optWindow'),
  word('--days <days>', 'cli.optWindowDays'),
  word('--time-zone <zone>', 'cli.optTimeZone'),
] as const;
type WindowOptions = Given<typeof WINDOW>;

/** Undefined where none is wanted; throws UsageError for what cannot be read. On every day, and of this machine, unless said. */
export function windowOf({ window, days, timeZone = ownTimeZone() }: WindowOptions): NightWindow | undefined {
  if (window === undefined) {
    if (days === undefined) return undefined;
    throw new UsageError(say('cli.daysWithoutHours'), say('cli.notHoursRemedy'));
  }
  const hours = parseHours(window);
  if (!hours) throw new UsageError(say('cli.notHours', { text: plainText(window) }), say('cli.notHoursRemedy'));
  const on = days === undefined ? [...WEEKDAYS] : parseDays(days);
  if (!on) throw new UsageError(say('cli.notDays', { text: plainText(days ?? '') }), say('cli.notDaysRemedy'));
  if (!isTimeZone(timeZone)) {
    throw new UsageError(say('cli.notTimeZone', { text: plainText(timeZone) }), say('cli.notTimeZoneRemedy'));
  }
  return NightWindow.parse({ ...hours, days: on, timeZone });
}
