import { firstPollDelay, nextPollDelay, taskTimes, type TaskTimes } from '../../src/engine/machine/expected-end.ts';
import type { Random } from '../../src/engine/base/ports.ts';
import { Settings } from '../../src/contract/settings.ts';
import type { InFlight } from '../../src/engine/machine/ceiling.ts';
import { Ceilings } from '../../src/engine/api/ceilings.ts';
import { createLimiter } from '../../src/engine/api/request-queue.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import type { Answer, Shot, SimulatedService, Task } from './service.ts';

/** From a request to the service, and as long back, ms. */
const ONE_WAY_MS = 100;

/** Sends every shot, each a task of the model it names, and follows all tasks to their ends. */
export type Way = (turns: SimulatedTime, service: SimulatedService, shots: readonly Shot[], random: Random) => void;

/** Knows at every moment whether the next submit would be taken. */
export const asAnOracle: Way = (turns, service, shots) => {
  const waiting = [...shots];
  const launch = (): void => {
    for (;;) {
      const index = waiting.findIndex(({ model }) => service.hasRoom(model));
      const [shot] = index < 0 ? [] : waiting.splice(index, 1);
      if (shot === undefined) break;
      service.submit(shot);
    }
    const at = service.nextSubmitAt();
    if (waiting.length > 0 && at > turns.now) turns.at(at, launch);
  };
  service.onEnd = launch;
  launch();
};

/** A p-queue with so many jobs at once, each of which waits as long as a 429 says and polls until its task is done. */
export const asAScript =
  ({ atOnce, pollMs }: { readonly atOnce: number; readonly pollMs: number }): Way =>
  (turns, service, shots) => {
    const waiting = [...shots];
    const next = (): void => {
      const shot = waiting.shift();
      if (shot !== undefined) submit(shot);
    };
    const submit = (shot: Shot): void =>
      turns.at(turns.now + 2 * ONE_WAY_MS, () => {
        const answer = service.submit(shot);
        if (answer === 'unclear') submit(shot);
        else if ('endsAt' in answer) poll(answer);
        else turns.at(turns.now + answer.retryAfterMs, () => submit(shot));
      });
    const poll = (task: Task): void => turns.at(turns.now + pollMs, () => (service.isDone(task) ? next() : poll(task)));
    for (let started = 0; started < atOnce; started += 1) next();
  };

/** As Dailies does, by the same limiter, ceilings and times of polls. */
export const asWeDo: Way = (turns, service, shots, random) => {
  new Ours(turns, service, shots, random).launch();
};

class Ours {
  readonly #turns: SimulatedTime;
  readonly #service: SimulatedService;
  readonly #random: Random;
  readonly #settings = Settings.parse({});
  readonly #submits = createLimiter({ maxRate: this.#settings.maxRate.submit });
  readonly #polls = createLimiter({ maxRate: this.#settings.maxRate.poll });
  readonly #ceilings: Ceilings;
  readonly #samples = new Map<string, number[]>();
  readonly #followed: string[] = [];
  readonly #underWay: string[] = [];
  readonly #waiting: Shot[];
  #wakesAt = Infinity;

  constructor(turns: SimulatedTime, service: SimulatedService, shots: readonly Shot[], random: Random) {
    this.#turns = turns;
    this.#service = service;
    this.#random = random;
    this.#waiting = [...shots];
    const clock = { now: () => turns.now, sleep: () => Promise.resolve() };
    this.#ceilings = new Ceilings({ clock, inFlight: (model) => countOf(this.#followed, model) });
  }

  launch(): void {
    while (this.#underWay.length < this.#settings.concurrency.submit) {
      const index = this.#waiting.findIndex(({ model }) => this.#heldUntil(model) === null);
      const shot = this.#waiting[index];
      if (shot === undefined)
        return this.#wakeAt(Math.min(...this.#waiting.map(({ model }) => this.#heldUntil(model) ?? 0)));
      const { model } = shot;
      const turn = this.#submits.tryTake(this.#turns.now);
      if (!turn.ok) return this.#wakeAt(turn.at);
      this.#waiting.splice(index, 1);
      this.#ceilings.sent(model, countOf(this.#underWay, model));
      this.#underWay.push(model);
      this.#ask(
        () => this.#service.submit(shot),
        (answer) => this.#settle(shot, answer),
      );
    }
  }

  #settle(shot: Shot, answer: Answer): void {
    const { now } = this.#turns;
    const { model } = shot;
    take(this.#underWay, model);
    // What has no clear answer waits for a person, and says nothing of how fast or how many.
    if (answer === 'unclear') return this.launch();
    if ('endsAt' in answer) {
      this.#submits.onSuccess(now);
      this.#ceilings.accepted(model);
      this.#followed.push(model);
      this.#pollAfter(firstPollDelay(this.#timesOf(model)), answer, { acceptedAt: now, lastSeen: now, polls: 0 });
    } else {
      this.#waiting.unshift(shot);
      const refusal = { hurried: this.#submits.wasAtFullRate(now), pauseMs: answer.retryAfterMs };
      const blame = this.#ceilings.throttled(model, refusal);
      if (blame === 'count') this.#submits.onTooMany(now, answer.retryAfterMs);
      else this.#submits.onThrottled(now, answer.retryAfterMs);
    }
    this.launch();
  }

  #pollAfter(wait: number, task: Task, followed: Followed): void {
    this.#turns.at(this.#turns.now + wait, () => {
      const turn = this.#polls.tryTake(this.#turns.now);
      if (!turn.ok) return this.#pollAfter(turn.at - this.#turns.now, task, followed);
      this.#ask(
        () => this.#service.isDone(task),
        (isDone) => this.#see(task, followed, isDone),
      );
    });
  }

  #see(task: Task, { acceptedAt, lastSeen, polls }: Followed, isDone: boolean): void {
    const { now } = this.#turns;
    const { model } = task;
    if (!isDone) {
      const isAwaited = this.#waiting.some((each) => each.model === model) && this.#heldUntil(model) !== null;
      const look = { elapsed: now - acceptedAt, polls, isAwaited };
      const wait = nextPollDelay(this.#timesOf(model), look, this.#random);
      return this.#pollAfter(wait, task, { acceptedAt, lastSeen: now, polls: polls + 1 });
    }
    this.#samples.set(model, [...(this.#samples.get(model) ?? []), (lastSeen + now) / 2 - acceptedAt].slice(-64));
    take(this.#followed, model);
    this.#ceilings.ended(model, lastSeen);
    this.launch();
  }

  #heldUntil(model: string): number | null {
    return this.#ceilings.heldUntil(model, countOf(this.#underWay, model));
  }

  #timesOf(model: string): TaskTimes | null {
    return taskTimes(this.#samples.get(model) ?? []);
  }

  /** A request and its answer. */
  #ask<Said>(ask: () => Said, then: (said: Said) => void): void {
    this.#turns.at(this.#turns.now + ONE_WAY_MS, () => {
      const said = ask();
      this.#turns.at(this.#turns.now + ONE_WAY_MS, () => then(said));
    });
  }

  #wakeAt(at: number): void {
    if (at >= this.#wakesAt || at === Infinity) return;
    this.#wakesAt = at;
    this.#turns.at(at, () => {
      if (this.#turns.now >= this.#wakesAt) this.#wakesAt = Infinity;
      this.launch();
    });
  }
}

interface Followed {
  readonly acceptedAt: number;
  readonly lastSeen: number;
  readonly polls: number;
}

const countOf = (models: readonly string[], model: string): InFlight => ({
  own: models.filter((each) => each === model).length,
  all: models.length,
});

function take(models: string[], model: string): void {
  models.splice(models.indexOf(model), 1);
}
