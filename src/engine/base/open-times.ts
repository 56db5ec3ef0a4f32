import { WEEKDAYS, type NightWindow, type Weekday } from '../../contract/night-window.ts';

const DAY_MS = 86_400_000;
/** A day left out of a calendar may contain the only opening of a week, so look two weeks and some days each way. */
const DAYS_AROUND = 17;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Spans {
  /** For any time from `since` to `until`, ms, `spans` contains the change before and the one after it. */
  readonly since: number;
  readonly until: number;
  readonly spans: readonly Span[];
}

/**
 * When a window is open. If the clock skips a time at the start of summer time, the first moment after it counts. If a
 * time comes twice, the window opens at the first and closes at the last. Pure, except for its cache of the current
 * week.
 */
export class OpenTimes {
  readonly #window: NightWindow;
  readonly #zone: ReturnType<typeof zonedTime>;
  #around: Spans = { since: 0, until: 0, spans: [] };

  constructor(window: NightWindow) {
    this.#window = window;
    this.#zone = zonedTime(window.timeZone);
  }

  isOpenAt(at: number): boolean {
    return this.#spansAround(at).some(({ from, to }) => from <= at && at < to);
  }

  /** The next time it opens or closes, ms; null when it never closes. */
  nextChange(at: number): number | null {
    return this.#changesAround(at).find((change) => change > at) ?? null;
  }

  /** The last time it opened or closed, ms, including `at`; null when it never closes. */
  lastChange(at: number): number | null {
    return this.#changesAround(at).findLast((change) => change <= at) ?? null;
  }

  #changesAround(at: number): number[] {
    return this.#spansAround(at).flatMap(({ from, to }) => [from, to].filter(Number.isFinite));
  }

  #spansAround(at: number): readonly Span[] {
    if (at < this.#around.since || at >= this.#around.until) {
      const noon = Math.floor(at / DAY_MS) * DAY_MS + DAY_MS / 2;
      this.#around = { since: noon - DAY_MS, until: noon + DAY_MS, spans: this.#spans(this.#zone.wallClock(at)) };
    }
    return this.#around.spans;
  }

  #spans(wall: number): Span[] {
    const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
    const spans: { from: number; to: number }[] = [];
    for (let offset = -DAYS_AROUND; offset <= DAYS_AROUND; offset += 1) {
      const day = midnight + offset * DAY_MS;
      if (!this.#window.days.includes(toWeekday(day))) continue;
      const { from, to } = this.#spanOf(day);
      const last = spans.at(-1);
      if (last && from <= last.to) last.to = Math.max(last.to, to);
      else if (from < to) spans.push({ from, to });
    }
    // A window closes more than once in these weeks, unless it never closes.
    return spans.length === 1 ? [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }] : spans;
  }

  #spanOf(day: number): Span {
    const [opens, closes] = [toMs(this.#window.opens), toMs(this.#window.closes)];
    return {
      from: this.#zone.instants(day + opens).first,
      to: this.#zone.instants(day + closes + (closes > opens ? 0 : DAY_MS)).last,
    };
  }
}

/** The day of the week at a time, ms, in a time zone. */
export const weekdayAt = (at: number, timeZone: string): Weekday => toWeekday(zonedTime(timeZone).wallClock(at));

const toWeekday = (wall: number): Weekday => WEEKDAYS[(new Date(wall).getUTCDay() + 6) % 7] ?? 'mon';

function toMs(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/**
 * A time zone of the system. A wall-clock time is given as the UTC time, ms, at which a clock in UTC shows the same.
 */
export function zonedTime(timeZone: string) {
  const parts = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    ...{ timeZone, hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const wallClock = (at: number): number => {
    const shown = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, value]));
    const [year, month, day] = [Number(shown['year']), Number(shown['month']), Number(shown['day'])];
    const [hour, minute, second] = [Number(shown['hour']), Number(shown['minute']), Number(shown['second'])];
    const ofMs = at - Math.floor(at / 1000) * 1000;
    return Date.UTC(year, month - 1, day, hour, minute, second) + ofMs;
  };
  const ahead = (at: number): number => wallClock(at) - at;

  /** The moment between two times at which the clock jumps forward, ms. */
  const jumpBetween = (before: number, after: number): number => {
    const offset = ahead(before);
    let [low, high] = [before, after];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (ahead(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  };

  return {
    wallClock,
    /** The first and last moment a wall clock shows a time, ms; for a skipped time both are the clock's jump. */
    instants(wall: number): { readonly first: number; readonly last: number } {
      // No zone is a whole day ahead or behind, so the clock shows the time between these two.
      const [before, after] = [wall - DAY_MS, wall + DAY_MS];
      const shown = [wall - ahead(before), wall - ahead(after)].filter((at) => wallClock(at) === wall);
      const jump = shown.length === 0 ? jumpBetween(before, after) : Number.NaN;
      return shown.length === 0 ? { first: jump, last: jump } : { first: Math.min(...shown), last: Math.max(...shown) };
    },
  };
}
