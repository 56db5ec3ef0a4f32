import type { Gate } from '../../contract/events.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { windowFor, type NightWindow, type WindowScope, type WindowState } from '../../contract/night-window.ts';
import type { Clock } from '../base/ports.ts';
import type { LimitFiles } from '../projects/limits.ts';
import { OpenTimes, weekdayAt } from '../base/open-times.ts';
import type { Closed } from '../db/due-jobs.ts';
import type { StoredWindow, WindowStore } from '../db/limit-store.ts';

interface OfBatch {
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

export class NightWindows {
  readonly #store: WindowStore;
  readonly #limitFiles: LimitFiles;
  readonly #clock: Clock;
  onChange = (): void => undefined;
  #known: readonly Known[] = [];
  #seen: Seen | null = null;

  constructor(store: WindowStore, limitFiles: LimitFiles, clock: Clock) {
    this.#store = store;
    this.#limitFiles = limitFiles;
    this.#clock = clock;
    this.#read();
  }

  list(): WindowState[] {
    return [...this.#seenNow().states];
  }

  set(scope: WindowScope, window: NightWindow | null): void {
    this.#store.change(scope, window);
    this.#limitFiles.decided('window', scope);
  }

  /** When a closed window opens next, ms; null where none is closed, or it never opens. */
  nextOpening(scope: WindowScope): number | null {
    const now = this.#clock.now();
    const known = this.#known.find((each) => isSame(each.scope, scope));
    return known && !known.times.isOpenAt(now) ? known.times.nextChange(now) : null;
  }

  reread(): void {
    this.#read();
    this.onChange();
  }

  isClosedFor(take: OfBatch): boolean {
    return this.#stateOf(take)?.isOpen === false;
  }

  /** What is held now; with `since` (ms), only by windows that closed then or later. */
  closed(since = Number.NEGATIVE_INFINITY): Closed {
    const { states } = this.#seenNow();
    return behind(
      states.filter((state) => hasClosedSince(state, since)),
      states,
    );
  }

  eachClosed(): { readonly state: WindowState; readonly closed: Closed }[] {
    const { states } = this.#seenNow();
    return states.filter(({ isOpen }) => !isOpen).map((state) => ({ state, closed: behind([state], states) }));
  }

  nextChange(): number {
    return this.#seenNow().until;
  }

  #stateOf(take: OfBatch): WindowState | undefined {
    return windowFor(take, this.#seenNow().states);
  }

  #seenNow(): Seen {
    const now = this.#clock.now();
    if (this.#seen && now >= this.#seen.at && now < this.#seen.until) return this.#seen;
    const states = this.#known.map((known) => stateAt(known, now));
    const changes = states.flatMap(({ changesAt }) => (changesAt === null ? [] : [changesAt]));
    this.#seen = { at: now, until: Math.min(...changes), states };
    return this.#seen;
  }

  #read(): void {
    this.#known = this.#store.list().map((stored) => ({ ...stored, times: new OpenTimes(stored.window) }));
    this.#seen = null;
  }
}

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

const isSame = (one: WindowScope, other: WindowScope): boolean =>
  one.scope === 'batch'
    ? other.scope === 'batch' && one.batchId === other.batchId
    : other.scope === 'project' && one.projectId === other.projectId;

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
