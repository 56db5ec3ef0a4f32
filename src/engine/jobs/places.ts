import { limitsOf } from '../api/request-queue.ts';
import type { Job, Step } from '../db/job-store.ts';
import { accountName, accountNamed, type Account } from '../db/service-store.ts';
import type { LaunchedStep, LaunchedSteps } from './launched-steps.ts';
import type { Lane } from './lanes.ts';
import type { StepContext } from './step-context.ts';

export interface Room {
  readonly jobs: number;
  /** Models that have as many tasks running as the service allows; see `Ceilings`. */
  readonly models: readonly string[];
  /**
   * Accounts whose tasks are not asked about now, because of a 429 or because their places are taken. See
   * `accountName`.
   */
  readonly accounts: readonly string[];
  /** When the first of those is tried again, ms; Infinity for "when a step ends". */
  readonly until: number;
}

/** The places that jobs take in a lane while they run a step, and those that the service has for tasks. */
export class Places {
  readonly #context: StepContext;
  readonly #launched: LaunchedSteps;

  constructor(context: StepContext, launched: LaunchedSteps) {
    this.#context = context;
    this.#launched = launched;
  }

  left(lane: Lane, step: Step): Room {
    if (step === 'poll') return this.#leftForPolls(lane);
    const held = step === 'submit' ? this.#heldModels(lane) : [];
    return {
      jobs: this.#atOnce(lane, step) - this.#launched.places(lane, step),
      models: held.map(({ model }) => model),
      accounts: [],
      until: Math.min(...held.map(({ until }) => until)),
    };
  }

  /** Whether a claimed job has to wait because one that was claimed with it took the last place. */
  isFull(lane: Lane, step: Step, account: Account, { model }: Job): boolean {
    if (step === 'poll') return this.#isFullOrHeld(lane, account);
    return step === 'submit' && this.#heldUntil(lane, account, model) !== null;
  }

  /** A submit is about to leave. */
  noteSent({ lane, model }: LaunchedStep, account: Account): void {
    this.#context.clients.ceilings(account).sent(model, this.#launched.submits(lane, model));
  }

  /** Each account has its own places: tasks of an earlier key or address do not delay those of the present one. */
  #leftForPolls(lane: Lane): Room {
    const { clients, jobs } = this.#context;
    const atOnce = this.#atOnce(lane, 'poll');
    const waiting = clients.accounts().filter((account) => this.#isFullOrHeld(lane, account));
    const accounts = waiting.map(accountName);
    const until = Math.min(...waiting.map((account) => clients.queues(account).poll.heldUntil() ?? Infinity));
    const others = [...jobs.tasksInFlight.accountNames()].filter((name) => !accounts.includes(name));
    if (others.length === 0 && accounts.length > 0 && until === Infinity)
      return { jobs: 0, models: [], accounts, until };
    const taken = others.map((name) => this.#launched.places(lane, 'poll', clients.queues(accountNamed(name)).poll));
    return { jobs: atOnce - (taken.length === 0 ? 0 : Math.min(...taken)), models: [], accounts, until };
  }

  #isFullOrHeld(lane: Lane, account: Account): boolean {
    const { poll } = this.#context.clients.queues(account);
    return poll.heldUntil() !== null || this.#launched.places(lane, 'poll', poll) >= this.#atOnce(lane, 'poll');
  }

  #heldModels(lane: Lane): { readonly model: string; readonly until: number }[] {
    const account = this.#context.clients.currentIfAny(lane.service);
    if (!account) return [];
    return [...this.#context.clients.ceilings(account).places().keys()].flatMap((model) => {
      const until = this.#heldUntil(lane, account, model);
      return until === null ? [] : [{ model, until }];
    });
  }

  /** Until when the next submit of a model waits for the end of a task, ms; null when it may go. */
  #heldUntil(lane: Lane, account: Account, model: string): number | null {
    return this.#context.clients.ceilings(account).heldUntil(model, this.#launched.submits(lane, model));
  }

  /** Steps of one kind that one lane handles together, whether they run or wait for a token. */
  #atOnce({ preparing }: Lane, step: Step): number {
    return step === 'prepare' ? preparing.concurrency : limitsOf(this.#context.settings, step).concurrency;
  }
}
