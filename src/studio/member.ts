import { messageFor, type Message } from '../contract/messages/message.ts';
import { SILENT_MS } from '../contract/studio.ts';
import { noVerdict } from '../contract/verdict.ts';
import type { Gate } from '../contract/events.ts';
import { toMessage } from '../engine/base/errors.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import { createYielder } from '../engine/base/slices.ts';
import type { StudioPlace } from '../engine/db/studio-store.ts';
import { isUnsent, type JobStateOf, type Standing, standingFor } from '../contract/job.ts';
import type { Job } from '../engine/db/job-store.ts';
import type { Engine } from '../engine/engine.ts';
import { leaveTake, type StudioPorts, type TakeCommand } from '../engine/jobs/studio-ports.ts';
import { readRecipe } from '../engine/projects/recipe-file.ts';
import type { StudioDatabase } from './database.ts';
import { StudioError } from './errors.ts';
import { knowledgeOf } from './knowledge.ts';
import { createSendRight } from './send-right.ts';
import { createOutbox } from './outbox.ts';
import { belowRoot, type TakeDetail, toLimit, toSeq, type TakeSpec } from './take-facts.ts';
import { createTakeRows } from './take-rows.ts';
import type { Heartbeat, StudioProject } from './types.ts';

const OPEN: ReadonlySet<Standing> = new Set(['unfinished', 'unknown']);
const BEAT_MS = 2000;
/** What the studio said longer ago is asked again before anything is written, ms. */
const STALE_MS = 5000;
const CHANGES_AT_ONCE = 500;

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
 * into its rows, commands of people reach the takes that it works on, and nothing is sent without a right. `worker.ts`
 * makes it take work, too.
 *
 * Every call to the database may fail at any moment. Then the studio is away: nothing new is sent, what was sent is
 * followed and saved, and each beat looks whether it is back.
 */
export function joinStudio({ engine, database, studio: studioId, machine, roots, clock, logger }: MemberOptions) {
  const { jobs, batches, outputs, projects, ledger } = engine.stores;
  const { studio } = jobs;
  const rows = createTakeRows({ engine, studio: studioId, machine, roots, clock, logger });
  const stop = new AbortController();
  const writerOf = new Map<string, boolean>();
  const held = new Map<string, { readonly until: number; readonly message: Message; readonly isShut: boolean }>();
  let isAway = false;
  let isHalted = false;
  let isFenced = false;
  let changedAt = clock.now();
  let hasTold = false;
  let machines = 1;
  /** Takes that this machine has, by the last beat, and those that it was handed and is about to write down. */
  let owned = new Map<string, number>();
  const handed = new Map<string, number>();
  let beatAt = Number.NEGATIVE_INFINITY;
  const released = new Set<string>();
  /** Projects whose folder is read, and those of them that a pull left out. */
  const opening = new Set<string>();
  const passedOver = new Set<string>();
  /** Takes that cannot be made here, until when they are kept from coming again at once. */
  const keptBack = new Map<string, { readonly epoch: number; readonly until: number }>();
  /** Takes that the studio says this machine has, and that it does not know: by id and epoch. */
  let unknown = new Set<string>();
  let waking = new AbortController();
  let beating: Promise<void> | null = null;
  const first = Promise.withResolvers<undefined>();

  const giveWay = createYielder();

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

  const tell = createOutbox({
    ...{ studio, database, detailOf, onAnswer, logger },
    verdictOf: (jobId) => engine.stores.review.verdict(jobId) ?? noVerdict,
  });

  /** Brings what other machines did into the rows of this one. */
  async function pull(): Promise<void> {
    const known = studio.places().map(({ projectId }) => projectId);
    while (known.length > 0) {
      const from = studio.readUpTo;
      const changes = await ask(() => database.changesSince(from, known, CHANGES_AT_ONCE));
      if (!changes || changes.length === 0) return;
      // While a project's folder is read, its rows would be added twice.
      const { true: early = [], false: due = [] } = Object.groupBy(changes, (each) => `${opening.has(each.projectId)}`);
      for (const { projectId } of early) passedOver.add(projectId);
      rows.apply(due);
      studio.readUpTo = changes.at(-1)?.sequence ?? from;
      if (changes.length < CHANGES_AT_ONCE || studio.readUpTo === from) return;
    }
  }

  /** Brings all takes of a project as they are now, whatever else the server does. False where no answer came. */
  async function readProject(projectId: string): Promise<boolean> {
    const changes = await ask(() => database.changesSince(0, [projectId]));
    if (changes) {
      rows.apply(changes);
      forgetLost(projectId, new Set(changes.map(({ takeId }) => takeId)));
    }
    return changes !== null;
  }

  /** What the studio had and has no more, since it was restored, is handed over again with its list. */
  function forgetLost(projectId: string, there: ReadonlySet<string>): void {
    for (const { jobId, person, isHere } of studio.all()) {
      const job = isHere || person === null || there.has(jobId) ? null : jobs.get(jobId);
      if (job?.projectId === projectId && isUnsent(job.state)) studio.forget(jobId);
    }
  }

  /** Takes a project of the studio, by `open`, with all that was done in it before this machine knew it. */
  async function openProject({ id }: StudioProject, open: () => Promise<unknown>): Promise<void> {
    const isNew = studio.placeOf(id) === null;
    opening.add(id);
    await open().finally(() => opening.delete(id));
    if (!passedOver.delete(id) && !isNew) return;
    const place = studio.placeOf(id);
    if (place && beating) await claim(place);
    // Where no answer came, the next pull reads everything.
    if (!(await readProject(id))) studio.readUpTo = 0;
  }

  async function beat(): Promise<void> {
    const before = new Map(studio.here().map(({ jobId, epoch }) => [jobId, epoch]));
    const undecided = jobs.inState('submit_unknown').filter(({ id }) => studio.take(id)?.isHere === true);
    const askedAt = steady();
    const heard = await ask(() => database.heartbeat());
    // An answer that was overtaken knows less: what was handed over since is missing in it.
    if (heard === null || askedAt < beatAt) return;
    beatAt = askedAt;
    isFenced = heard.isFenced;
    isHalted = heard.isHalted;
    studio.keepSeen(database.seen);
    owned = new Map([...heard.owned, ...handed]);
    for (const [jobId, epoch] of before) {
      const isOurs = heard.owned.get(jobId) === epoch || studio.take(jobId)?.epoch !== epoch;
      if (!isOurs && !isHalted && isUnfinishedHere(jobId)) leaveTake(engine.stores, jobId, clock.now());
    }
    // Handed to this machine, which cannot make it, was killed, or lost the answer, before it had written that down. It may
    // know the take as one of another machine. Heard of twice: the first time it may be on its way.
    const heardBefore = unknown;
    unknown = new Set();
    for (const [jobId, epoch] of heard.owned) {
      const right = `${jobId} ${epoch}`;
      const take = studio.take(jobId);
      const isHere = take?.isHere === true && take.epoch >= epoch;
      if (isHalted || isHere || handed.has(jobId) || released.has(right)) continue;
      unknown.add(right);
      if (heardBefore.has(right) && (keptBack.get(jobId)?.until ?? 0) <= clock.now()) release(jobId, epoch);
    }
    await goOnWithUnsent(undecided, heard);
    await cancelAsked(heard);
    await tellRestored();
    holdAccounts(heard);
    engine.studio.lookAgain();
  }

  /** It cannot be made here, or not now. The first beat after that time gives it back. */
  function keepBack(takeId: string, epoch: number, until: number): void {
    keptBack.set(takeId, { epoch, until });
  }

  function release(jobId: string, epoch: number): void {
    keptBack.delete(jobId);
    released.add(`${jobId} ${epoch}`);
    studio.released(jobId, epoch, clock.now());
  }

  /** What is in the outbox has ended here, and the studio does not know yet. */
  const isUnfinishedHere = (jobId: string): boolean => jobs.due.stepOf(jobId) !== null && !studio.isToTell(jobId);

  /**
   * A kill between a recipe that announces a request and the right to send it leaves the recipe alone, which by itself
   * means that a request may have been sent. Where the studio has given no right since then, none was.
   */
  async function goOnWithUnsent(undecided: readonly Job[], { owned: now, unsent }: Heartbeat): Promise<void> {
    for (const job of undecided) {
      const epoch = studio.take(job.id)?.epoch;
      const { attempt } = job.state as JobStateOf<'submit_unknown'>;
      // Its own journal says whether this data folder had begun to send it.
      if (!unsent.has(job.id) || now.get(job.id) !== epoch || jobs.attempts.isOwn(job.id, attempt)) continue;
      const folder = projects.get(job.projectId)?.path;
      const written = folder === undefined ? null : (await readRecipe(folder, job.id))?.studio;
      // What it knew before it was restored, only the recipe tells.
      if (written?.generation !== studio.generation || written.epoch !== epoch) continue;
      if (isHalted || isFenced || jobs.get(job.id)?.revision !== job.revision) continue;
      jobs.advance(job, { type: 'resubmit' }, clock.now(), () => studio.unused(job, attempt.id, clock.now()));
      logger.info('A request was announced and not sent', { job: job.id });
      engine.studio.changed(job.projectId, [job.id]);
    }
  }

  /** A restored database is told what this machine knows, once. A person ends the halt. */
  async function tellRestored(): Promise<void> {
    if (!isHalted) hasTold = false;
    if (!isHalted || hasTold) return;
    studio.judgedAll(clock.now());
    hasTold = (await ask(async () => (await database.tell(knowledgeOf(engine, specOf)), true))) ?? false;
  }

  /** A person cancelled takes that this machine has. One on hold is not: the studio gives it no right. */
  async function cancelAsked({ commands }: Heartbeat): Promise<void> {
    const ids = commands
      .filter(({ takeId, isCancelled }) => isCancelled && studio.take(takeId)?.isHere === true)
      .map(({ takeId }) => takeId)
      .filter((takeId) => jobs.due.stepOf(takeId) !== null);
    if (ids.length > 0) await engine.commands.run('jobs.cancel', { ids }, 'engine');
  }

  /** Rows whose shot, pick or release is there now, as far as this machine knows: any machine may have them. */
  async function letGo(): Promise<void> {
    const ready: string[] = [];
    for (const jobId of studio.waiting()) {
      await giveWay();
      const job = jobs.get(jobId);
      if (job && !engine.studio.lookAtWait(job)) ready.push(jobId);
    }
    if (ready.length > 0 && !stopped()) await ask(() => database.command(ready, { kind: 'go_on' }));
  }

  /** What it was handed and has to wait, as for a pick that was taken back, would only fill its room. */
  async function giveBackWaiting(): Promise<void> {
    for (const { jobId, epoch } of studio.here()) {
      const job = jobs.get(jobId);
      if (job?.state.state !== 'needs_assets' || !engine.studio.lookAtWait(job)) continue;
      leaveTake(engine.stores, jobId, clock.now());
      await ask(() => database.command([jobId], { kind: 'wait' }));
      release(jobId, epoch);
    }
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
    for (const place of studio.places()) await claim(place);
  }

  /** The cap of its folder holds for all machines together. */
  async function claim({ projectId, root, path }: StudioPlace): Promise<void> {
    const project = projects.get(projectId);
    if (!project) return;
    const cap = ledger.capOf({ scope: 'project', projectId }, 0)?.cap;
    const claimed = await ask(() =>
      database.claimProject({ id: projectId, name: project.name, root, path }, cap && toLimit(cap)),
    );
    // Without an answer the last one holds no longer: another machine may write by now.
    const isWriter = claimed?.isWriter ?? false;
    const wasWriter = writerOf.get(projectId) ?? false;
    writerOf.set(projectId, isWriter);
    if (isWriter && !wasWriter) engine.studio.changed(projectId, [...jobs.idsIn(projectId)]);
  }

  async function readStatus(): Promise<void> {
    const status = await ask(() => database.status());
    if (!status) return;
    machines = Math.max(1, status.machines.filter(({ silentMs }) => silentMs < SILENT_MS).length);
  }

  async function readBudgets(): Promise<void> {
    const budgets = await ask(() => database.budgets());
    // A database that was restored may have forgotten them.
    if (!budgets || isHalted || database.isHalted || JSON.stringify(budgets) === studio.budgets) return;
    studio.budgets = JSON.stringify(budgets);
  }

  function onBeatFailed(error: unknown): void {
    logger.error('A beat of the studio failed', { reason: toMessage(error), stack: (error as Error).stack });
  }

  /** One beat after another, until the member leaves. `wake` brings the next one forward. */
  async function beatUntilStopped(): Promise<void> {
    for (let beats = 0; !stop.signal.aborted; beats += 1) {
      waking = new AbortController();
      try {
        await beat();
        await tell();
        await pull();
        await letGo();
        await giveBackWaiting();
        if (beats % 5 === 0) await claimProjects();
        if (beats % 5 === 0) await readBudgets();
        first.resolve(undefined);
        if (beats % 15 === 0) await readStatus();
        if (beats % 15 === 7) await ask(() => database.sweep());
      } catch (error) {
        onBeatFailed(error);
      }
      first.resolve(undefined);
      const signal = AbortSignal.any([stop.signal, waking.signal]);
      await clock.sleep(BEAT_MS, { signal }).catch(() => undefined);
    }
  }

  const sendRight = createSendRight({
    ...{ engine, database, clock, onAnswer },
    mayAsk: stopped,
    holdProject: (projectId, until, message) => void held.set(projectId, { until, message, isShut: true }),
    keepBack,
    notice: (projectId, until, message) => void held.set(projectId, { until, message, isShut: false }),
  });

  /** `all`: those too that hold back only some takes of a project. */
  function gates(now: number, all: boolean): (Gate & { readonly projectId: string })[] {
    const why = stopped();
    return studio.places().flatMap(({ projectId }) => {
      const own = held.get(projectId);
      const message = why ?? (own && own.until > now && (all || own.isShut) ? own.message : null);
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
      // What has ended, as the studio knows, is nobody's any more: everybody may write a verdict of it.
      const { state = null } = jobs.get(jobId) ?? {};
      const standing = state && standingFor(state.state, null);
      if (standing !== null && !OPEN.has(standing) && !studio.isToTell(jobId)) return true;
      // It may have stood still since the last beat: what it writes next must be its own now, not then.
      if (steady() - beatAt > STALE_MS || !owned.has(jobId)) await beat().catch(onBeatFailed);
      // Away: what was sent is saved, and the epoch in the recipe fences off this machine.
      if (isAway || isHalted) return !isFenced;
      return !isFenced && owned.get(jobId) === epoch;
    },
    isWriter: (projectId) => studio.placeOf(projectId) === null || writerOf.get(projectId) === true,
    holds: {
      excludes(step, now) {
        if (step !== 'submit' && step !== 'prepare') return {};
        const closed = step === 'submit' || stopped() ? gates(now, false) : [];
        return {
          projects: closed.map(({ projectId }) => projectId),
          until: Math.min(...closed.map(({ until }) => until ?? Number.POSITIVE_INFINITY)),
        };
      },
      closed: (now) => gates(now, true),
    },
    command(jobId, wanted) {
      void command(jobId, wanted).catch((error: unknown) => {
        logger.error('A command could not be told to the studio', { take: jobId, reason: toMessage(error) });
      });
      return true;
    },
  };

  async function command(jobId: string, wanted: TakeCommand): Promise<void> {
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

  studio.keepSeen(database.seen);
  studio.continueAfter(toSeq(database.seen.facts));
  studio.onEntry = () => void tell();
  engine.studio.join(ports);

  return {
    ...{ rows, ask, tell, pull, readBudgets, wake, specOf, stopped, openProject, readProject },
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
    /** It was handed to this machine, which writes it down until `written`. */
    handed(takeId: string, epoch: number): void {
      handed.set(takeId, epoch);
      owned.set(takeId, epoch);
    },
    written: (takeId: string): boolean => handed.delete(takeId),
    ...{ release, keepBack },
    /** Beats until `leave`. Resolves when the first beat has said which takes are still its own. */
    begin(): Promise<void> {
      beating ??= beatUntilStopped();
      return first.promise.then(() => undefined);
    },
    async leave(): Promise<void> {
      stop.abort();
      await beating;
      for (const [takeId, { epoch }] of keptBack) release(takeId, epoch);
      await tell();
      studio.onEntry = () => undefined;
    },
  };
}
