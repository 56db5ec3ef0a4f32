import type { Gate } from '../../contract/events.ts';
import { messageFor } from '../../contract/messages/message.ts';
import {
  windowFor,
  type NightWindow,
  type WindowScope,
  type WindowState,
  WEEKDAYS,
  type Weekday,
} from '../../contract/night-window.ts';
import type { Clock } from '../base/ports.ts';
import type { LimitFiles } from '../projects/limits.ts';
import type { Closed } from '../db/due-jobs.ts';
import { idOfScope } from '../db/ledger-store.ts';
import type { StoredWindow, WindowStore } from '../db/limit-store.ts';

export interface OfBatch {
  readonly projectId: string;
  readonly batchId: string;
}

interface Known extends StoredWindow {
  readonly times: OpenTimes;
}

interface Seen {
  readonly at: number;
  readonly until: number;
  readonly states: readonly WindowState[];
}

export function createNightWindows(store: WindowStore, limitFiles: LimitFiles, clock: Clock) {
  let known = read();
  let seen: Seen | null = null;

  function set(scope: WindowScope, window: NightWindow | null): void {
    store.change(scope, window);
    limitFiles.decided('window', scope);
  }

  /** When a closed window opens next, ms; null where none is closed, or it never opens. */
  function nextOpening(scope: WindowScope): number | null {
    const now = clock.now();
    const times = known.find((each) => idOfScope(each.scope) === idOfScope(scope))?.times;
    return times && !times.isOpenAt(now) ? times.nextChange(now) : null;
  }

  function isClosedFor(take: OfBatch): boolean {
    return windowFor(take, seenNow().states)?.isOpen === false;
  }

  /** What is held now; with `since` (ms), only by windows that closed then or later. */
  function closed(since = Number.NEGATIVE_INFINITY): Closed {
    const { states } = seenNow();
    return behind(
      states.filter((state) => hasClosedSince(state, since)),
      states,
    );
  }

  function eachClosed(): { readonly state: WindowState; readonly closed: Closed }[] {
    const { states } = seenNow();
    return states.filter(({ isOpen }) => !isOpen).map((state) => ({ state, closed: behind([state], states) }));
  }

  function seenNow(): Seen {
    const now = clock.now();
    if (seen && now >= seen.at && now < seen.until) return seen;
    const states = known.map((each) => stateAt(each, now));
    const changes = states.flatMap(({ changesAt }) => (changesAt === null ? [] : [changesAt]));
    seen = { at: now, until: Math.min(...changes), states };
    return seen;
  }

  function read(): Known[] {
    return store.list().map((stored) => ({ ...stored, times: new OpenTimes(stored.window) }));
  }

  const windows = {
    /** Set by the engine. */
    onChange: (): void => undefined,
    list: () => [...seenNow().states],
    nextChange: () => seenNow().until,
    reread(): void {
      known = read();
      seen = null;
      windows.onChange();
    },
    ...{ set, nextOpening, isClosedFor, closed, eachClosed },
  };
  return windows;
}

export type NightWindows = ReturnType<typeof createNightWindows>;

export function windowAt(stored: StoredWindow, now: number): WindowState {
  return stateAt({ ...stored, times: new OpenTimes(stored.window) }, now);
}

function stateAt({ scope, window, times, early }: Known, now: number): WindowState {
  const isOpen = times.isOpenAt(now);
  const changesAt = times.nextChange(now);
  // Only that one opening is skipped: after the clock was corrected, the next opening is a different one.
  const isEarly = !isOpen && changesAt !== null && changesAt === early;
  return {
    ...{ scope, window, isEarly, isOpen: isOpen || isEarly },
    changedAt: times.lastChange(now),
    changesAt: isEarly ? times.nextChange(changesAt) : changesAt,
  };
}

const hasClosedSince = ({ isOpen, changedAt }: WindowState, since: number): boolean =>
  !isOpen && changedAt !== null && changedAt >= since;

function behind(closed: readonly WindowState[], all: readonly WindowState[]): Closed {
  const toBatches = (states: readonly WindowState[]) =>
    states.flatMap(({ scope }) => (scope.scope === 'batch' ? [scope.batchId] : []));
  return {
    projects: closed.flatMap(({ scope }) => (scope.scope === 'project' ? [scope.projectId] : [])),
    except: toBatches(all),
    batches: toBatches(closed),
  };
}

export function windowGate(state: WindowState, name: string): Gate {
  const { scope, window, changesAt } = state;
  const { opens, timeZone } = window;
  const day = changesAt === null ? 'mon' : weekdayAt(changesAt, timeZone);
  return {
    reason: 'window_closed',
    message: messageFor('waiting.windowClosed', { scope: scope.scope, name, day, opens, timeZone }),
    until: changesAt,
    window: state,
  };
}

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
const weekdayAt = (at: number, timeZone: string): Weekday => toWeekday(zonedTime(timeZone).wallClock(at));

const toWeekday = (wall: number): Weekday => WEEKDAYS[(new Date(wall).getUTCDay() + 6) % 7] ?? 'mon';

function toMs(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/**
 * A time zone of the system. A wall-clock time is given as the UTC time, ms, at which a clock in UTC shows the same.
 */
function zonedTime(timeZone: string) {
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
