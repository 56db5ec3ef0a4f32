import { say, spoken } from './messages/words.ts';
import { takesOf } from './counts.ts';
import { priceAlone } from './money.ts';
import type { Counts } from './job.ts';
import type { NewReport, NightReport, WaitSpan } from './night-report.ts';

/** `380 of 400 takes saved. 2 need a decision.` Names the one thing that is most urgent. */
export function headline(takes: Counts): string {
  const total = takesOf(takes);
  const { saved, unknown, failed, unfinished } = takes;
  if (total === 0) return say('report.headlineEmpty');
  if (saved === total) return say('report.headlineAll', { total });
  const [issue, count] =
    unknown > 0
      ? (['decide', unknown] as const)
      : failed > 0
        ? (['failed', failed] as const)
        : unfinished > 0
          ? (['left', unfinished] as const)
          : (['none', 0] as const);
  return say('report.headline', { saved, total, issue, count }).trim();
}

/** `Last night`, or what a night is called that goes on. */
export const nightName = ({ isOver }: Pick<NewReport, 'isOver'>): string =>
  isOver ? say('report.lastNight') : say('report.tonight');

/** `3 h 12 min`, `8 min`, `40 s`. */
export function lengthOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return say('time.seconds', { seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return say('report.minutes', { minutes });
  return say('report.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** What requests cost. */
export const priceOfRequests = (price: number | null, currency: string): string =>
  priceAlone(price, currency, say('report.moneyUnknown'));

/** `02:14`. */
export const clockTime = (at: number): string =>
  new Intl.DateTimeFormat(spoken(), { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);

/** `Nov 22 – 23, 2026`. */
export const datesOf = (since: number, until: number): string =>
  new Intl.DateTimeFormat(spoken(), { year: 'numeric', month: 'short', day: 'numeric' }).formatRange(since, until);

export function awakeLine({ cause, from, until, waiting, clockBy }: WaitSpan): string {
  if (clockBy !== null) {
    const way = clockBy < 0 ? 'back' : 'forward';
    return say('report.clockSpan', { at: clockTime(from), way, length: lengthOf(Math.abs(clockBy)) });
  }
  const times = { from: clockTime(from), until: clockTime(until) };
  return say('report.awakeSpan', {
    ...times,
    cause: say('report.cause', { cause }),
    length: lengthOf(until - from),
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
