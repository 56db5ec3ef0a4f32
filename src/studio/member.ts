import { messageFor, type Message } from '../contract/messages/message.ts';
import type { Gate } from '../contract/events.ts';
import { toMessage } from '../engine/base/errors.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import type { Engine } from '../engine/engine.ts';
import type { OpenedWith } from '../engine/projects/project-claims.ts';
import { leaveTake, type StudioPorts, type TakeWish } from '../engine/jobs/studio-ports.ts';
import type { StudioDatabase } from './database.ts';
import { StudioError } from './errors.ts';
import { knowledgeOf } from './knowledge.ts';
import { createSendRight } from './send-right.ts';
import { factsFor, type TakeDetail, toSeq, type TakeSpec } from './take-facts.ts';
import { createTakeRows } from './take-rows.ts';
import type { Heartbeat, StudioProject } from './types.ts';

const BEAT_MS = 2000;
/** What the studio said longer ago is asked again before anything is written, ms. */
const STALE_MS = 5000;
const FACTS_AT_ONCE = 200;
const CHANGES_AT_ONCE = 500;
/** A machine that was not heard for so long is not counted, ms. */
const SILENT_MS = 60_000;

export interface MemberOptions {
  readonly engine: Engine;
  readonly database: StudioDatabase;
  readonly studio: string;
  readonly machine: string;
  readonly roots: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type Member = ReturnType<typeof joinStudio>;

/**
 * Makes an engine a member of a studio: what its takes come to goes to the studio by the outbox, what others do comes
 * into its rows, wishes of people reach the takes that it works on, and nothing is sent without a right. `worker.ts`
 * makes it take work, too.
 *
 * Every call to the database may fail at any moment. Then the studio is away: nothing new is sent, what was sent is
 * followed and saved, and each beat looks whether it is back.
 */
export function joinStudio({ engine, database, studio: studioId, machine, roots, clock, logger }: MemberOptions) {
  const { jobs, batches, outputs, projects } = engine.stores;
  const { studio } = jobs;
  const rows = createTakeRows({ engine, studio: studioId, machine, roots, clock, logger });
  const stop = new AbortController();
  const writerOf = new Map<string, boolean>();
  const held = new Map<string, { readonly until: number; readonly message: Message }>();
  let isAway = false;
  let isHalted = false;
  let isFenced = false;
  let changedAt = clock.now();
  let hasTold = false;
  let machines = 1;
  /** Takes that this machine has, by the last beat, and those it was handed since. */
  let owned = new Map<string, number>();
  let handed = new Map<string, number>();
  let beatAt = Number.NEGATIVE_INFINITY;
  const released = new Set<string>();
  let waking = new AbortController();
  let beating: Promise<void> | null = null;
  const first = Promise.withResolvers<undefined>();
  let told = Promise.resolve();

  /** The clock of a machine may be set; this one only goes on. */
  const steady = (): number => clock.steady?.() ?? clock.now();

  /** Why nothing of the studio may be sent now; null when it may. */
  function stopped(): Message | null {
    if (isFenced) return messageFor('waiting.studioFenced');
    if (isHalted) return messageFor('waiting.studioHalted');
    return isAway ? messageFor('waiting.studioAway') : null;
  }

  function onAnswer(error: StudioError | null): void {
    const before = stopped();
    isAway = error?.isAway === true;
    if (error?.code === 'studio_fenced') isFenced = true;
    if (error?.code === 'studio_halted') isHalted = true;
    if (before?.key === stopped()?.key) return;
    changedAt = clock.now();
    logger.info('The studio', { is: stopped()?.key ?? 'there' });
    engine.studio.lookAgain();
  }

  /** Asks the studio; null where it gave no answer. */
  async function ask<Answer>(call: () => Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await call();
      onAnswer(null);
      return answer;
    } catch (error) {
      if (!(error instanceof StudioError)) throw error;
      onAnswer(error);
      logger.debug('The studio refused', { code: error.code, reason: toMessage(error) });
      return null;
    }
  }

  function detailOf(jobId: string): TakeDetail | null {
    const job = jobs.get(jobId);
    const spec = job && specOf(jobId);
    return spec ? { spec, state: job.state, outputs: [...outputs.outputs(jobId)] } : null;
  }

  /** All that another machine needs to make a take of this data folder. */
  function specOf(jobId: string): TakeSpec | null {
    const job = jobs.get(jobId);
    const shot = job && batches.shot(job.shotId);
    const batch = job && batches.get(job.batchId);
    const place = job && studio.placeOf(job.projectId);
    if (!shot || !batch || !place) return null;
    const { folder, nameTemplate, order, source, createdAt } = batch;
    const listFolder = belowRoot(roots.get(place.root), batch.listFolder);
    return {
      ...{ format: 1, shot: shot.spec, take: job.take, round: job.round, createdAt: job.createdAt },
      batch: { folder, listFolder, nameTemplate, order, source, createdAt },
    };
  }

  /** Tells what is in the outbox, in its order; one call at a time. */
  function tell(): Promise<void> {
    told = told.then(tellAll).catch((error: unknown) => {
      logger.error('The outbox could not be told', { reason: toMessage(error) });
    });
    return told;
  }

  async function tellAll(): Promise<void> {
    for (;;) {
      const entries = studio.outbox(FACTS_AT_ONCE);
      if (entries.length === 0) return;
      // Only the newest state of a take is told with what it is made of.
      const newest = new Map(entries.map((entry) => [entry.jobId, entry.seq]));
      const facts = entries.flatMap((entry) =>
        factsFor(entry, newest.get(entry.jobId) === entry.seq ? detailOf(entry.jobId) : null),
      );
      const stored = await ask(() => database.report(facts));
      if (stored === null) return;
      studio.told(toSeq(stored));
      studio.keepSeen(database.seen);
      if (studio.outbox(1)[0]?.seq === entries[0]?.seq) {
        logger.error('The studio stored nothing of the outbox', { stored });
        return;
      }
    }
  }

  /** Brings what other machines did into the rows of this one. */
  async function pull(): Promise<void> {
    const known = studio.places().map(({ projectId }) => projectId);
    if (known.length > 0) await pullSince(studio.readUpTo, known, (last) => (studio.readUpTo = last));
  }

  async function pullSince(since: number, projectIds: readonly string[], seen: (last: number) => void): Promise<void> {
    for (let after = since; ;) {
      const from = after;
      const changes = await ask(() => database.changesSince(from, projectIds, CHANGES_AT_ONCE));
      if (!changes || changes.length === 0) return;
      rows.apply(changes);
      after = changes.at(-1)?.sequence ?? after;
      seen(after);
      if (changes.length < CHANGES_AT_ONCE || after === from) return;
    }
  }

  /** Takes a project of the studio for it, with all that was done in it before this machine knew it. */
  async function openProject(project: StudioProject, openedWith?: OpenedWith): Promise<void> {
    const isNew = studio.placeOf(project.id) === null;
    await rows.project(project, openedWith);
    if (isNew) await pullSince(0, [project.id], () => undefined);
  }

  async function beat(): Promise<void> {
    const before = new Map(studio.here().map(({ jobId, epoch }) => [jobId, epoch]));
    handed = new Map();
    const askedAt = steady();
    const heard = await ask(() => database.heartbeat());
    if (heard === null) return;
    beatAt = askedAt;
    isFenced = heard.isFenced;
    isHalted = heard.isHalted;
    // Another generation counts from the beginning.
    if (!isHalted && heard.seen.studio !== studio.seen()?.studio) studio.readUpTo = 0;
    studio.keepSeen(database.seen);
    owned = new Map([...heard.owned, ...handed]);
    for (const [jobId, epoch] of before) {
      const isOurs = heard.owned.get(jobId) === epoch || studio.take(jobId)?.epoch !== epoch;
      if (!isOurs && !isHalted && isUnfinishedHere(jobId)) leaveTake(engine.stores, jobId, clock.now());
    }
    // Handed to this machine, which was killed before it had written that down.
    for (const [jobId, epoch] of heard.owned) {
      const isUnknown = studio.take(jobId) === null && !handed.has(jobId) && !released.has(`${jobId} ${epoch}`);
      if (isHalted || !isUnknown) continue;
      released.add(`${jobId} ${epoch}`);
      studio.released(jobId, epoch, clock.now());
    }
    await cancelAsked(heard);
    await tellRestored();
    holdAccounts(heard);
    engine.studio.lookAgain();
  }

  /** What is in the outbox has ended here, and the studio does not know yet. */
  const isUnfinishedHere = (jobId: string): boolean => {
    const step = jobs.due.stepOf(jobId);
    return step !== null && !studio.outbox(FACTS_AT_ONCE).some((entry) => entry.jobId === jobId);
  };

  /** A restored database is told what this machine knows, once. A person ends the halt. */
  async function tellRestored(): Promise<void> {
    if (!isHalted) hasTold = false;
    if (!isHalted || hasTold) return;
    hasTold = (await ask(async () => (await database.tell(knowledgeOf(engine, specOf)), true))) ?? false;
  }

  /** Somebody cancelled takes that this machine has. One on hold is not: the studio gives it no right. */
  async function cancelAsked({ commands }: Heartbeat): Promise<void> {
    const ids = commands
      .filter(({ takeId, isCancelled }) => isCancelled && studio.take(takeId)?.isHere === true)
      .map(({ takeId }) => takeId)
      .filter((takeId) => jobs.due.stepOf(takeId) !== null);
    if (ids.length > 0) await engine.commands.run('jobs.cancel', { ids }, 'engine');
  }

  /** A 429 at one machine holds back all of them. */
  function holdAccounts({ accounts }: Heartbeat): void {
    for (const { account } of engine.studio.accounts()) {
      const shared = accounts.find(
        ({ name, address }) => name === account.keyFingerprint && address === account.origin,
      );
      if (!shared || shared.notBeforeMs <= 0) continue;
      const queues = engine.studio.queues(account);
      for (const requests of ['submit', 'poll', 'upload'] as const) queues[requests].holdFor(shared.notBeforeMs);
    }
  }

  /** Who writes what a project has once: the first machine that asks, until it stops asking. */
  async function claimProjects(): Promise<void> {
    for (const { projectId, root, path } of studio.places()) {
      const project = projects.get(projectId);
      if (!project) continue;
      const claim = await ask(() => database.claimProject({ id: projectId, name: project.name, root, path }));
      // Without an answer the last one holds no longer: another machine may write by now.
      const isWriter = claim?.isWriter ?? false;
      const wasWriter = writerOf.get(projectId) ?? false;
      writerOf.set(projectId, isWriter);
      if (isWriter && !wasWriter) engine.studio.changed(projectId, [...jobs.idsIn(projectId)]);
    }
  }

  async function countMachines(): Promise<void> {
    const status = await ask(() => database.status());
    if (status) machines = Math.max(1, status.machines.filter(({ silentMs }) => silentMs < SILENT_MS).length);
  }

  /** One beat after another, until the member leaves. `wake` brings the next one forward. */
  async function beatUntilStopped(): Promise<void> {
    for (let beats = 0; !stop.signal.aborted; beats += 1) {
      waking = new AbortController();
      try {
        await beat();
        first.resolve(undefined);
        await tell();
        await pull();
        if (beats % 5 === 0) await claimProjects();
        if (beats % 15 === 0) await countMachines();
        if (beats % 15 === 7) await ask(() => database.sweep());
      } catch (error) {
        logger.error('A beat of the studio failed', { reason: toMessage(error), stack: (error as Error).stack });
        first.resolve(undefined);
      }
      const signal = AbortSignal.any([stop.signal, waking.signal]);
      await clock.sleep(BEAT_MS, { signal }).catch(() => undefined);
    }
  }

  const sendRight = createSendRight({
    ...{ engine, database, clock, onAnswer },
    mayAsk: stopped,
    holdProject: (projectId, until, message) => void held.set(projectId, { until, message }),
  });

  function gates(now: number): (Gate & { readonly projectId: string })[] {
    const why = stopped();
    return studio.places().flatMap(({ projectId }) => {
      const own = held.get(projectId);
      const message = why ?? (own && own.until > now ? own.message : null);
      if (message === null) return [];
      return [{ reason: 'studio' as const, message, until: why ? now + BEAT_MS : (own?.until ?? now), projectId }];
    });
  }

  const ports: StudioPorts = {
    sendRight: (job, post) =>
      studio.placeOf(job.projectId) === null
        ? { answer: 'granted', isFresh: () => true, giveBack: () => undefined }
        : sendRight(job, post),
    async isOurs(jobId, epoch) {
      // It may have stood still since the last beat: what it writes next must be its own now, not then.
      if (steady() - beatAt > STALE_MS || !owned.has(jobId)) await beat();
      // Away: what was sent is saved, and the epoch in the recipe fences off this machine.
      if (isAway || isHalted) return !isFenced;
      return !isFenced && owned.get(jobId) === epoch;
    },
    isWriter: (projectId) => studio.placeOf(projectId) === null || writerOf.get(projectId) === true,
    holds: {
      excludes(_serviceQueue, step, now) {
        if (step !== 'submit' && step !== 'prepare') return {};
        const closed = step === 'submit' || stopped() ? gates(now) : [];
        return {
          projects: closed.map(({ projectId }) => projectId),
          until: Math.min(...closed.map(({ until }) => until ?? Number.POSITIVE_INFINITY)),
        };
      },
      closed: gates,
    },
    wish(jobId, wanted) {
      void wish(jobId, wanted).catch((error: unknown) => {
        logger.error('A wish could not be told to the studio', { take: jobId, reason: toMessage(error) });
      });
      return true;
    },
  };

  async function wish(jobId: string, wanted: TakeWish): Promise<void> {
    // What has happened to it so far comes first.
    await tell();
    const count = await ask(() => database.command([jobId], wanted));
    // The studio never knew that it was on its way: this machine decides alone.
    const job = jobs.get(jobId);
    if (count === 0 && wanted.kind === 'retry' && job?.state.state === 'submit_unknown' && studio.take(jobId)?.isHere) {
      jobs.advance(job, { type: 'resubmit' }, clock.now());
      engine.studio.changed(job.projectId, [jobId]);
    }
    wake();
  }

  function wake(): void {
    waking.abort();
  }

  studio.continueAfter(toSeq(database.seen.facts));
  studio.onEntry = () => void tell();
  engine.studio.join(ports);

  return {
    ...{ rows, ask, tell, pull, wake, specOf, stopped, openProject },
    get isAway() {
      return isAway;
    },
    get isHalted() {
      return isHalted;
    },
    get isFenced() {
      return isFenced;
    },
    /** Since when it is away, halted, fenced or none of them, ms. */
    get changedAt() {
      return changedAt;
    },
    /** How many machines are at work, this one too. */
    get machines() {
      return machines;
    },
    /** It was handed to this machine, and is about to be written down. */
    handed(takeId: string, epoch: number): void {
      handed.set(takeId, epoch);
      owned.set(takeId, epoch);
    },
    /** Beats until `leave`. Resolves when the first beat has said which takes are still its own. */
    begin(): Promise<void> {
      beating ??= beatUntilStopped();
      return first.promise.then(() => undefined);
    },
    async leave(): Promise<void> {
      stop.abort();
      await beating;
      await tell();
      studio.onEntry = () => undefined;
    },
  };
}

/** A folder relative to a root, with forward slashes; null when it is not below it. */
export function belowRoot(root: string | undefined, folder: string): string | null {
  if (root === undefined) return null;
  const [from, to] = [slashed(root), slashed(folder)];
  return to.startsWith(`${from}/`) ? to.slice(from.length + 1) : null;
}

const slashed = (path: string): string => path.replaceAll('\\', '/').replace(/\/+$/, '');
