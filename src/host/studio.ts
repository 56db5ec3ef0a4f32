import { existsSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { accountOn } from '../contract/accounts.ts';
import { messageFor } from '../contract/messages/message.ts';
import type { Settings } from '../contract/settings.ts';
import type { StudioView } from '../contract/studio.ts';
import { DailiesError, refused, toMessage } from '../engine/base/errors.ts';
import { KeyedMutex } from '../engine/base/keyed-mutex.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import type { Account } from '../engine/db/service-store.ts';
import type { Engine } from '../engine/engine.ts';
import type { StudioService } from '../server/services.ts';
import type { StudioDatabase } from '../studio/database.ts';
import type { Member, MemberOptions } from '../studio/member.ts';
import type { Environment } from './process-environment.ts';

/** What of the studio is loaded, with a database driver, only where a data folder has one. */
const load = async () => ({
  ...(await import('./membership.ts')),
  ...(await import('../studio/database.ts')),
  ...(await import('../studio/errors.ts')),
});

/** A studio that could not be joined is tried again after so long, ms. */
const AGAIN_MS = 5000;

/** The studio knows an account by the fingerprint of its key; people know it by the name it has here. */
export const withNameHere =
  (own: readonly (Account & { readonly name: string })[]) =>
  <Of extends { readonly name: string; readonly address: string }>(known: Of): Of => {
    const { name } = own.find((each) => each.keyFingerprint === known.name && each.origin === known.address) ?? known;
    return { ...known, name };
  };

async function endWith(database: StudioDatabase, ending: Promise<void>): Promise<void> {
  await Promise.allSettled([ending]);
  await database.close();
  return ending;
}

interface StudioHost {
  readonly engine: Engine;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Link {
  readonly database: StudioDatabase;
  readonly member: Member;
  readonly roots: Map<string, string>;
  look(): void;
  stop(): Promise<void>;
  leave(): Promise<void>;
}

/**
 * The studio of a data folder, as its engine belongs to it. Nothing of a studio is loaded before the data folder has one
 * or is to join one.
 */
export function createHostedStudio(
  machine: Environment,
  dataFolder: string,
  { engine, settings, clock, logger }: StudioHost,
) {
  let link: Link | null = null;
  let trouble: { readonly error: DailiesError; readonly since: number } | null = null;
  let members: StudioView['members'] = null;
  let works = false;
  let keeping: Promise<void> = Promise.resolve();
  let letGo = new AbortController();
  const turns = new KeyedMutex();
  const isKnown = (): boolean => existsSync(joinPath(dataFolder, 'studio.json'));

  async function memberOf() {
    const known = isKnown() ? (await load()).readMembership(dataFolder) : null;
    return known?.person == null || known.machine === null
      ? null
      : { ...known, person: known.person, machine: known.machine };
  }

  async function asVisitor<Result>(
    found: { readonly address?: string; readonly password?: string },
    work: (visitor: StudioDatabase) => Promise<Result>,
  ): Promise<Result> {
    const { findStudio, keepPassword, connectStudio, NOTHING_SEEN } = await load();
    const kept = await findStudio(machine, dataFolder, found.address);
    const given = found.password ? { ...kept, password: found.password } : kept;
    const visitor = await connectStudio({ ...given, machine: null, logger, seen: NOTHING_SEEN });
    try {
      if (found.password && !(await keepPassword(machine, given)))
        throw refused('studio_password_not_kept', 'studio.passwordNotKept');
      return await work(visitor);
    } finally {
      await visitor.close();
    }
  }

  /**
   * Connects as the machine of the data folder. One that has another name now joins first; one that was declared dead is
   * refused: only a person who joins again ends that.
   */
  async function connect(name?: string): Promise<MemberOptions & { readonly roots: Map<string, string> }> {
    const { findStudio, writeMembership, connectStudio, NOTHING_SEEN, StudioError } = await load();
    const known = await memberOf();
    if (!known) throw new StudioError('studio_none');
    const { person, instance, roots, address } = known;
    const own = name ?? known.machine;
    const requireAlive = (isFenced: boolean): void => {
      if (isFenced) throw new StudioError('studio_fenced', { name: own });
    };
    if (own !== known.machine) {
      await asVisitor({}, async (visitor) => {
        requireAlive((await visitor.status()).machines.some((other) => other.name === own && other.isFenced));
        await visitor.join(person, own, instance);
      });
      writeMembership(dataFolder, { address, machine: own });
    }
    const seen = engine.stores.jobs.studio.seen() ?? NOTHING_SEEN;
    const found = await findStudio(machine, dataFolder);
    const database = await connectStudio({ ...found, machine: { name: own, instance }, logger, seen });
    try {
      requireAlive(database.isFenced);
    } catch (error) {
      await database.close();
      throw error;
    }
    const [studio = ''] = (database.seen.studio ?? '').split('/');
    return { engine, database, studio, machine: own, roots: new Map(Object.entries(roots)), clock, logger };
  }

  /** Makes the engine a machine of the studio. It takes work while `works` says so. */
  async function enter(works: () => boolean, name?: string) {
    const options = await connect(name);
    const { startWorker } = await import('../studio/worker.ts');
    const { createDesk } = await import('../studio/hand-over.ts');
    const worker = startWorker({ ...options, settings, works });
    const { member } = worker;
    const { database, roots } = options;
    engine.studio.desk = createDesk(member, options);
    const stop = () => endWith(database, worker.stop());
    const leave = () => endWith(database, worker.leave());
    link = { database, member, roots, look: worker.wake, stop, leave };
    return worker;
  }

  /** Makes the engine a member that hands lists over, and hears of no others but by `pull`. */
  async function enterToHandOver(): Promise<Member> {
    const options = await connect();
    const { joinStudio } = await import('../studio/member.ts');
    const { createDesk } = await import('../studio/hand-over.ts');
    const member = joinStudio(options);
    const { database, roots } = options;
    engine.studio.desk = createDesk(member, options);
    const stop = () => endWith(database, member.leave());
    link = { database, member, roots, look: member.wake, stop, leave: stop };
    return member;
  }

  /** For a program that runs on: its data folder's studio, if it has one, tried again until it can be joined. */
  function begin(): void {
    letGo = new AbortController();
    keeping = keep(letGo.signal);
  }

  async function keep(signal: AbortSignal): Promise<void> {
    const known = await memberOf();
    if (known === null) return;
    ({ works } = known);
    while (!signal.aborted && link === null) {
      try {
        await enter(() => works);
        trouble = null;
      } catch (error) {
        if (!(error instanceof DailiesError)) logger.error('The studio failed', { reason: toMessage(error) });
        else if (trouble?.error.code !== error.code) trouble = { error, since: clock.now() };
        await clock.sleep(AGAIN_MS, { signal }).catch(() => undefined);
      }
    }
  }

  async function pause(): Promise<void> {
    letGo.abort();
    await keeping;
  }

  async function connected(): Promise<Link> {
    if (link) return link;
    if (trouble) throw trouble.error;
    const { StudioError } = await load();
    throw new StudioError('studio_away');
  }

  async function readMembers(): Promise<void> {
    if (link === null || link.member.isAway) return;
    const status = await link.member.ask(() => link?.database.status() ?? Promise.reject(new Error('left')));
    const own = engine.studio.accounts().map(({ service: of, account }) => ({
      ...account,
      name: accountOn(settings(), of)?.name ?? account.keyFingerprint,
    }));
    members = status === null ? members : { ...status, accounts: status.accounts.map(withNameHere(own)) };
  }

  function standing(): Pick<StudioView, 'state' | 'since' | 'trouble'> {
    if (link === null) {
      if (trouble === null) return { state: 'connecting', since: clock.now(), trouble: null };
      const { error, since } = trouble;
      const state = error.code === 'studio_away' ? 'away' : 'refused';
      return { state, since, trouble: { text: error.text, remedy: error.remedy } };
    }
    const { isFenced, isHalted, isAway, changedAt: since } = link.member;
    const state = isFenced ? 'fenced' : isHalted ? 'halted' : isAway ? 'away' : 'connected';
    return { state, since, trouble: null };
  }

  const service: StudioService = {
    async get() {
      const known = await memberOf();
      if (known === null) return null;
      await readMembers();
      const { address, person, machine: name, roots } = known;
      return {
        ...{ address, person, machine: name, roots, works: known.works, members },
        ...standing(),
        isAdmin: link?.database.isAdmin === true,
      };
    },

    join: ({ address, password, person, machine: name }) =>
      turns.run('', async () => {
        const { readMembership, writeMembership } = await load();
        const before = await memberOf();
        const isSame = before?.address === address && before.person === person && before.machine === name;
        if (before && !isSame) throw refused('studio_joined', 'studio.alreadyJoined');
        await asVisitor({ address, password }, async (visitor) => {
          const { text } = visitor.address;
          const { instance } = readMembership(dataFolder) ?? writeMembership(dataFolder, { address: text });
          await visitor.join(person, name, instance);
          writeMembership(dataFolder, { address: text, person, machine: name });
        });
        link?.member.wake();
        await pause();
        if (link === null) begin();
      }),

    change: (change) =>
      turns.run('', async () => {
        const { writeMembership, StudioError } = await load();
        const known = await memberOf();
        if (known === null) throw new StudioError('studio_none');
        const { address, roots } = known;
        works = change.works ?? known.works;
        writeMembership(dataFolder, { address, works, roots: change.roots ?? roots });
        if (link && change.roots) {
          link.roots.clear();
          for (const [root, folder] of Object.entries(change.roots)) link.roots.set(root, folder);
        }
        link?.look();
      }),

    leave: () =>
      turns.run('', async () => {
        const { studio } = engine.stores.jobs;
        // One that is away does not hear of what has ended: its admin declares this machine dead.
        const isUntold = link !== null && !link.member.isAway && studio.outbox(1).length > 0;
        if (studio.here().length > 0 || isUntold)
          throw refused('studio_in_use', 'studio.stillAtWork', 'studio.stillAtWorkRemedy');
        await pause();
        await link?.leave();
        [link, trouble, members] = [null, null, null];
        (await load()).forgetMembership(dataFolder);
      }),

    setBudget: async (scope, limit) => (await connected()).database.setBudget(scope, limit),
    declareDead: async (name) => (await connected()).database.declareDead(name),
    async reconcile() {
      const { database, member } = await connected();
      const { missing } = await database.reconcile();
      if (missing.length > 0) throw refused('studio_untold', messageFor('studio.untold', { machines: [...missing] }));
      member.wake();
    },
  };

  return {
    ...{ service, enter, enterToHandOver, begin },
    async stop(): Promise<void> {
      await pause();
      await link?.stop();
      link = null;
    },
  };
}
