import { limitsFor } from '../api/request-queue.ts';
import type { Job, Step } from '../db/job-store.ts';
import { accountKey, accountOfKey, type Account } from '../db/service-store.ts';
import type { LaunchedStep, RunningSteps } from './running-steps.ts';
import type { ServiceQueue } from './service-queues.ts';
import type { StepContext } from './step-context.ts';
import type { TimedGate } from './gates.ts';
import type { Excluded, Seen } from './wait-reasons.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import { toMessage } from '../base/errors.ts';
import { ProjectInUseError } from '../projects/project-owner.ts';
import { LOCAL_RETRY_MS } from './disk-check.ts';

/** The places that jobs take in a service while they run a step, and those that the service has for tasks. */
export function createPlaces(context: StepContext, launched: RunningSteps) {
  function left(serviceQueue: ServiceQueue, step: Step): number {
    if (step !== 'poll') return atOnce(serviceQueue, step) - launched.places(serviceQueue, step);
    const { clients, jobs } = context;
    const { accounts = [], until = Infinity } = excludes(serviceQueue, step);
    const others = [...jobs.tasksInFlight.accountKeys()].filter((name) => !accounts.includes(name));
    if (others.length === 0 && accounts.length > 0 && until === Infinity) return 0;
    const taken = others.map((name) => launched.places(serviceQueue, step, clients.queues(accountOfKey(name)).poll));
    return atOnce(serviceQueue, step) - (taken.length === 0 ? 0 : Math.min(...taken));
  }

  /** Models at their ceiling (see `Ceilings`); accounts that wait after a 429, or whose places are taken. */
  function excludes(serviceQueue: ServiceQueue, step: Step): Excluded {
    const { clients } = context;
    if (step === 'poll') {
      const waiting = clients.accounts().filter((account) => isFullOrHeld(serviceQueue, account));
      return {
        accounts: waiting.map(accountKey),
        until: Math.min(...waiting.map((account) => clients.queues(account).poll.heldUntil() ?? Infinity)),
      };
    }
    const held = step === 'submit' ? heldModels(serviceQueue) : [];
    return { models: held.map(({ model }) => model), until: Math.min(...held.map(({ until }) => until)) };
  }

  /** Whether a claimed job has to wait because one that was claimed with it took the last place. */
  function isFull(serviceQueue: ServiceQueue, step: Step, account: Account, { model }: Job): boolean {
    if (step === 'poll') return isFullOrHeld(serviceQueue, account);
    return step === 'submit' && heldUntil(serviceQueue, account, model) !== null;
  }

  function noteSent({ serviceQueue, model }: LaunchedStep, account: Account): void {
    context.clients.ceilings(account).sent(model, launched.submits(serviceQueue, model));
  }

  function isFullOrHeld(serviceQueue: ServiceQueue, account: Account): boolean {
    const { poll } = context.clients.queues(account);
    return poll.heldUntil() !== null || launched.places(serviceQueue, 'poll', poll) >= atOnce(serviceQueue, 'poll');
  }

  function heldModels(serviceQueue: ServiceQueue): { readonly model: string; readonly until: number }[] {
    const account = context.clients.currentIfAny(serviceQueue.service);
    if (!account) return [];
    return [...context.clients.ceilings(account).places().keys()].flatMap((model) => {
      const until = heldUntil(serviceQueue, account, model);
      return until === null ? [] : [{ model, until }];
    });
  }

  /** Until when the next submit of a model waits for the end of a task, ms; null when it may go. */
  function heldUntil(serviceQueue: ServiceQueue, account: Account, model: string): number | null {
    return context.clients.ceilings(account).heldUntil(model, launched.submits(serviceQueue, model));
  }

  /** Steps of one kind that one service handles together, whether they run or wait for a token. */
  function atOnce({ preparing }: ServiceQueue, step: Step): number {
    return step === 'prepare' ? preparing.concurrency : limitsFor(context.settings, step).concurrency;
  }

  return { left, excludes, isFull, noteSent };
}

const ASK_AGAIN_MS = 15_000;

type Held = TimedGate & { readonly projectId: string };

/** `lookAgain`: a project was taken, or could not be. */
export function createDueProjects(context: StepContext, lookAgain: () => void) {
  const underWay = new Map<string, Promise<void>>();
  /** Projects in which nothing begins: they are being renamed, or are in the archive. */
  const suspended = new Set<string>();
  const inUse = new Map<string, Held>();
  /** Folders that are away, each with the time until which steps check it themselves, ms. */
  const away = new Map<string, number>();

  /** Whether jobs of a project may continue, also while its folder is away: each step knows what it can do then. */
  function mayGoOn(projectId: string, now: number): boolean {
    return context.claims.taken.has(projectId) || (away.get(projectId) ?? 0) > now;
  }

  function ask(projectId: string): void {
    if (underWay.has(projectId)) return;
    const asked = context.claims
      .claim(projectId)
      .catch((error: unknown) => onRefusal(projectId, error))
      .finally(() => {
        underWay.delete(projectId);
        lookAgain();
      });
    underWay.set(projectId, asked);
  }

  function excludes(_serviceQueue: ServiceQueue, _step: Step, now: number): Excluded {
    const held = closed(now);
    return {
      projects: [...held.map(({ projectId }) => projectId), ...underWay.keys(), ...suspended],
      until: Math.min(...held.map(({ until }) => until)),
    };
  }

  function note({ job, report }: Seen): void {
    if (report.saw === 'project_in_use') hold(job.projectId, report.error);
  }

  function closed(now: number): Held[] {
    return [...inUse.values()].filter(({ until }) => until > now);
  }

  function hold(projectId: string, { whoWorks }: { readonly whoWorks: Text }): void {
    const message = messageFor('waiting.projectInUse', { reason: whoWorks });
    const until = context.ports.clock.now() + ASK_AGAIN_MS;
    inUse.set(projectId, { reason: 'project_in_use', message, until, projectId });
  }

  async function ended(): Promise<void> {
    await Promise.all(underWay.values());
  }

  function onRefusal(projectId: string, error: unknown): void {
    if (error instanceof ProjectInUseError) {
      hold(projectId, error);
      return;
    }
    if (!isDatabaseTrouble(error)) {
      context.ports.logger.warn('A project could not be taken', { project: projectId, reason: toMessage(error) });
    }
    away.set(projectId, context.ports.clock.now() + LOCAL_RETRY_MS);
  }

  return { suspended, mayGoOn, ask, excludes, note, closed, ended };
}
