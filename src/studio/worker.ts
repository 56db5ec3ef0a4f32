import { toMessage } from '../engine/base/errors.ts';
import { limitsFor } from '../engine/api/request-queue.ts';
import { settingsOn } from '../contract/accounts.ts';
import type { Account } from '../engine/db/service-store.ts';
import type { Settings } from '../contract/settings.ts';
import type { SlotKind } from './types.ts';
import { joinStudio, type MemberOptions } from './member.ts';
import { toStudioAccount } from './take-facts.ts';
import type { HeldTake } from './types.ts';

/** How long between two looks for work, where no notice comes, ms. */
const LOOK_MS = 1000;
/** A project that cannot be opened, and a take that cannot be made, are left alone for so long, ms. */
const REST_MS = 30_000;
/** Requests a second are reserved that long ahead, ms. */
const SECOND_MS = 1000;
/** The slowest that a queue is made: one request in a minute. */
const SLOWEST = 1 / 60;

export interface WorkerOptions extends MemberOptions {
  readonly settings: () => Settings;
  /** Whether it takes anything now; absent: always. What it has goes on. */
  readonly works?: () => boolean;
}

export type Worker = ReturnType<typeof startWorker>;

/**
 * Takes work from a studio: it is handed as many takes as it has room for, of accounts that it has the key of, and makes
 * them as its own. It follows what dead machines sent. Polls and uploads keep to the slots that the studio gave it, and
 * while the studio is away to its share of them.
 */
export function startWorker(options: WorkerOptions) {
  const { engine, database, roots, clock, logger, settings, works = () => true } = options;
  const { studio } = engine.stores.jobs;
  const member = joinStudio(options);
  const stop = new AbortController();
  const resting = new Map<string, number>();
  let waking = new AbortController();
  let idle: PromiseWithResolvers<undefined> | null = null;

  /** As many as keep the queue of submits busy while the next ones are fetched. */
  function room(): number {
    const unsent = studio.here().filter(({ state }) => state === 'ready' || state === 'needs_assets').length;
    return Math.max(0, 2 * limitsFor(settings(), 'submit').concurrency - unsent);
  }

  async function look(): Promise<void> {
    const accounts = engine.studio.accounts().map(({ account }) => toStudioAccount(account));
    const now = clock.now();
    const except = [...resting.keys()].filter((projectId) => (resting.get(projectId) ?? 0) > now);
    if (!works() || member.stopped() || accounts.length === 0) return;
    const wanted = room();
    const names = [...roots.keys()];
    const sent = await member.ask(() => database.adoptSent(names, accounts, 2 * wanted + 1, except));
    const next = wanted === 0 ? [] : await member.ask(() => database.takeNext(names, accounts, wanted, except));
    const all = [...(sent ?? []), ...(next ?? [])];
    for (const held of all) member.handed(held.id, held.epoch);
    for (const held of all) {
      await take(held);
      member.written(held.id);
    }
    const isNone = sent !== null && next !== null && all.length === 0;
    const isDone = isNone && studio.here().length === 0 && studio.outbox(1).length === 0;
    if (idle && isDone && wanted > 0 && !member.stopped()) idle.resolve(undefined);
    // There may be more.
    if (next?.length === wanted && wanted > 0) wake();
  }

  async function take(held: HeldTake): Promise<void> {
    const { id: projectId, root, path } = held.project;
    const until = clock.now() + REST_MS;
    const about = { take: held.id, root, path };
    try {
      if ((resting.get(projectId) ?? 0) > clock.now()) return member.release(held.id, held.epoch);
      await member.openProject(held.project, () => member.rows.projectFor(held));
    } catch (error) {
      logger.warn('A project of the studio cannot be worked in', { ...about, reason: toMessage(error) });
      resting.set(projectId, until);
      return member.release(held.id, held.epoch);
    }
    try {
      await member.rows.take(held);
    } catch (error) {
      logger.warn('A take of the studio cannot be made here', { ...about, reason: toMessage(error) });
      // Given back at once, it would be the next one again.
      member.keepBack(held.id, held.epoch, until);
    }
  }

  function wake(): void {
    waking.abort();
  }

  async function lookUntilStopped(): Promise<void> {
    while (!stop.signal.aborted) {
      waking = new AbortController();
      try {
        await look();
      } catch (error) {
        logger.error('The worker could not take work', { reason: toMessage(error), stack: (error as Error).stack });
      }
      const signal = AbortSignal.any([stop.signal, waking.signal]);
      await clock.sleep(LOOK_MS, { signal }).catch(() => undefined);
    }
  }

  /** Sets the rates of polls and uploads for the next second. */
  async function reserve(): Promise<void> {
    const own = studio.here();
    const needed: Readonly<Record<SlotKind, boolean>> = {
      poll: own.some(({ state }) => state === 'accepted' || state === 'polling'),
      upload: own.some(({ state }) => state === 'needs_assets'),
    };
    for (const { service, account } of engine.studio.accounts()) {
      for (const kind of ['poll', 'upload'] as const) await reserveOf(service, account, kind, needed[kind]);
    }
  }

  async function reserveOf(service: string | null, account: Account, kind: SlotKind, isNeeded: boolean): Promise<void> {
    const queue = engine.studio.queues(account)[kind];
    const limits = limitsFor(settingsOn(settings(), service), kind);
    if (!isNeeded) return queue.setLimits(limits);
    const wanted = Math.max(1, Math.ceil(limits.maxRate));
    const slots = member.isAway
      ? null
      : await member.ask(() => database.reserveSlots(toStudioAccount(account), kind, wanted));
    // Away: all machines together ask no more than one of them would.
    const given = slots?.count ?? limits.maxRate / member.machines;
    queue.setLimits({ ...limits, maxRate: Math.min(limits.maxRate, Math.max(SLOWEST, given)) });
  }

  async function reserveUntilStopped(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await reserve();
      } catch (error) {
        logger.error('No slots could be reserved', { reason: toMessage(error) });
      }
      await clock.sleep(SECOND_MS, { signal: stop.signal }).catch(() => undefined);
    }
  }

  /** Tells the studio of each 429, for the other machines with the account. */
  function shareThrottling(): void {
    for (const { account } of engine.studio.accounts()) {
      const queues = engine.studio.queues(account);
      for (const requests of ['submit', 'poll', 'upload'] as const) {
        queues[requests].onThrottled = (answer) => {
          void member
            .ask(() => database.throttled({ account: toStudioAccount(account), ...answer }))
            .catch(() => undefined);
        };
      }
    }
  }

  shareThrottling();
  const ready = member.begin();
  const looking = ready.then(lookUntilStopped);
  const reserving = ready.then(reserveUntilStopped);
  void database
    .listen((notice) => {
      if (notice.kind === 'work') wake();
      else member.wake();
    })
    .catch((error: unknown) => {
      logger.warn('The studio cannot be listened to; it is asked each second', { reason: toMessage(error) });
    });

  return {
    member,
    /** There may be work, or it may work again. */
    wake,
    /** Resolves when it is known which takes are still its own: the queue runs from then on. */
    ready,
    /** Resolves when there is nothing to take, and nothing of its own is left to do. */
    untilIdle(): Promise<void> {
      idle ??= Promise.withResolvers<undefined>();
      wake();
      return idle.promise.then(() => undefined);
    },
    /** Takes nothing more, lets submits under way end, and tells what became of them. The engine is stopped afterwards. */
    async stop(): Promise<void> {
      stop.abort();
      await Promise.all([looking, reserving]);
      await engine.studio.drain();
      await member.leave();
    },
    /** The same for an engine that goes on, where nothing of the studio is under way. */
    async leave(): Promise<void> {
      stop.abort();
      await Promise.all([looking, reserving]);
      await member.leave();
      engine.studio.leave();
    },
  };
}
