import { type Counts, type JobView, type TimeSpan, Wait } from './job.ts';
import { t, saySentences, sayText, spoken } from './messages/words.ts';
import { type ChainSum, type ChainSums, type PaidAgain, type Stage, countTakes } from './batch.ts';
import { kindLabel } from './kinds/index.ts';
import { messageFor, type Message } from './messages/message.ts';
import { ownTimeZone, WEEKDAYS, type Weekday, type WindowState } from './night-window.ts';
import type { Stale } from './take.ts';
import type { NewReport, NightReport, WaitSpan } from './night-report.ts';

/** `24 saved, 2 failed, 1 needs a decision`, without what there is none of. */
export function countsInWords({ saved, failed, unknown, cancelled, unfinished }: Counts): string {
  const parts = [
    saved > 0 && t('common.countSaved', { count: saved }),
    failed > 0 && t('common.countFailed', { count: failed }),
    unknown > 0 && t('common.countNeedDecision', { count: unknown }),
    cancelled > 0 && t('common.countCancelled', { count: cancelled }),
    unfinished > 0 && t('common.countUnfinished', { count: unfinished }),
  ];
  return parts.filter((part) => part !== false).join(t('common.listSeparator'));
}

/** Each of the three sums in words: `12 takes, 24.00 USD`. */
export function sumsInWords(sums: ChainSums, currency: string): Record<keyof ChainSums, string> {
  const words = ({ takes, price, unpriced }: ChainSum): string =>
    [
      t('common.takes', { count: takes }),
      ...(takes === 0 ? [] : [priceAlone(price, currency, t('common.priceUnknown'))]),
      ...(price === null || unpriced === 0 ? [] : [t('stats.unpriced', { count: unpriced })]),
    ].join(t('common.listSeparator'));
  return { tonight: words(sums.tonight), afterPicks: words(sums.afterPicks), atMost: words(sums.atMost) };
}

/** A stage of a chain: `Image 40: 38 picked`. */
export function stageInWords({ kinds, shots, saved, picked, underWay, failed, undecided, waits }: Stage): string {
  const parts = [
    picked > 0 && t('stage.picked', { count: picked }),
    picked < saved && t('stage.saved', { count: saved }),
    underWay > 0 && t('stage.underWay', { count: underWay }),
    failed > 0 && t('common.countFailed', { count: failed }),
    undecided > 0 && t('common.countNeedDecision', { count: undecided }),
    ...Wait.options.map((wait) => waits[wait] > 0 && t('stage.waits', { count: waits[wait], wait })),
  ];
  const kind = new Intl.ListFormat(spoken()).format(kinds.map((name) => sayText(kindLabel(name))));
  const what = parts.filter((part) => part !== false).join(t('common.listSeparator'));
  return t('stage.words', { kind, shots, what: what || t('stage.nothing') });
}

/** What a take waits for before it is prepared; empty for a take that waits for nothing. */
export function waitInWords({ wait, waitsFor: shot }: Pick<JobView, 'wait' | 'waitsFor'>): string {
  if (wait) return t('queue.waitsForPerson', { wait, shot: shot ?? '' });
  return shot === undefined ? '' : t('queue.waitingForShot', { shot });
}

/** Why a take is stale, and what counts instead. */
export function staleInWords({ why, shot, take, now }: Stale): string {
  if (take === undefined) return t('stale.sourceUnknown');
  const cause = t('stale.cause', { why, shot, take: String(take) });
  return now === undefined ? cause : saySentences(cause, t('stale.now', { why, now: String(now) }));
}

const MINUTE = 60_000;

/** A length as exact as it can be known: `2 h 10 min`. */
function roundedLength(ms: number): string {
  const step = ms < 60 * MINUTE ? 1 : ms < 360 * MINUTE ? 5 : 15;
  const minutes = Math.max(1, Math.round(ms / MINUTE / step) * step);
  const hours = Math.floor(minutes / 60);
  return t('time.lengthOf', { days: Math.floor(hours / 24), hours: hours % 24, minutes: minutes % 60 }).trim();
}

/** `2 h 10 min (1 h 40 min – 3 h)`; without the span where it is within what is rounded. */
export function spanInWords({ early, usual, late }: TimeSpan): string {
  if (late < MINUTE) return t('time.seconds', { seconds: Math.max(0, Math.round(usual / 1000)) });
  const [from, length, to] = [early, usual, late].map(roundedLength) as [string, string, string];
  return from === to ? length : t('time.span', { length, from, to });
}

/**
 * `3 of 4 shots are already in “night” under other keys (0002 was 0001). 3 takes would be charged again.` `plain` makes
 * names from outside safe to show.
 */
export function paidAgainInWords(paid: PaidAgain, plain: (name: string) => string = (name) => name): string {
  const { shots, ofShots, takes } = paid;
  const made = madeBefore(paid, { shots, ofShots, batch: plain(paid.batch) }, plain);
  return takes === 0 ? made : saySentences(made, t('start.paidAgain', { count: takes }));
}

function madeBefore(
  paid: PaidAgain,
  where: { readonly shots: number; readonly ofShots: number; readonly batch: string },
  plain: (name: string) => string,
): string {
  if (paid.reason === 'other_batch') return t('start.madeAlready', where);
  const { reason, example } = paid;
  const facts = { ...where, shot: plain(example.shot), madeAs: plain(example.madeAs) };
  return t(reason === 'moved_rows' ? 'start.madeUnderOtherKeys' : 'start.madeElsewhere', facts);
}

/** What the ledger counts in: what costs less, but something, is shown as this much. */
const LEAST = 1 / 1_000_000;

/** Money for a text: `3.00 USD`, `0.002 USD`. Two digits, or as many as show that it is not nothing. */
export function moneyMessage(money: number, currency: string): Message {
  const amount = money > 0 ? Math.max(LEAST, money) : money;
  return currency === '' ? messageFor('common.amount', { amount }) : messageFor('common.money', { amount, currency });
}

export const moneyInWords = (money: number, currency: string): string => sayText(moneyMessage(money, currency));

/** The price of something, as a clause: `0.002 USD`, `free`. */
export const priceInWords = (price: number, currency: string): string =>
  price === 0 ? t('common.free') : moneyInWords(price, currency);

/** The price of something, where it stands alone: `0.002 USD`, `Free`. Where it is not known, `unknown`. */
export const priceAlone = (price: number | null, currency: string, unknown = '–'): string =>
  price === null ? unknown : price === 0 ? t('start.free') : moneyInWords(price, currency);

/** An average, which has no end of digits: it gets two, or as many as its first three that say something. */
export const averageInWords = (money: number, currency: string): string =>
  moneyInWords(money < 1 ? Number(money.toPrecision(3)) : Math.round(money * 100) / 100, currency);

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
  if (days.length === WEEKDAYS.length) return t('night.everyDay');
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return '';
  const isRow = WEEKDAYS.indexOf(last) - WEEKDAYS.indexOf(first) === days.length - 1;
  if (isRow && days.length > 2) return t('night.daysFromTo', { first: dayInWords(first), last: dayInWords(last) });
  return new Intl.ListFormat(spoken(), { type: 'unit' }).format(days.map(dayInWords));
}

/** Dates in English are written day first, in the window and in reports. */
const dateLocale = (): string => (spoken() === 'en' ? 'en-GB' : spoken());

/** `22:00`, by a clock in the time zone. */
export const timeInWords = (at: number, timeZone = ownTimeZone()): string =>
  new Intl.DateTimeFormat(spoken(), { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);

/** `Mon 22:00`, by a clock in the time zone. */
function momentIn(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat(dateLocale(), {
    ...{ timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  return format.format(at).replace(',', '');
}

/** The same, with the time zone where it is not the machine's. */
export function momentInWords(at: number, timeZone: string): string {
  const moment = momentIn(at, timeZone);
  return timeZone === ownTimeZone() ? moment : t('night.momentIn', { moment, timeZone });
}

/** `22:00–07:00, Mon–Fri (Europe/Berlin)`. */
export const windowInWords = ({ window: { opens, closes, days, timeZone } }: Pick<WindowState, 'window'>): string =>
  t('night.window', { opens, closes, days: daysInWords(days), timeZone });

/** Whether it is open, and until when, beside `windowInWords`. */
export function stateInWords({ isOpen, isEarly, changesAt, window: { timeZone } }: WindowState): string {
  if (changesAt === null) return t('night.alwaysOpen');
  const is = isEarly ? 'early' : isOpen ? 'open' : 'closed';
  return t('night.state', { is, time: momentIn(changesAt, timeZone) });
}

/** `380 of 400 takes saved. 2 need a decision.` Names the one thing that is most urgent. */
export function headline(takes: Counts): string {
  const total = countTakes(takes);
  const { saved, unknown, failed, unfinished } = takes;
  if (total === 0) return t('report.headlineEmpty');
  if (saved === total) return t('report.headlineAll', { total });
  const [issue, count] =
    unknown > 0
      ? (['decide', unknown] as const)
      : failed > 0
        ? (['failed', failed] as const)
        : unfinished > 0
          ? (['left', unfinished] as const)
          : (['none', 0] as const);
  return t('report.headline', { saved, total, issue, count }).trim();
}

/** `Last night`, or what else a night is called by its beginning: `Today`, its dates, or that it goes on. */
export function nightName({ isOver, night, report }: NewReport, now = Date.now()): string {
  const hour = new Date(now).getHours();
  if (!isOver) return t('report.nightName', { when: hour >= EVENING || hour < DAYBREAK ? 'tonight' : 'day' });
  const days = Math.round((startOfDay(now) - startOfDay(night)) / DAY);
  return days > 1 ? datesFor(night, report.until) : t('report.nightName', { when: days === 0 ? 'today' : 'lastNight' });
}

const [DAY, EVENING, DAYBREAK] = [86_400_000, 18, 5];

/** What begins after midnight and before daybreak belongs to the night of the day before. */
const startOfDay = (time: number): number => new Date(time - DAYBREAK * 3_600_000).setHours(0, 0, 0, 0);

/** `3 h 12 min`, `8 min`, `40 s`. */
export function toLength(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return t('time.seconds', { seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t('report.minutes', { minutes });
  return t('report.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

export const priceOfRequests = (price: number | null, currency: string): string =>
  priceAlone(price, currency, t('report.moneyUnknown'));

/** `Nov 22 – 23, 2026`. */
export const datesFor = (since: number, until: number): string =>
  new Intl.DateTimeFormat(dateLocale(), { year: 'numeric', month: 'short', day: 'numeric' }).formatRange(since, until);

export function awakeLine({ cause, from, until, waiting, clockBy }: WaitSpan): string {
  if (clockBy !== null) {
    const way = clockBy < 0 ? 'back' : 'forward';
    return t('report.clockSpan', { at: timeInWords(from), way, length: toLength(Math.abs(clockBy)) });
  }
  const times = { from: timeInWords(from), until: timeInWords(until) };
  return t('report.awakeSpan', {
    ...times,
    cause: t('report.cause', { cause }),
    length: toLength(until - from),
    waiting,
  }).trim();
}

/** Waits in which time was lost: a service that works at its limit loses none. */
export const lostIn = ({ waits }: Pick<NightReport, 'waits'>) => waits.filter(({ cause }) => cause !== 'service_full');

/** The charges, certain and possible; null without prices. */
export function spentIn({ totals: { settled, unclear, reserved } }: NightReport['spend']): number | null {
  const prices = [settled, unclear, reserved].flatMap(({ price }) => (price === null ? [] : [price]));
  return prices.length === 0 ? null : prices.reduce((sum, price) => sum + price, 0);
}
