import { say, spoken } from './messages/words.ts';
import { ownTimeZone, WEEKDAYS, type Weekday, type WindowState } from './night-window.ts';

/** A Monday. */
const A_MONDAY = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;

/** `Mon`, in the language of this process. */
export function dayInWords(day: Weekday): string {
  const format = new Intl.DateTimeFormat(spoken(), { weekday: 'short', timeZone: 'UTC' });
  return format.format(A_MONDAY + WEEKDAYS.indexOf(day) * DAY_MS);
}

/** `every day`, `Mon–Fri` or `Mon, Sat, Sun`. */
function daysInWords(days: readonly Weekday[]): string {
  if (days.length === WEEKDAYS.length) return say('night.everyDay');
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return '';
  const isRow = WEEKDAYS.indexOf(last) - WEEKDAYS.indexOf(first) === days.length - 1;
  if (isRow && days.length > 2) return say('night.daysFromTo', { first: dayInWords(first), last: dayInWords(last) });
  return new Intl.ListFormat(spoken(), { type: 'unit' }).format(days.map(dayInWords));
}

/** `Mon 22:00`, by a clock in the time zone. */
function momentIn(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat(spoken() === 'en' ? 'en-GB' : spoken(), {
    ...{ timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  return format.format(at).replace(',', '');
}

/** The same, with the time zone where it is not the machine's. */
export function momentInWords(at: number, timeZone: string): string {
  const moment = momentIn(at, timeZone);
  return timeZone === ownTimeZone() ? moment : say('night.momentIn', { moment, timeZone });
}

/** `22:00–07:00, Mon–Fri (Europe/Berlin)`. */
export const windowInWords = ({ window: { opens, closes, days, timeZone } }: Pick<WindowState, 'window'>): string =>
  say('night.window', { opens, closes, days: daysInWords(days), timeZone });

/** Whether it is open, and until when, beside `windowInWords`. */
export function stateInWords({ isOpen, isEarly, changesAt, window: { timeZone } }: WindowState): string {
  if (changesAt === null) return say('night.alwaysOpen');
  const is = isEarly ? 'early' : isOpen ? 'open' : 'closed';
  return say('night.state', { is, time: momentIn(changesAt, timeZone) });
}
