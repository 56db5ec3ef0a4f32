import { isLongWait, type Gate } from '../../contract/events.ts';
import { type CapState, scopeName, shareOfMoney, shareOfTakes } from '../../contract/ledger.ts';
import { type Message, messageFor, type Text } from '../../contract/messages/message.ts';
import type { Capped, ClaimExclusions } from '../db/due-jobs.ts';
import type { RequestClass } from '../../contract/settings.ts';
import type { Job, Step } from '../db/job-store.ts';
import type { TimedGate } from './gates.ts';
import { accountKey, type Account } from '../db/service-store.ts';
import type { StepReport } from '../machine/job-facts.ts';
import type { ServiceQueue } from './service-queues.ts';
import { windowGate } from './night-windows.ts';
import type { StepContext } from './step-context.ts';

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
      projects: scopes.flatMap((each) => (each.scope === 'project' ? [each.projectId] : [])),
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
      return ofNight && step === 'submit' && serviceQueue.service === null ? toGate(ofNight) : null;
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
      ? [fullGate(who, model, count, nextTryAt)]
      : [],
  );
  return [...held, ...full];
}

const fullGate = (who: Text, model: string, count: number, until: number): Gate => ({
  reason: 'throttled',
  message: messageFor('waiting.modelFull', { who, model, count }),
  until,
});

function throttledGate(who: Text, request: RequestClass, until: number, now: number): Gate {
  const long = isLongWait(until - now) ? 'yes' : 'no';
  return { reason: 'throttled', message: messageFor('waiting.askedToWait', { who, request, long }), until };
}
