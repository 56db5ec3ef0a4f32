import type { Clock } from '../base/ports.ts';
import { createCeiling, type Blame, type Ceiling, type CeilingSnapshot, type InFlight } from '../machine/ceiling.ts';

export interface CeilingsOptions {
  readonly clock: Clock;
  readonly inFlight: (model: string) => InFlight;
  /** Refreshes the count before something is learned from a 429. */
  readonly recount?: () => void;
  /** What an earlier process learned, by model. */
  readonly learned?: ReadonlyMap<string, CeilingSnapshot>;
  /** Keeps what was learned for the next process; null to remove it. Must not throw. */
  readonly save?: (model: string, learned: CeilingSnapshot | null) => void;
}

export class Ceilings {
  readonly #clock: Clock;
  readonly #inFlight: (model: string) => InFlight;
  readonly #recount: () => void;
  readonly #save: (model: string, learned: CeilingSnapshot | null) => void;
  readonly #ceilings: Map<string, Ceiling>;

  constructor({
    clock,
    inFlight,
    recount = () => undefined,
    learned = new Map(),
    save = () => undefined,
  }: CeilingsOptions) {
    this.#clock = clock;
    this.#inFlight = inFlight;
    this.#recount = recount;
    this.#save = save;
    this.#ceilings = new Map([...learned].map(([model, snapshot]) => [model, createCeiling(snapshot)]));
  }

  /**
   * By model: how many tasks run at once, and when one more is tried, ms. Models without a known limit are left out.
   */
  places(): Map<string, { readonly count: number; readonly nextTryAt: number }> {
    const now = this.#clock.now();
    const known = [...this.#ceilings].flatMap(([model, ceiling]) => {
      const snapshot = ceiling.snapshot();
      return snapshot ? [[model, { count: snapshot.own, nextTryAt: ceiling.nextTryAt(now) }] as const] : [];
    });
    return new Map(known);
  }

  isFull(model: string): boolean {
    return this.#ceilings.get(model)?.isReached(this.#inFlight(model)) ?? false;
  }

  /**
   * Until when the next submit of a model waits for a task to end, ms; null if it may go now. `underWay` counts the
   * submits without an answer.
   */
  heldUntil(model: string, underWay: InFlight): number | null {
    const ceiling = this.#ceilings.get(model);
    if (!ceiling?.isReached(sum(this.#inFlight(model), underWay))) return null;
    const now = this.#clock.now();
    const at = ceiling.nextTryAt(now);
    return at > now ? at : null;
  }

  /** A submit is sent, in addition to those in `underWay`. */
  sent(model: string, underWay: InFlight): void {
    const ceiling = this.#ceilings.get(model);
    if (ceiling?.snapshot())
      this.#note(model, () => ceiling.onSent(sum(this.#inFlight(model), underWay), this.#clock.now()));
  }

  accepted(model: string): void {
    this.#note(model, (ceiling) => ceiling.onAccepted(this.#inFlight(model), this.#clock.now()));
  }

  /** A task ended that was last seen running at `lastSeen`, ms. */
  ended(model: string, lastSeen: number): void {
    this.#note(model, (ceiling) => ceiling.onEnded(lastSeen));
  }

  /** See `Ceiling.onThrottled`. */
  throttled(model: string, refusal: { hurried: boolean; pauseMs: number }): Blame {
    this.#recount();
    return this.#note(model, (ceiling) => ceiling.onThrottled(this.#inFlight(model), this.#clock.now(), refusal));
  }

  #note<Result>(model: string, note: (ceiling: Ceiling) => Result): Result {
    const ceiling = this.#ceilings.get(model) ?? createCeiling();
    this.#ceilings.set(model, ceiling);
    const before = ceiling.snapshot();
    const result = note(ceiling);
    if (ceiling.snapshot() !== before) this.#save(model, ceiling.snapshot());
    return result;
  }
}

const sum = (a: InFlight, b: InFlight): InFlight => ({ own: a.own + b.own, all: a.all + b.all });
