import type { Account } from '../db/service-store.ts';
import type { LaunchedStep, LaunchedSteps } from './launched-steps.ts';
import type { Lane } from './lanes.ts';
import type { StepContext } from './step-context.ts';

/** A search that passes over every ready job reads them all: one that found nothing is made again after, ms. */
const SEARCH_AGAIN_MS = 5000;

/** Which models' submits wait for a place at the service; see `Ceilings`. */
export class HeldModels {
  readonly #context: StepContext;
  readonly #launched: LaunchedSteps;
  readonly #foundNothing = new Map<string, number>();

  constructor(context: StepContext, launched: LaunchedSteps) {
    this.#context = context;
    this.#launched = launched;
  }

  /** Until when the next submit of a model waits for the end of a task, ms; null when it may go. */
  heldUntil(lane: Lane, account: Account, model: string): number | null {
    return this.#context.clients.ceilings(account).heldUntil(model, this.#launched.submits(lane, model));
  }

  /** A submit is about to leave. */
  noteSent({ lane, model }: LaunchedStep, account: Account): void {
    this.#context.clients.ceilings(account).sent(model, this.#launched.submits(lane, model));
  }

  /** The models of a lane that are held, and when the first of them is tried all the same, ms. */
  of(lane: Lane): { readonly models: readonly string[]; readonly until: number } {
    const account = this.#context.clients.currentIfAny(lane.service);
    const models = account ? [...this.#context.clients.ceilings(account).places().keys()] : [];
    const held = models.flatMap((model) => {
      const until = account && this.heldUntil(lane, account, model);
      return until === null ? [] : [{ model, until }];
    });
    return { models: held.map(({ model }) => model), until: Math.min(...held.map(({ until }) => until)) };
  }

  /** When jobs of other models than those may be searched for, ms. */
  nextSearchAt(lane: Lane, models: readonly string[]): number {
    return this.#foundNothing.get(searchOf(lane, models)) ?? Number.NEGATIVE_INFINITY;
  }

  /** No job of another model is due. */
  noteNothingFound(lane: Lane, models: readonly string[], now: number): void {
    this.#foundNothing.set(searchOf(lane, models), now + SEARCH_AGAIN_MS);
  }
}

const searchOf = ({ service }: Lane, models: readonly string[]): string => JSON.stringify([service, ...models]);
