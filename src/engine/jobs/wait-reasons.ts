import { isAccount, serviceOfAccount, settingsOn } from '../../contract/accounts.ts';
import { type Gate, isLongWait } from '../../contract/events.ts';
import { type CapState, scopeName, shareOfMoney, shareOfTakes } from '../../contract/ledger.ts';
import { type Message, messageFor, type Text } from '../../contract/messages/message.ts';
import type { Capped, ClaimExclusions } from '../db/due-jobs.ts';
import type { RequestClass } from '../../contract/settings.ts';
import type { Job, Step } from '../db/job-store.ts';
import type { TimedGate } from './gates.ts';
import { type Account, accountKey, accountOfKey } from '../db/service-store.ts';
import { type StepReport, toAttempt } from '../machine/job-facts.ts';
import { windowGate } from './night-windows.ts';
import type { StepContext } from './step-context.ts';
import { limitsFor } from '../api/request-queue.ts';
import type { LaunchedStep, RunningSteps, ServiceQueue } from './service-queues.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import { toMessage } from '../base/errors.ts';
import { ProjectInUseError } from '../projects/project-owner.ts';
import { LOCAL_RETRY_MS } from './disk-check.ts';
import type { JobEvent } from '../machine/job-machine.ts';
import { afterOutcome, modelOutcomeFor, type ModelTrouble, withTrialNow } from '../machine/model-trouble.ts';

/** Jobs that a claim passes over, and when the first of them is looked at again, ms; absent: when something changes. */
export interface Excluded extends Omit<ClaimExclusions, 'jobs'> {
  readonly until?: number;
}

export interface Seen {
  readonly serviceQueue: ServiceQueue;
  readonly step: Step;
  readonly job: Job;
  readonly report: StepReport;
  readonly now: number;
}

/** One reason for which jobs wait. `Holds` has all of them, and asks each in turn. */
export interface WaitReason {
  /** Closed: no step of this kind begins for the service. */
  gate?(serviceQueue: ServiceQueue, step: Step, now: number): Gate | null;
  excludes?(serviceQueue: ServiceQueue, step: Step, now: number): Excluded;
  note?(seen: Seen): void;
  closed?(now: number): readonly Gate[];
  /** A person resumed the queue, or the clock was set back: what waits for a time is tried now. */
  tryNow?(now: number): void;
}

const WRITING: ReadonlySet<Step> = new Set(['submit', 'download']);

const RECHECK_MS = 15_000;

/** The disk with the database, which every project needs. */
const DATA = Symbol('data');

/** A disk with too little room holds back only the projects on it; the one with the database holds back all. */
export function fullDisks(): WaitReason {
  const full = new Map<string | typeof DATA, TimedGate>();
  const stillFull = (now: number) => [...full].filter(([, { until }]) => until > now);
  return {
    gate: (_serviceQueue, step, now) =>
      (WRITING.has(step) && stillFull(now).find(([disk]) => disk === DATA)?.[1]) || null,
    excludes(_serviceQueue, step, now) {
      const found = stillFull(now).filter(([disk]) => disk !== DATA && WRITING.has(step));
      return {
        projects: found.flatMap(([disk]) => (disk === DATA ? [] : [disk])),
        until: Math.min(...found.map(([, { until }]) => until)),
      };
    },
    note({ job: { projectId }, report, now }) {
      if (report.saw !== 'disk_low') return;
      const gate: TimedGate = { reason: 'disk_low', message: report.message, until: now + RECHECK_MS };
      if (report.disk === 'data') full.set(DATA, gate);
      else full.set(projectId, { ...gate, projectId });
    },
    closed: (now) => stillFull(now).map(([, gate]) => gate),
    tryNow: () => full.clear(),
  };
}

interface ReachedCap {
  readonly cap: CapState;
  readonly unpriced: string | undefined;
}

/**
 * The caps that are reached. Nothing of their takes is sent until a person raises the cap or resumes the queue, or a
 * request that counted turns out not to have been accepted. This only remembers what a submit found: the check itself is
 * in the transaction of each intent.
 */
export function reachedCaps(context: StepContext) {
  const reached = new Map<string, ReachedCap>();
  const capped = (): Capped => {
    const scopes = [...reached.values()].map(({ cap }) => cap.scope);
    return {
      paid: scopes.some(({ scope }) => scope === 'night'),
      projects: scopes.flatMap((each) => {
        if (each.scope !== 'account') return each.scope === 'project' ? [each.projectId] : [];
        return context.projects.onService(serviceOfAccount(each.accountId || null)).map(({ id }) => id);
      }),
      batches: scopes.flatMap((each) => (each.scope === 'batch' ? [each.batchId] : [])),
    };
  };
  const toGate = (held: ReachedCap): Gate => ({
    reason: 'cap_reached',
    message: capMessage(held, context.settings.currency),
    until: null,
    cap: { ...held.cap, unpriced: held.unpriced ?? null },
  });
  return {
    capped,
    gate(serviceQueue: ServiceQueue, step: Step): Gate | null {
      const ofNight = [...reached.values()].find(({ cap }) => cap.scope.scope === 'night');
      return ofNight && step === 'submit' && isAccount(serviceQueue.service) ? toGate(ofNight) : null;
    },
    excludes: (_serviceQueue: ServiceQueue, step: Step): Excluded => (step === 'submit' ? capped() : {}),
    note({ report }: Seen): void {
      if (report.saw === 'cap_reached') reached.set(scopeName(report.cap.scope), report);
    },
    closed: (): Gate[] =>
      [...reached.values()].filter(({ cap }) => context.jobs.due.hasUnsent(cap.scope)).map((held) => toGate(held)),
    tryNow: (): void => reached.clear(),
  };
}

function capMessage({ cap: state, unpriced }: ReachedCap, currency: string): Message {
  const { scope, name, cap } = state;
  const where = { scope: scope.scope, name };
  if (unpriced !== undefined) return messageFor('waiting.capUnpriced', { ...where, model: unpriced });
  const isByTakes = (shareOfTakes(state) ?? 0) > (shareOfMoney(state) ?? -1);
  if (cap.money === null || (cap.takes !== null && isByTakes))
    return messageFor('waiting.capTakes', { ...where, takes: cap.takes ?? 0 });
  return messageFor('waiting.capMoney', { ...where, money: cap.money, currency });
}

export const closedWindows = ({ batches, projects, nightWindows: windows, jobs }: StepContext) => ({
  excludes: (_serviceQueue: ServiceQueue, step: Step): Excluded =>
    step === 'submit' ? { closed: windows.closed() } : {},
  closed: (): Gate[] =>
    windows.eachClosed().flatMap(({ state, closed }) => {
      if (!jobs.due.isAnyBehind(closed)) return [];
      const { scope } = state;
      const name = (scope.scope === 'batch' ? batches.get(scope.batchId) : projects.get(scope.projectId))?.name ?? '';
      return [windowGate(state, name)];
    }),
});

type Throttled = Pick<StepContext, 'clients' | 'downloader' | 'jobs'>;

/** What services and hosts of results hold back by their 429s, to show to a person. */
export function throttledGates(parts: Throttled, now: number): Gate[] {
  const { clients, downloader } = parts;
  const hosts = downloader.held().map(({ host, until }) => throttledGate(host, 'download', until, now));
  return [...clients.accounts().flatMap((account) => gatesFor(parts, account, now)), ...hosts];
}

/** Of an account that gets nothing new, only the tasks can wait. */
function gatesFor({ clients, jobs }: Throttled, account: Account, now: number): Gate[] {
  const services = clients.servicesOf(account);
  const hasTasks = jobs.tasksInFlight.accountKeys().has(accountKey(account));
  const who = services.includes(null)
    ? messageFor('waiting.service')
    : messageFor('waiting.serviceAt', { address: account.origin });
  const requests = services.length > 0 ? (['upload', 'submit', 'poll'] as const) : hasTasks ? (['poll'] as const) : [];
  const held = requests.flatMap((request) => {
    const until = clients.queues(account)[request].heldUntil();
    return until === null ? [] : [throttledGate(who, request, until, now)];
  });
  const full = [...clients.ceilings(account).places()].flatMap(([model, { count, nextTryAt }]) =>
    nextTryAt > now && services.some((service) => jobs.due.hasReady(model, service))
      ? [
          {
            reason: 'throttled' as const,
            message: messageFor('waiting.modelFull', { who, model, count }),
            until: nextTryAt,
          },
        ]
      : [],
  );
  return [...held, ...full];
}

function throttledGate(who: Text, request: RequestClass, until: number, now: number): Gate {
  const long = isLongWait(until - now) ? 'yes' : 'no';
  return { reason: 'throttled', message: messageFor('waiting.askedToWait', { who, request, long }), until };
}

function excludedModels(models: Iterable<string>, heldUntil: (model: string) => number | null): Excluded {
  const held = [...models].flatMap((model) => {
    const until = heldUntil(model);
    return until === null ? [] : [{ model, until }];
  });
  return { models: held.map(({ model }) => model), until: Math.min(...held.map(({ until }) => until)) };
}

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
    const account = step === 'submit' ? clients.currentIfAny(serviceQueue.service) : null;
    if (!account) return {};
    return excludedModels(clients.ceilings(account).places().keys(), (model) =>
      heldUntil(serviceQueue, account, model),
    );
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

  /** Until when the next submit of a model waits for the end of a task, ms; null when it may go. */
  function heldUntil(serviceQueue: ServiceQueue, account: Account, model: string): number | null {
    return context.clients.ceilings(account).heldUntil(model, launched.submits(serviceQueue, model));
  }

  /** Steps of one kind that one service handles together, whether they run or wait for a token. */
  function atOnce({ preparing, service }: ServiceQueue, step: Step): number {
    return step === 'prepare'
      ? preparing.concurrency
      : limitsFor(settingsOn(context.settings, service), step).concurrency;
  }

  return { left, excludes, isFull, noteSent };
}

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
    const until = context.ports.clock.now() + RECHECK_MS;
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

/** Models, by account, whose takes keep failing: takes wait while one at a time tries again. Kept over restarts. */
export function createModelHolds(context: StepContext, launched: ReadonlySet<LaunchedStep>) {
  const byAccount = new Map<string, Map<string, ModelTrouble>>();

  function noteEvent(job: Job, event: JobEvent): void {
    const attempt = toAttempt(job.state);
    const outcome = attempt && modelOutcomeFor(job.state, event);
    if (!outcome) return;
    const before = of(attempt).get(job.model) ?? null;
    const { clock, logger } = context.ports;
    const firstPauseMs = context.settings.modelPauseMinutes * 60_000;
    const after = afterOutcome(before, outcome, { jobId: job.id, now: clock.now(), firstPauseMs });
    if (after === before) return;
    save(attempt, job.model, after);
    if (after?.held && after.held.until !== before?.held?.until) {
      logger.warn('The takes of a model fail one after the other', { model: job.model, cause: after.cause });
    }
  }

  function excludes({ service }: ServiceQueue, step: Step, now: number): Excluded {
    const account = step === 'submit' ? context.clients.currentIfAny(service) : null;
    if (!account) return {};
    const troubles = of(account);
    return excludedModels(troubles.keys(), (model) => heldUntil(troubles.get(model), now));
  }

  /** Whether a claimed take may be sent. When its model was held, this take is the one that tries. */
  function mayGo(account: Account, { id, model }: Job, now: number): boolean {
    const trouble = of(account).get(model);
    if (!trouble?.held) return true;
    if (heldUntil(trouble, now) !== null) return false;
    save(account, model, { ...trouble, held: { ...trouble.held, probe: id } });
    return true;
  }

  function tryNow(now: number): void {
    for (const { account, model, trouble } of all()) {
      const trying = withTrialNow(trouble, now);
      if (trying.held?.until !== trouble.held?.until) save(account, model, trying);
    }
  }

  function closed(): Gate[] {
    return all().flatMap(({ service, model, trouble: { held, count, message } }): Gate[] => {
      if (!held || !context.jobs.due.hasReady(model, service)) return [];
      const reason = messageFor('waiting.modelFailing', { model, count, reason: message });
      return [{ reason: 'model_failing', model, message: reason, until: held.until }];
    });
  }

  function heldUntil({ held }: Partial<ModelTrouble> = {}, now: number): number | null {
    if (!held) return null;
    if (held.until > now) return held.until;
    return held.probe !== null && isUnderWay(held.probe) ? Number.POSITIVE_INFINITY : null;
  }

  /** The take that tried said nothing about the model, for example because it was cancelled: the next one tries. */
  function isUnderWay(jobId: string): boolean {
    if ([...launched].some((step) => step.jobId === jobId)) return true;
    const job = context.jobs.get(jobId);
    return job !== null && job.paused === null && FOLLOWED.has(job.state.state);
  }

  function all() {
    const { clients } = context;
    return [null, ...clients.names()].flatMap((service) => {
      const account = clients.currentIfAny(service);
      return account ? [...of(account)].map(([model, trouble]) => ({ service, account, model, trouble })) : [];
    });
  }

  function of(account: Account): Map<string, ModelTrouble> {
    const name = accountKey(account);
    const known = byAccount.get(name) ?? context.service.modelTroubles(account);
    byAccount.set(name, known);
    return known;
  }

  function save(account: Account, model: string, trouble: ModelTrouble | null): void {
    const troubles = of(account);
    if (trouble) troubles.set(model, trouble);
    else troubles.delete(model);
    try {
      context.service.saveModelTrouble(account, model, trouble);
    } catch (error) {
      // Known as long as this process lives: the event that led to it is already stored.
      context.ports.logger.warn('The trouble of a model could not be saved', { reason: toMessage(error) });
    }
  }

  return { noteEvent, excludes, mayGo, tryNow, closed };
}

const FOLLOWED: ReadonlySet<string> = new Set(['submitting', 'accepted', 'polling']);
