import type { Clock } from '../base/ports.ts';
import { type Blame, type Ceiling, type CeilingSnapshot, createCeiling, type InFlight } from '../machine/ceiling.ts';

export interface CeilingsOptions {
  readonly clock: Clock;
  readonly inFlight: (model: string) => InFlight;
  /** Refreshes the count before something is learned from a 429. */
  readonly recount?: () => void;
  readonly learned?: ReadonlyMap<string, CeilingSnapshot>;
  readonly save?: (model: string, learned: CeilingSnapshot | null) => void;
}

export class Ceilings {
  readonly #options: CeilingsOptions;
  readonly #ceilings: Map<string, Ceiling>;

  constructor(options: CeilingsOptions) {
    this.#options = options;
    this.#ceilings = new Map([...(options.learned ?? [])].map(([model, learned]) => [model, createCeiling(learned)]));
  }

  /** By model with a known limit: how many tasks run at once, and when one more is tried, ms. */
  places(): Map<string, { readonly count: number; readonly nextTryAt: number }> {
    const now = this.#options.clock.now();
    const known = [...this.#ceilings].flatMap(([model, ceiling]) => {
      const snapshot = ceiling.snapshot();
      return snapshot ? [[model, { count: snapshot.own, nextTryAt: ceiling.nextTryAt(now) }] as const] : [];
    });
    return new Map(known);
  }

  isFull(model: string): boolean {
    return this.#ceilings.get(model)?.isReached(this.#options.inFlight(model)) ?? false;
  }

  /** Until when the next submit of a model waits for a task, ms; null if it may go. `underWay`: submits unanswered. */
  heldUntil(model: string, underWay: InFlight): number | null {
    const ceiling = this.#ceilings.get(model);
    if (!ceiling?.isReached(sum(this.#options.inFlight(model), underWay))) return null;
    const now = this.#options.clock.now();
    const at = ceiling.nextTryAt(now);
    return at > now ? at : null;
  }

  /** A submit is sent, in addition to those in `underWay`. */
  sent(model: string, underWay: InFlight): void {
    const ceiling = this.#ceilings.get(model);
    if (ceiling?.snapshot())
      this.#note(model, () => ceiling.onSent(sum(this.#options.inFlight(model), underWay), this.#options.clock.now()));
  }

  accepted(model: string): void {
    this.#note(model, (ceiling) => ceiling.onAccepted(this.#options.inFlight(model), this.#options.clock.now()));
  }

  /** A task ended that was last seen running at `lastSeen`, ms. */
  ended(model: string, lastSeen: number): void {
    this.#note(model, (ceiling) => ceiling.onEnded(lastSeen));
  }

  /** See `Ceiling.onThrottled`. */
  throttled(model: string, refusal: { hurried: boolean; pauseMs: number }): Blame {
    this.#options.recount?.();
    return this.#note(model, (ceiling) =>
      ceiling.onThrottled(this.#options.inFlight(model), this.#options.clock.now(), refusal),
    );
  }

  #note<Result>(model: string, note: (ceiling: Ceiling) => Result): Result {
    const ceiling = this.#ceilings.get(model) ?? createCeiling();
    this.#ceilings.set(model, ceiling);
    const before = ceiling.snapshot();
    const result = note(ceiling);
    if (ceiling.snapshot() !== before) this.#options.save?.(model, ceiling.snapshot());
    return result;
  }
}

const sum = (a: InFlight, b: InFlight): InFlight => ({ own: a.own + b.own, all: a.all + b.all });
