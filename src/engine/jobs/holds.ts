import { type Message, messageFor, type Text } from '../../contract/messages/message.ts';
import { type Gate, LONG_WAIT_MS } from '../../contract/events.ts';
import { messageOf, textOf } from '../base/errors.ts';
import type { Job, Step } from '../db/job-store.ts';
import { mayPass } from '../db/open.ts';
import type { StepReport } from '../machine/job-facts.ts';
import { windowGate } from './night-windows.ts';
import { DueProjects } from './due-projects.ts';
import { type Lane, Lanes } from './lanes.ts';
import { ModelHolds } from './model-holds.ts';
import type { StepContext } from './step-context.ts';
import { type CapState, scopeName, shareOfMoney, shareOfTakes } from '../../contract/ledger.ts';
import type { Capped } from '../db/due-jobs.ts';

/** How long to expect an announced sleep, ms: it may not come, and waking up may not be announced. */
const LONGEST_REST_MS = 60_000;

const WRITING: ReadonlySet<Step> = new Set(['submit', 'download']);

/**
 * Everything that holds steps back: gates of services, full disks, projects of other engines, the database, the
 * machine's sleep.
 */
export class Holds {
  readonly #context: StepContext;
  readonly lanes: Lanes;
  readonly projects: DueProjects;
  readonly caps = new CapHolds();
  readonly models: ModelHolds;
  readonly #disks = new FullDisks();
  /** Nothing begins before this time, ms. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  /**
   * `lookAgain` is called when a project was taken or could not be. `isLaunched`: a step of a job runs or is about to.
   */
  constructor(context: StepContext, lookAgain: () => void, isLaunched: (jobId: string) => boolean) {
    this.#context = context;
    this.lanes = new Lanes(() => context.clients.names());
    this.lanes.setPausedByUser(context.service.isQueuePaused());
    this.projects = new DueProjects(context, lookAgain);
    this.models = new ModelHolds(context, isLaunched);
  }

  /** False while nothing new may be sent, not even what is already being prepared. */
  maySend(): boolean {
    return !this.lanes.isPausedByUser && this.#restsUntil <= this.#now();
  }

  /** The time before which nothing begins, ms; a time in the past when nothing prevents it. */
  restingUntil(): number {
    return Math.max(this.#restsUntil, this.#context.databaseBackoff.at(this.#now())?.until ?? 0);
  }

  rest(): void {
    this.#restsUntil = this.#now() + LONGEST_REST_MS;
  }

  wake(): void {
    this.#restsUntil = Number.NEGATIVE_INFINITY;
  }

  before(lane: Lane, step: Step, now: number): Gate | null {
    return lane.gates.before(step, now) ?? (WRITING.has(step) ? this.#disks.ofData(now) : null);
  }

  /** The projects whose jobs wait, and when the first of them is looked at again, ms. */
  projectsBefore(step: Step, now: number): { readonly projects: readonly string[]; readonly until: number } {
    const projects = [...(WRITING.has(step) ? this.#disks.projects(now) : []), ...this.projects.held(now)];
    const until = Math.min(this.#disks.nextLookAt(now), this.projects.nextAskAt(now));
    return { projects, until: projects.length === 0 ? Number.POSITIVE_INFINITY : until };
  }

  note(lane: Lane, step: Step, { projectId }: Job, report: StepReport): void {
    const now = this.#now();
    lane.gates.note(step, report, now);
    if (report.saw === 'project_in_use') this.projects.hold(projectId, report.error);
    if (report.saw === 'cap_reached') this.caps.hold(report.cap, report.unpriced);
    if (report.saw !== 'disk_low') return;
    if (report.disk === 'data') this.#disks.noteData(report.message, now);
    else this.#disks.noteProject(projectId, report.message, now);
  }

  onDatabaseTrouble(error: unknown): void {
    const { databaseBackoff, ports } = this.#context;
    const reason = messageOf(error);
    if (mayPass(error)) {
      ports.logger.warn('The database could not be written', { reason });
      databaseBackoff.note(error, this.#now());
      return;
    }
    ports.logger.error('The database failed; nothing more is sent', { reason });
    this.lanes.haltAll('database', messageFor('waiting.databaseFailed', { reason: textOf(error) }));
  }

  setPausedByUser(paused: boolean): void {
    // On disk first: if a crash lost the pause, takes would be sent although the person paused them.
    this.#context.service.setQueuePaused(paused);
    this.lanes.setPausedByUser(paused);
    if (paused) return;
    this.caps.clear();
    this.models.tryNow(this.#now());
    this.#endWaits(this.#now() + LONG_WAIT_MS);
    this.lookAtDisks();
  }

  /** Tries now what waited for room on a disk. */
  lookAtDisks(): void {
    this.#disks.lookAgain();
    this.#context.databaseBackoff.end();
  }

  /** The clock was wrong, so its times mean nothing: tries now what waits for one, and learns the pace again. */
  clockSetBack(now: number): void {
    this.#context.jobs.due.limitDeadlines(now + this.#context.settings.deadlineHours * 3_600_000);
    this.#endWaits(now);
    this.lanes.clockSetBack(now);
    this.models.tryNow(now);
    this.lookAtDisks();
    this.wake();
  }

  /** Every closed gate of this engine, to show to a person; `throttledGates` has the others. */
  closed(now: number): Gate[] {
    const ofDatabase = this.#context.databaseBackoff.at(now);
    return [
      ...this.lanes.closed(now),
      ...this.#disks.closed(now),
      ...this.projects.closed(now),
      ...this.capsReached(),
      ...this.windowsClosed(),
      ...this.lanes.all().flatMap(({ service }) => this.models.closed(service)),
      ...(ofDatabase ? [ofDatabase] : []),
    ];
  }

  windowsClosed(): Gate[] {
    const { batches, projects, windows, jobs } = this.#context;
    return windows.eachClosed().flatMap(({ state, closed }) => {
      if (!jobs.due.isAnyBehind(closed)) return [];
      const { scope } = state;
      const name = (scope.scope === 'batch' ? batches.get(scope.batchId) : projects.get(scope.projectId))?.name ?? '';
      return [windowGate(state, name)];
    });
  }

  capsReached(): Gate[] {
    const { settings, jobs } = this.#context;
    return this.caps.closed(settings.currency).filter(({ cap }) => cap && jobs.due.hasUnsent(cap.scope));
  }

  #endWaits(beyond: number): void {
    this.#context.clients.forgetFloors(beyond);
    this.#context.downloader.forgetFloors(beyond);
    this.#context.preparer.endWaits();
    this.#context.jobs.due.bringForward(this.#now(), beyond);
  }

  #now(): number {
    return this.#context.ports.clock.now();
  }
}

/** A batch, project or night whose cap stopped a submit. */
interface Held {
  readonly cap: CapState;
  readonly unpriced: string | undefined;
}

/**
 * The batches, projects or the night whose cap is reached. Nothing of them is sent until a person raises the cap or
 * resumes the queue, or a request that counted turns out not to have been accepted. This class only remembers what a
 * submit found: the check itself is in the transaction of each intent.
 */
class CapHolds {
  readonly #held = new Map<string, Held>();

  hold(cap: CapState, unpriced: string | undefined): void {
    this.#held.set(scopeName(cap.scope), { cap, unpriced });
  }

  /** Caps or prices changed, or a person resumed the queue: the next submit checks again. */
  clear(): void {
    this.#held.clear();
  }

  get capped(): Capped {
    const scopes = [...this.#held.values()].map(({ cap }) => cap.scope);
    return {
      paid: scopes.some(({ scope }) => scope === 'night'),
      projects: scopes.flatMap((each) => (each.scope === 'project' ? [each.projectId] : [])),
      batches: scopes.flatMap((each) => (each.scope === 'batch' ? [each.batchId] : [])),
    };
  }

  closed(currency: string): Gate[] {
    return [...this.#held.values()].map((held) => ({
      reason: 'cap_reached',
      message: capMessage(held, currency),
      until: null,
      cap: { ...held.cap, unpriced: held.unpriced ?? null },
    }));
  }
}

function capMessage({ cap: state, unpriced }: Held, currency: string): Message {
  const { scope, name, cap } = state;
  const where = { scope: scope.scope, name };
  if (unpriced !== undefined) return messageFor('waiting.capUnpriced', { ...where, model: unpriced });
  const isByTakes = (shareOfTakes(state) ?? 0) > (shareOfMoney(state) ?? -1);
  if (cap.money === null || (cap.takes !== null && isByTakes))
    return messageFor('waiting.capTakes', { ...where, takes: cap.takes ?? 0 });
  return messageFor('waiting.capMoney', { ...where, money: cap.money, currency });
}

/** How often to look at a full disk again, ms. */
const RECHECK_MS = 15_000;

/** The disk with the database, which every project needs. */
const DATA = Symbol('data');

type FullDisk = Gate & { readonly until: number };

/**
 * Disks with too little room, and when to look at each again. A full disk holds back only the projects on it, except
 * for the disk with the database, which holds back all. The caller passes in what steps saw and the time.
 */
class FullDisks {
  readonly #full = new Map<string | typeof DATA, FullDisk>();

  noteProject(projectId: string, message: Text, now: number): void {
    this.#note(projectId, message, now);
  }

  noteData(message: Text, now: number): void {
    this.#note(DATA, message, now);
  }

  lookAgain(): void {
    this.#full.clear();
  }

  /** The gate before anything is written, or null when it is open. */
  ofData(now: number): FullDisk | null {
    const gate = this.#full.get(DATA);
    return gate && gate.until > now ? gate : null;
  }

  /** The projects that wait for room. */
  projects(now: number): string[] {
    return [...this.#full].flatMap(([disk, { until }]) => (disk !== DATA && until > now ? [disk] : []));
  }

  nextLookAt(now: number): number {
    return Math.min(...this.closed(now).map(({ until }) => until));
  }

  closed(now: number): FullDisk[] {
    return [...this.#full.values()].filter(({ until }) => until > now);
  }

  #note(disk: string | typeof DATA, message: Text, now: number): void {
    this.#full.set(disk, {
      reason: 'disk_low',
      message,
      until: now + RECHECK_MS,
      ...(disk !== DATA && { projectId: disk }),
    });
  }
}
