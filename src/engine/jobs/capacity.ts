import { limitsFor } from '../api/request-queue.ts';
import type { Job, Step } from '../db/job-store.ts';
import { accountKey, accountOfKey, type Account } from '../db/service-store.ts';
import type { LaunchedStep, RunningSteps } from './running-steps.ts';
import type { ServiceQueue } from './service-queues.ts';
import type { StepContext } from './step-context.ts';
import type { Excluded, WaitReason, Seen } from './wait-reasons.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { Gate } from '../../contract/events.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import { toMessage } from '../base/errors.ts';
import { ProjectInUseError } from '../projects/project-owner.ts';
import { LOCAL_RETRY_MS } from './disk-check.ts';

/** The places that jobs take in a service while they run a step, and those that the service has for tasks. */
export class Places implements WaitReason {
  readonly #context: StepContext;
  readonly #launched: RunningSteps;

  constructor(context: StepContext, launched: RunningSteps) {
    this.#context = context;
    this.#launched = launched;
  }

  left(serviceQueue: ServiceQueue, step: Step): number {
    if (step !== 'poll') return this.#atOnce(serviceQueue, step) - this.#launched.places(serviceQueue, step);
    const { clients, jobs } = this.#context;
    const { accounts = [], until = Infinity } = this.excludes(serviceQueue, step);
    const others = [...jobs.tasksInFlight.accountKeys()].filter((name) => !accounts.includes(name));
    if (others.length === 0 && accounts.length > 0 && until === Infinity) return 0;
    const taken = others.map((name) =>
      this.#launched.places(serviceQueue, step, clients.queues(accountOfKey(name)).poll),
    );
    return this.#atOnce(serviceQueue, step) - (taken.length === 0 ? 0 : Math.min(...taken));
  }

  /** Models at their ceiling (see `Ceilings`); accounts that wait after a 429, or whose places are taken. */
  excludes(serviceQueue: ServiceQueue, step: Step): Excluded {
    const { clients } = this.#context;
    if (step === 'poll') {
      const waiting = clients.accounts().filter((account) => this.#isFullOrHeld(serviceQueue, account));
      return {
        accounts: waiting.map(accountKey),
        until: Math.min(...waiting.map((account) => clients.queues(account).poll.heldUntil() ?? Infinity)),
      };
    }
    const held = step === 'submit' ? this.#heldModels(serviceQueue) : [];
    return { models: held.map(({ model }) => model), until: Math.min(...held.map(({ until }) => until)) };
  }

  /** Whether a claimed job has to wait because one that was claimed with it took the last place. */
  isFull(serviceQueue: ServiceQueue, step: Step, account: Account, { model }: Job): boolean {
    if (step === 'poll') return this.#isFullOrHeld(serviceQueue, account);
    return step === 'submit' && this.#heldUntil(serviceQueue, account, model) !== null;
  }

  noteSent({ serviceQueue, model }: LaunchedStep, account: Account): void {
    this.#context.clients.ceilings(account).sent(model, this.#launched.submits(serviceQueue, model));
  }

  #isFullOrHeld(serviceQueue: ServiceQueue, account: Account): boolean {
    const { poll } = this.#context.clients.queues(account);
    return (
      poll.heldUntil() !== null ||
      this.#launched.places(serviceQueue, 'poll', poll) >= this.#atOnce(serviceQueue, 'poll')
    );
  }

  #heldModels(serviceQueue: ServiceQueue): { readonly model: string; readonly until: number }[] {
    const account = this.#context.clients.currentIfAny(serviceQueue.service);
    if (!account) return [];
    return [...this.#context.clients.ceilings(account).places().keys()].flatMap((model) => {
      const until = this.#heldUntil(serviceQueue, account, model);
      return until === null ? [] : [{ model, until }];
    });
  }

  /** Until when the next submit of a model waits for the end of a task, ms; null when it may go. */
  #heldUntil(serviceQueue: ServiceQueue, account: Account, model: string): number | null {
    return this.#context.clients.ceilings(account).heldUntil(model, this.#launched.submits(serviceQueue, model));
  }

  /** Steps of one kind that one service handles together, whether they run or wait for a token. */
  #atOnce({ preparing }: ServiceQueue, step: Step): number {
    return step === 'prepare' ? preparing.concurrency : limitsFor(this.#context.settings, step).concurrency;
  }
}

const ASK_AGAIN_MS = 15_000;

type Held = Gate & { readonly until: number; readonly projectId: string };

export class DueProjects implements WaitReason {
  readonly #context: StepContext;
  /** A project was taken, or could not be: look again. */
  readonly #lookAgain: () => void;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Projects in which nothing begins: they are being renamed, or are in the archive. */
  readonly suspended = new Set<string>();
  readonly #held = new Map<string, Held>();
  /** Folders that are away, each with the time until which steps check it themselves, ms. */
  readonly #away = new Map<string, number>();

  constructor(context: StepContext, lookAgain: () => void) {
    this.#context = context;
    this.#lookAgain = lookAgain;
  }

  /** Whether jobs of a project may continue, also while its folder is away: each step knows what it can do then. */
  mayGoOn(projectId: string, now: number): boolean {
    return this.#context.claims.taken.has(projectId) || (this.#away.get(projectId) ?? 0) > now;
  }

  ask(projectId: string): void {
    if (this.#underWay.has(projectId)) return;
    const asked = this.#context.claims
      .claim(projectId)
      .catch((error: unknown) => this.#onRefusal(projectId, error))
      .finally(() => {
        this.#underWay.delete(projectId);
        this.#lookAgain();
      });
    this.#underWay.set(projectId, asked);
  }

  excludes(_serviceQueue: ServiceQueue, _step: Step, now: number): Excluded {
    const held = this.closed(now);
    return {
      projects: [...held.map(({ projectId }) => projectId), ...this.#underWay.keys(), ...this.suspended],
      until: Math.min(...held.map(({ until }) => until)),
    };
  }

  note({ job, report }: Seen): void {
    if (report.saw === 'project_in_use') this.#hold(job.projectId, report.error);
  }

  closed(now: number): Held[] {
    return [...this.#held.values()].filter(({ until }) => until > now);
  }

  #hold(projectId: string, { whoWorks }: { readonly whoWorks: Text }): void {
    const message = messageFor('waiting.projectInUse', { reason: whoWorks });
    this.#held.set(projectId, {
      reason: 'project_in_use',
      message,
      until: this.#context.ports.clock.now() + ASK_AGAIN_MS,
      projectId,
    });
  }

  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  #onRefusal(projectId: string, error: unknown): void {
    if (error instanceof ProjectInUseError) {
      this.#hold(projectId, error);
      return;
    }
    if (!isDatabaseTrouble(error)) {
      this.#context.ports.logger.warn('A project could not be taken', { project: projectId, reason: toMessage(error) });
    }
    this.#away.set(projectId, this.#context.ports.clock.now() + LOCAL_RETRY_MS);
  }
}
