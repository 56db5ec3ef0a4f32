import { setTimeout as realSleep } from 'node:timers/promises';
import type { FakeClock } from './fake-clock.ts';
import { whenIdle, whenIdleOnTheWire } from './idle.ts';

/** Far more than any test needs: a day of polls is 2,900. */
const MAX_JUMPS = 20_000;
/** How often a step is looked at that is under way while nobody sleeps: what it does is out of our sight. */
const MAX_LOOKS = 2000;

/** What a pump has to know of the world it keeps going. */
export interface Pumped {
  /** Steps of jobs that are under way. */
  readonly stepsUnderWay: () => number;
  /** The service has answers to give, and more of them than wait for the clock on purpose. */
  readonly serviceIsAtWork: () => boolean;
  /** For the message of a test that waits in vain. */
  readonly whatGoesOn: () => string;
}

/**
 * Runs a world on a fake clock: everything that needs no clock happens first, then the clock moves to the next sleeper,
 * and so on. Several may wait at once; the clock is moved once for all of them.
 */
export class Pump {
  readonly #clock: FakeClock;
  readonly #world: Pumped;
  #standstill: Promise<void> | null = null;
  #jumps = 0;

  constructor(clock: FakeClock, world: Pumped) {
    this.#clock = clock;
    this.#world = world;
  }

  /** Keeps the world going until `work` is done. Fails, rather than hangs, when that never comes. */
  async untilDone<Result>(work: Promise<Result>): Promise<Result> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    // It may fail while the clock is moved: the caller gets that below.
    finished.catch(() => undefined);
    const givingUpAt = this.#jumps + MAX_JUMPS;
    while (!done) {
      if (this.#jumps > givingUpAt) throw new Error(`the world does not settle: ${this.#world.whatGoesOn()}`);
      if (!(await this.#jump(() => done))) await realSleep(1);
    }
    return finished;
  }

  /** Keeps the world going until `holds`, at most a day of the clock. */
  async untilHolds(what: string, holds: () => boolean): Promise<void> {
    const givingUpAt = this.#clock.now() + 86_400_000;
    let looks = 0;
    while (!holds()) {
      if (this.#clock.now() <= givingUpAt && (await this.#jump(holds))) continue;
      looks += 1;
      const mayStillCome = this.#world.stepsUnderWay() > 0 && looks < MAX_LOOKS;
      if (!mayStillCome && !holds()) throw new Error(`${what} never came: ${this.#world.whatGoesOn()}`);
      await realSleep(1);
    }
  }

  /** Lets everything happen that needs no clock. */
  untilStandstill(): Promise<void> {
    this.#standstill ??= this.#untilNothingMoves().finally(() => {
      this.#standstill = null;
    });
    return this.#standstill;
  }

  /** False when nobody sleeps, so that no clock can make anything happen. */
  async #jump(isEnough: () => boolean): Promise<boolean> {
    const jumps = this.#jumps;
    await this.untilStandstill();
    if (isEnough() || jumps !== this.#jumps) return true;
    const next = this.#clock.nextWakeAt();
    if (next === null) return false;
    this.#jumps += 1;
    this.#clock.advance(Math.max(0, next - this.#clock.now()));
    return true;
  }

  /** Resolves when all work waits for the clock: quick to see while nothing runs. */
  async #untilNothingMoves(): Promise<void> {
    await whenIdle();
    while (this.#world.stepsUnderWay() > 0) {
      await whenIdleOnTheWire();
      if (!this.#world.serviceIsAtWork()) return;
    }
  }
}
