import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCeiling, type Ceiling, type InFlight } from '../../../src/engine/machine/ceiling.ts';

const start = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PAUSE_MS = 2000;

const ownTasks = (count: number): InFlight => ({ own: count, all: count });
const unhurried = { hurried: false, pauseMs: PAUSE_MS };
const hurried = { hurried: true, pauseMs: PAUSE_MS };

function mayGo(ceiling: Ceiling, inFlight: InFlight, now: number): boolean {
  return !ceiling.isReached(inFlight) || ceiling.nextTryAt(now) <= now;
}

/** A ceiling of three that is beyond doubt. */
function ofThree(): Ceiling {
  const ceiling = createCeiling();
  ceiling.onThrottled(ownTasks(3), start, unhurried);
  return ceiling;
}

describe('a ceiling', () => {
  it('holds back nothing before the first 429', () => {
    const ceiling = createCeiling();
    expect(mayGo(ceiling, ownTasks(10_000), start)).toBe(true);
    expect(ceiling.snapshot()).toBeNull();
  });

  it('is where a submit was refused that did not hurry, and the next goes when one has ended', () => {
    const ceiling = createCeiling();
    expect(ceiling.onThrottled(ownTasks(3), start, unhurried)).toBe('count');
    expect(mayGo(ceiling, ownTasks(3), start + PAUSE_MS)).toBe(false);
    expect(mayGo(ceiling, ownTasks(2), start + PAUSE_MS)).toBe(true);
  });

  it('is in doubt where a submit hurried: the rate slows down, and the next submit decides', () => {
    const refusedAgain = createCeiling();
    expect(refusedAgain.onThrottled(ownTasks(3), start, hurried)).toBe('either');
    expect(mayGo(refusedAgain, ownTasks(3), start + PAUSE_MS)).toBe(true);
    expect(refusedAgain.onThrottled(ownTasks(3), start + PAUSE_MS, unhurried)).toBe('count');
    expect(mayGo(refusedAgain, ownTasks(3), start + 2 * PAUSE_MS)).toBe(false);

    const oneEnded = createCeiling();
    oneEnded.onThrottled(ownTasks(3), start, hurried);
    oneEnded.onSent(ownTasks(3), start + PAUSE_MS);
    expect(mayGo(oneEnded, ownTasks(4), start + PAUSE_MS)).toBe(false);
    oneEnded.onAccepted(ownTasks(2), start + PAUSE_MS);
    expect(mayGo(oneEnded, ownTasks(3), start + PAUSE_MS)).toBe(true);

    const taken = createCeiling();
    taken.onThrottled(ownTasks(3), start, hurried);
    taken.onSent(ownTasks(3), start + PAUSE_MS);
    taken.onAccepted(ownTasks(3), start + PAUSE_MS);
    expect(taken.snapshot()).toBeNull();
  });

  it('takes a 429 for one about the rate while fewer run than the service took', () => {
    const ceiling = ofThree();
    expect(ceiling.onThrottled(ownTasks(2), start + MINUTE, unhurried)).toBe('rate');
    expect(ceiling.snapshot()).toBeNull();

    const fresh = createCeiling();
    fresh.onAccepted(ownTasks(7), start);
    expect(fresh.onThrottled(ownTasks(5), start, hurried)).toBe('rate');
    expect(createCeiling().onThrottled(ownTasks(0), start, unhurried)).toBe('rate');
  });

  it('lets one more go after half a minute, and after a failed try after twice as long, up to five minutes', () => {
    const ceiling = ofThree();
    const waits: number[] = [];
    let now = start;
    for (let tries = 0; tries < 6; tries += 1) {
      const at = ceiling.nextTryAt(now);
      waits.push((at - now) / 1000);
      now = at;
      ceiling.onSent(ownTasks(3), now);
      expect(mayGo(ceiling, ownTasks(4), now)).toBe(false);
      ceiling.onThrottled(ownTasks(3), now, hurried);
    }
    expect(waits).toEqual([30, 60, 120, 240, 300, 300]);
  });

  it('tries less often where a failed try holds back for long', () => {
    const ceiling = createCeiling();
    ceiling.onThrottled(ownTasks(3), start, { hurried: false, pauseMs: MINUTE });
    expect(ceiling.nextTryAt(start)).toBe(start + 10 * MINUTE);
    ceiling.onThrottled(ownTasks(3), start, { hurried: false, pauseMs: 10 * HOUR });
    expect(ceiling.nextTryAt(start)).toBe(start + HOUR);
  });

  it('rises by each try that is taken, and is forgotten after three', () => {
    const ceiling = ofThree();
    let now = start + 30_000;
    for (const running of [3, 4]) {
      ceiling.onSent(ownTasks(running), now);
      ceiling.onAccepted(ownTasks(running), now);
      expect(ceiling.snapshot()).toMatchObject(ownTasks(running + 1));
      now = ceiling.nextTryAt(now);
    }
    expect(now).toBeLessThan(start + 40_000);
    ceiling.onAccepted(ownTasks(5), now);
    expect(ceiling.snapshot()).toBeNull();
  });

  it('does not rise by a try that took the place of a task whose end had not been seen', () => {
    const ceiling = ofThree();
    const tried = start + 30_000;
    ceiling.onSent(ownTasks(3), tried);
    ceiling.onAccepted(ownTasks(3), tried);
    ceiling.onEnded(tried - 1000);
    expect(ceiling.snapshot()).toMatchObject(ownTasks(3));
    expect(ceiling.nextTryAt(tried)).toBe(tried + 30_000);
    ceiling.onEnded(tried - 1000);
    expect(ceiling.snapshot()).toMatchObject(ownTasks(3));
  });

  it('holds back only where as many of the model and as many in all are in flight', () => {
    const countedTogether = createCeiling();
    countedTogether.onThrottled({ own: 0, all: 4 }, start, unhurried);
    expect(mayGo(countedTogether, { own: 0, all: 4 }, start)).toBe(false);
    expect(mayGo(countedTogether, { own: 0, all: 3 }, start)).toBe(true);

    const countedByModel = createCeiling();
    countedByModel.onThrottled({ own: 3, all: 9 }, start, unhurried);
    countedByModel.onThrottled({ own: 3, all: 5 }, start, unhurried);
    expect(countedByModel.snapshot()).toMatchObject({ own: 3, all: 5 });
  });

  it('outlives the process, and a clock that was set back', () => {
    const ceiling = createCeiling(ofThree().snapshot());
    expect(mayGo(ceiling, ownTasks(3), start + 29_999)).toBe(false);
    expect(ceiling.nextTryAt(start - 10 * HOUR)).toBe(start - 10 * HOUR + 30_000);
  });

  const events = fc.array(
    fc.record({
      wait: fc.nat(60_000),
      own: fc.nat(8),
      others: fc.nat(4),
      then: fc.constantFrom('sent', 'accepted', 'ended', 'throttled', 'throttled'),
      hurried: fc.boolean(),
      pauseMs: fc.nat(12 * HOUR),
    }),
    { maxLength: 100 },
  );

  it('never holds back while nothing is in flight, and always names a time within the hour', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        const ceiling = createCeiling();
        let now = start;
        for (const { wait, own, others, then, ...refusal } of sequence) {
          now += wait;
          const inFlight = { own, all: own + others };
          if (then === 'sent') ceiling.onSent(inFlight, now);
          if (then === 'accepted') ceiling.onAccepted(inFlight, now);
          if (then === 'ended') ceiling.onEnded(now - refusal.pauseMs);
          if (then === 'throttled') ceiling.onThrottled(inFlight, now, refusal);
          expect(ceiling.isReached(ownTasks(0))).toBe(false);
          expect(ceiling.nextTryAt(now)).toBeLessThanOrEqual(now + HOUR);
        }
      }),
    );
  });

  it('keeps every place of a service busy, at a few 429s an hour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), taskSeconds, (places, seconds) => {
        const run = new Run(createCeiling(), seconds);
        run.for(10 * MINUTE, places);
        run.throttled = 0;
        const busy = run.for(HOUR, places);
        expect(busy).toBeGreaterThan(0.9 * places);
        expect(run.throttled).toBeLessThanOrEqual(14);
      }),
      { numRuns: 50 },
    );
  });

  it('finds new places within minutes, and gives up those that are gone', () => {
    const many = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(many, many, taskSeconds, (before, after, seconds) => {
        const run = new Run(createCeiling(), seconds);
        run.for(2 * HOUR, before);
        // Tasks that are under way end first; the longest takes two minutes.
        run.for(10 * MINUTE, after);
        run.throttled = 0;
        expect(run.for(HOUR, after)).toBeGreaterThan(0.9 * after);
        expect(run.throttled).toBeLessThanOrEqual(14);
      }),
      { numRuns: 50 },
    );
  });
});

const taskSeconds = fc.array(fc.integer({ min: 5, max: 120 }), { minLength: 1, maxLength: 20 });

/** A service with so many places and a client that sends as soon as its ceiling allows, a second at a time. */
class Run {
  readonly #ceiling: Ceiling;
  readonly #seconds: readonly number[];
  #ends: number[] = [];
  #sent = 0;
  #now = start;
  #notBefore = start;
  #lastSent = 0;
  throttled = 0;

  constructor(ceiling: Ceiling, seconds: readonly number[]) {
    this.#ceiling = ceiling;
    this.#seconds = seconds;
  }

  /** Tasks that ran at once, on average. */
  for(ms: number, places: number): number {
    let busy = 0;
    for (const end = this.#now + ms; this.#now < end; this.#now += 1000) {
      this.#seeEnds();
      while (this.#maySend()) this.#send(places);
      busy += this.#ends.length;
    }
    return (busy * 1000) / ms;
  }

  #maySend(): boolean {
    return this.#now >= this.#notBefore && mayGo(this.#ceiling, ownTasks(this.#ends.length), this.#now);
  }

  #seeEnds(): void {
    const ended = this.#ends.filter((at) => at <= this.#now);
    this.#ends = this.#ends.filter((at) => at > this.#now);
    for (const at of ended) this.#ceiling.onEnded(at - 500);
  }

  #send(places: number): void {
    const inFlight = ownTasks(this.#ends.length);
    this.#ceiling.onSent(inFlight, this.#now);
    const hurries = this.#lastSent === this.#now;
    this.#lastSent = this.#now;
    if (inFlight.own < places) {
      this.#ceiling.onAccepted(inFlight, this.#now);
      this.#ends.push(this.#now + 1000 * (this.#seconds[this.#sent++ % this.#seconds.length] ?? 5));
    } else {
      this.throttled += 1;
      this.#notBefore = this.#now + PAUSE_MS;
      this.#ceiling.onThrottled(inFlight, this.#now, { hurried: hurries, pauseMs: PAUSE_MS });
    }
  }
}
