import type { Stores } from '../db/stores.ts';
import * as z from 'zod';
import { historyText } from '../../contract/history.ts';
import type { Message } from '../../contract/messages/message.ts';
import { moneyMessage } from '../../contract/in-words.ts';
import { Cap, lowerCap, type CapScope } from '../../contract/ledger.ts';
import { NightWindow } from '../../contract/night-window.ts';
import { createCoalescedWriter } from '../base/coalesced-writer.ts';
import { systemCode } from '../base/errors.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import type { Clock, Logger } from '../base/ports.ts';
import { MICROS, type Sent } from '../db/ledger-store.ts';
import type { Limit, LimitScope } from '../db/limit-store.ts';
import type { Project } from '../db/project-store.ts';
import { type FileProblem, readJson, requireReadable } from '../files/json-files.ts';
import { placeIn, type Place } from '../files/place.ts';
import { replaceFile } from '../files/project-files.ts';
import { list } from './arrangement.ts';

/** `.dailies/limits.json`: what limits the spending of a project, and what was sent against it. */
const limitsFile = (project: string): Place => placeIn(project, '.dailies', 'limits.json');

const MAX_BYTES = 16 * 1000 ** 2;
const MAX_SCOPES = 10_001;

/** A clock may be this much ahead of ours, ms. A decision that is later than that counts as one without a time. */
const AHEAD_MS = 24 * 3_600_000;

/** When a person decided, ms; 0 where that cannot be known. */
const decidedAt = z.int().min(0).catch(0);
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER).catch(0);

const LimitsOfScope = z.object({
  /** The folder of the batch, which is its name for every data folder; null for the project. */
  batch: z.string().max(1000).nullable(),
  /** Without limits, a person removed it. */
  cap: Cap.extend({ at: decidedAt }).optional().catch(undefined),
  /** Another system may not have its time zone, which is no reason to send by day: see `WindowStore.list`. */
  window: z
    .object({ at: decidedAt, hours: NightWindow.extend({ timeZone: z.string().max(100) }).nullable() })
    .optional()
    .catch(undefined),
  /** What counts against the cap, by any data folder; the price in millionths. */
  sent: z.object({ takes: count, micros: count }).optional().catch(undefined),
});
type LimitsOfScope = z.infer<typeof LimitsOfScope>;

const Limits = z.object({ format: z.literal(1), limits: list(LimitsOfScope, MAX_SCOPES) });
type Limits = z.infer<typeof Limits>;

export type FoundLimit = { readonly scope: LimitScope; readonly sent: Sent } & (
  | { readonly what: 'cap'; readonly cap: Cap }
  | { readonly what: 'window'; readonly window: NightWindow | null }
);

const noCap: Cap = { money: null, takes: null };
const capIn = ({ ledger }: Stores, scope: LimitScope): Cap => ledger.capOf(scope, 0)?.cap ?? noCap;

function limitsFor(stores: Stores, projectId: string): LimitsOfScope[] {
  const { limits, windows, ledger } = stores;
  return limits.scopes(projectId).map(({ scope, folder }) => {
    const [cap, window] = [limits.decidedAt('cap', scope), limits.decidedAt('window', scope)];
    return {
      batch: folder,
      ...(cap !== null && { cap: { ...capIn(stores, scope), at: cap } }),
      ...(window !== null && { window: { at: window, hours: windows.of(scope) } }),
      sent: ledger.sent(scope),
    };
  });
}

/**
 * Writes what limits a project into its folder, unless the file says it already. Durable and atomic. What it says of
 * batches that are not known here stays. Throws ProjectFileError, or the system's error.
 */
async function writeLimits(
  stores: Stores,
  { id, path }: { readonly id: string; readonly path: string },
): Promise<void> {
  const own = limitsFor(stores, id);
  if (own.length === 0) return;
  const stored = (await readLimits(path)).limits;
  const folders = new Set(stores.batches.rows(id).map(({ folder }) => folder));
  const others = stored.filter(({ batch }) => batch !== null && !folders.has(batch));
  const limits = [...own, ...others];
  if (JSON.stringify(limits) === JSON.stringify(stored)) return;
  await replaceFile(limitsFile(path), `${JSON.stringify({ format: 1, limits }, null, 2)}\n`);
}

/**
 * Takes over what the folder of a project says of its limits. Of two decisions of people the newer one holds; where that
 * cannot be told, the lower cap does. What was sent counts even where its requests are not known here.
 */
export async function adoptLimits(
  stores: Stores,
  { id, path }: { readonly id: string; readonly path: string },
  now: number,
): Promise<{ readonly found: readonly FoundLimit[]; readonly problem: FileProblem | null }> {
  const { limits, problem } = await readLimits(path);
  return { found: stores.batches.inOneCommit(() => adopt(stores, { projectId: id, limits, now })), problem };
}

function adopt(
  stores: Stores,
  { projectId, limits, now }: { readonly projectId: string; readonly limits: Limits['limits']; readonly now: number },
): FoundLimit[] {
  const batchIds = new Map(stores.batches.rows(projectId).map(({ folder, id }) => [folder, id]));
  return limits.flatMap(({ batch, cap, window, sent }): FoundLimit[] => {
    const batchId = batch === null ? undefined : batchIds.get(batch);
    if (batch !== null && batchId === undefined) return [];
    const scope: LimitScope = batchId === undefined ? { scope: 'project', projectId } : { scope: 'batch', batchId };
    if (sent) stores.ledger.keepSent(scope, sent);
    return [...adoptCap(stores, scope, cap, now), ...adoptWindow(stores, scope, window, now)];
  });
}

function adoptCap(stores: Stores, scope: LimitScope, found: LimitsOfScope['cap'], now: number): FoundLimit[] {
  if (!found) return [];
  const own = capIn(stores, scope);
  const theirs = { money: found.money, takes: found.takes };
  const holds = whichHolds(stores, { what: 'cap', scope, at: found.at }, now);
  if (holds === 'own') return [];
  const cap = holds === 'theirs' ? theirs : lowerCap(own, theirs);
  if (cap.money === own.money && cap.takes === own.takes) return [];
  stores.ledger.changeCap(scope, cap);
  return [{ what: 'cap', scope, cap, sent: stores.ledger.sent(scope) }];
}

function adoptWindow(stores: Stores, scope: LimitScope, found: LimitsOfScope['window'], now: number): FoundLimit[] {
  if (!found) return [];
  const own = stores.windows.of(scope);
  const holds = whichHolds(stores, { what: 'window', scope, at: found.at }, now);
  const window = holds === 'theirs' ? found.hours : (own ?? (holds === 'lower' ? found.hours : null));
  if (JSON.stringify(window) === JSON.stringify(own)) return [];
  stores.windows.change(scope, window);
  return [{ what: 'window', scope, window, sent: stores.ledger.sent(scope) }];
}

function whichHolds(
  { limits }: Stores,
  { what, scope, at }: { readonly what: Limit; readonly scope: LimitScope; readonly at: number },
  now: number,
): 'own' | 'theirs' | 'lower' {
  const own = limits.decidedAt(what, scope);
  const theirs = at <= now + AHEAD_MS ? at : 0;
  if (own === null || theirs > own) limits.setDecidedAt(what, scope, theirs);
  if (own === null) return 'theirs';
  if (own === theirs || own === 0 || theirs === 0) return 'lower';
  return theirs > own ? 'theirs' : 'own';
}

/**
 * Keeps the file of each project up to date: soon after something was sent, and before anything is sent under a limit that
 * was changed, so that a kill cannot leave a folder with requests and without their limit.
 */
export function createLimitFiles({
  stores,
  clock,
  logger,
  writable,
  isWriter,
  claim,
}: {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writable: (projectId: string) => Project | null;
  /** False while another machine of the studio writes the file. */
  readonly isWriter: (projectId: string) => boolean;
  /** Reads the folder of a project before anything is decided about it, if that is there. */
  readonly claim: (projectId: string) => Promise<void>;
}) {
  const behind = new Set<string>();
  const mutex = new KeyedMutex();
  const write = (projectId: string): Promise<void> =>
    mutex.run(projectId, async () => {
      const project = writable(projectId);
      if (project === null || !isWriter(projectId)) return;
      // Whatever changes from now on is written again.
      const wasBehind = behind.delete(projectId);
      try {
        await writeLimits(stores, project);
      } catch (error) {
        if (wasBehind) behind.add(projectId);
        throw error;
      }
    });
  const { touch, flush } = createCoalescedWriter({ clock, logger, what: 'limits file', write });
  /** A limit is another one. Nothing of the project is sent until its folder says so. */
  const changed = (projectId: string): void => {
    if (isWriter(projectId)) behind.add(projectId);
    touch(projectId);
  };
  const has = (projectId: string): boolean => !behind.has(projectId);
  return {
    touch,
    flush,
    changed,
    has,
    /**
     * Makes a person's decision about a limit once the folder of its project was read, if it is there. The folder has it
     * when this resolves. Throws ProjectInUseError, and what the decision throws.
     */
    async decide<Result>(scope: CapScope, decision: () => Result): Promise<Result> {
      const projectId = projectOfScope(stores.batches, scope);
      if (projectId === null) return decision();
      await claim(projectId);
      const decided = decision();
      await flush();
      return decided;
    },
    /** Stores that a limit was decided now: part of the commit that changes it. */
    decided(what: Limit, scope: CapScope): void {
      stores.limits.decide(what, scope, clock.now());
      const projectId = projectOfScope(stores.batches, scope);
      if (projectId !== null) changed(projectId);
    },
    /** Writes what the folder lacks. `all`: what was sent too. Rejects when it cannot. */
    async written(projectId: string, all = false): Promise<void> {
      if (all || !has(projectId)) await write(projectId);
    },
  };
}
export type LimitFiles = ReturnType<typeof createLimitFiles>;

/** What the file says; nothing when there is none. Rejects while it cannot be read: a cap in it would not count. */
async function readLimits(
  project: string,
): Promise<{ readonly limits: Limits['limits']; problem: FileProblem | null }> {
  const read = await readJson<Limits>(limitsFile(project), Limits as z.ZodType<Limits>, MAX_BYTES);
  if ('value' in read) return { limits: read.value.limits, problem: null };
  requireReadable(read.problem);
  return { limits: [], problem: systemCode(read.problem.cause) === 'ENOENT' ? null : read.problem };
}

const projectOfScope = (batches: Pick<Stores['batches'], 'get'>, scope: CapScope): string | null =>
  scope.scope === 'batch'
    ? (batches.get(scope.batchId)?.projectId ?? null)
    : scope.scope === 'project'
      ? scope.projectId
      : null;

export const scopeFacts = (batches: Pick<Stores['batches'], 'get'>, scope: CapScope) => ({
  scope: scope.scope,
  batch: scope.scope === 'batch' ? (batches.get(scope.batchId)?.name ?? '') : '',
});

export function capLine(scope: ReturnType<typeof scopeFacts>, { money, takes }: Cap, currency: string) {
  const limits = limitsIn({ money, takes }, currency);
  if (limits.limits === 'none') return { code: 'cap.removed', facts: scope } as const;
  return { code: 'cap.changed', facts: { ...scope, ...limits } } as const;
}

export function noteFound(
  { batches, history }: Pick<Stores, 'batches' | 'history'>,
  limit: FoundLimit,
  { currency, at }: { readonly currency: string; readonly at: number },
): Message {
  const projectId = projectOfScope(batches, limit.scope);
  const place = { by: 'engine', at, projectId } as const;
  const scope = scopeFacts(batches, limit.scope);
  if (limit.what === 'window') {
    const facts = { ...scope, isSet: limit.window === null ? 'no' : 'yes' };
    history.note({ ...place, code: 'window.found', facts });
    return historyText('window.found', facts);
  }
  const { takes, micros } = limit.sent;
  const spent = moneyMessage(micros / MICROS, currency);
  const facts = { ...scope, ...limitsIn(limit.cap, currency), sent: takes, spent };
  history.note({ ...place, code: 'cap.found', facts });
  return historyText('cap.found', facts);
}

export const limitsIn = ({ money, takes }: Cap, currency: string) => ({
  money: money === null ? '' : moneyMessage(money, currency),
  limits: money === null ? (takes === null ? 'none' : 'takes') : takes === null ? 'money' : 'both',
  takes: takes ?? 0,
});
