import { resolve } from 'node:path';
import PQueue from 'p-queue';
import type { AssetUse, Readiness, SyncReport, TakeAsset } from '../../contract/asset.ts';
import { accountKey, type Account } from '../db/service-store.ts';
import { KeyMissingError } from '../base/errors.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import { FileUploads } from './file-uploads.ts';
import { Groups } from './groups.ts';
import { ManualUploads } from './manual-uploads.ts';
import { Identities } from './identity.ts';
import type { Library } from './library-api.ts';
import type { LibraryParts } from './library-parts.ts';
import { LostUploads } from './lost-uploads.ts';
import { plannedUploads } from './planned-uploads.ts';
import { Preparer } from './prepare.ts';
import { ReadinessWatch } from './readiness.ts';
import { syncLibrary } from './sync.ts';
import { Uploads } from './uploads.ts';
import { assetOf, assetsOf, groupsOf } from './views.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { AssetUseStore, PreparedUse } from '../db/asset-use-store.ts';
import { needsOf } from './needs.ts';

export interface ComposedLibrary {
  readonly library: Library;
  readonly preparer: Preparer;
  /** Resolves when all work of the library has ended. */
  settled(): Promise<void>;
}

export function composeLibrary(parts: LibraryParts): ComposedLibrary {
  // Requests that the last engine was about to send when it died may have been sent.
  parts.uploads.markUnclear(parts.ports.clock.now());
  const identities = new Identities(parts.media, parts.ports.clock, parts.stopping);
  const lost = new LostUploads(parts);
  const uploads = new Uploads(parts, identities, lost);
  const files = new FileUploads(parts, identities, uploads);
  const groups = new Groups(parts);
  const watch = new ReadinessWatch(parts);
  const hand = new ManualUploads(parts, { files, uploads, groups });
  const preparer = new Preparer(parts, { files, groups, watch });
  const underWay = new PQueue();
  const syncs = new SingleFlight<SyncReport>();
  /** By account. Not kept on disk: a sync that finds nothing new writes nothing, and a start is followed by one soon. */
  const syncedAt = new Map<string, number>();

  const counted = <Result>(work: Promise<Result>): Promise<Result> => underWay.add(() => work) as Promise<Result>;

  const libraryOn = (service: string | null): Library => {
    const account = (): Account => {
      const current = parts.clients.current(service);
      if (!current) throw new KeyMissingError();
      return current;
    };
    /** Reading needs no key; without a key or an address, there is nothing to read. */
    const looking = <Result>(look: (account: Account) => Result, nothing: Result): Result => {
      const current = parts.clients.currentIfAny(service);
      return current ? look(current) : nothing;
    };
    return {
      groups: () => looking((current) => groupsOf(parts, current), []),
      createGroup: (fields) => counted(groups.create(account(), fields)),
      renameGroup: (group, fields) => {
        const current = account();
        return counted(groups.update(current, groups.known(current, group)?.id ?? group, fields));
      },
      assets: (filter = {}) => looking((current) => assetsOf(parts, current, filter), []),
      asset: (assetId) => looking((current) => assetOf(parts, current, assetId), null),
      upload: async (paths, target, options = {}) => {
        const current = account();
        return counted(Promise.all(paths.map((path) => hand.file(current, resolve(path), target, options))));
      },
      addUrl: async (url, target, options = {}) => counted(hand.address(account(), url, target, options)),
      untilReady: async (assetIds, { signal } = {}) =>
        counted(untilReady(parts, watch, account(), assetIds, signal ?? parts.stopping)),
      sync: async (signal) => {
        const current = account();
        const name = accountKey(current);
        const report = await counted(syncs.run(name, () => sync(parts, lost, current, signal)));
        syncedAt.set(name, parts.ports.clock.now());
        return report;
      },
      syncedAt: () => looking((current) => syncedAt.get(accountKey(current)) ?? null, null),
      whereUsed: (assetId) => whereUsed(parts.uses, assetId),
      usedBy: (jobId) => usedBy(parts.uses, jobId),
      hide: (id, hidden) => looking((current) => parts.assets.setHidden(current, 'asset', id, hidden), false),
      plannedUploads: (shots, listFolder) =>
        plannedUploads(
          looking((current) => ({ ...parts, account: current }), null),
          shots,
          listFolder,
        ),
      on: libraryOn,
    };
  };

  return {
    library: libraryOn(null),
    preparer,
    settled: () => underWay.onIdle(),
  };
}

async function sync(
  parts: LibraryParts,
  lost: LostUploads,
  account: Account,
  signal: AbortSignal | undefined,
): Promise<SyncReport> {
  const client = parts.clients.forAccount(account);
  if (!client) throw new KeyMissingError();
  const ended = signal ? AbortSignal.any([signal, parts.stopping]) : parts.stopping;
  const report = await syncLibrary({ client, account, store: parts.assets, clock: parts.ports.clock }, ended);
  return { ...report, adopted: await lost.adoptAll(account) };
}

/** Looks at each until there is nothing left to wait for. */
async function untilReady(
  parts: LibraryParts,
  watch: ReadinessWatch,
  account: Account,
  assetIds: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Readiness>> {
  const { clock } = parts.ports;
  const deadline = clock.now() + parts.settings.assetDeadlineMinutes * 60_000;
  const found = new Map<string, Readiness>();
  const follow = async (assetId: string): Promise<void> => {
    for (;;) {
      const groupId = parts.assets.asset(account, assetId)?.groupId ?? null;
      const check = await watch.check(account, assetId, groupId);
      const isOver = check.type !== 'waiting' && check.type !== 'held';
      if (isOver || check.until >= deadline) break;
      await clock.sleep(Math.max(0, check.until - clock.now()), { signal });
    }
    found.set(assetId, assetOf(parts, account, assetId)?.readiness ?? 'waiting');
  };
  await Promise.all(assetIds.map(follow));
  return found;
}

/** Every row of every list that names the asset, itself or by a file it was made of, with its takes. */
function whereUsed(store: AssetUseStore, assetId: string): AssetUse[] {
  const named = store.mentioning(assetId).flatMap(({ spec, project, batch, current, takes }) =>
    parametersNaming(spec, assetId).map((parameter): AssetUse => {
      return { project, batch, shot: spec.key, parameter, current, takes: [...takes] };
    }),
  );
  const byPlace = Map.groupBy(store.preparedWith(assetId), ({ shotId, parameter, path }) =>
    JSON.stringify([shotId, parameter, path]),
  );
  return [...named, ...[...byPlace.values()].flatMap((uses) => preparedUse(store, uses))];
}

/** The assets a take was made with: those its files became, and those its row names itself. */
function usedBy(store: AssetUseStore, jobId: string): TakeAsset[] {
  const version = store.shotOfTake(jobId);
  const named = version ? namedAssets(version.spec) : [];
  return [...store.ofTake(jobId), ...named];
}

function preparedUse(store: AssetUseStore, uses: readonly PreparedUse[]): AssetUse[] {
  const [first] = uses;
  const version = first && store.shotVersion(first.shotId);
  if (!version) return [];
  return [
    {
      ...{ project: version.project, batch: version.batch, shot: version.spec.key, current: version.current },
      ...{ parameter: first.parameter, path: first.path },
      takes: uses.map(({ jobId, take, state }) => ({ jobId, take, state })),
    },
  ];
}

function parametersNaming(spec: ShotSpec, assetId: string): string[] {
  return [...new Set(namedAssets(spec).flatMap((named) => (named.assetId === assetId ? [named.parameter] : [])))];
}

/** Assets that a row names itself: in media columns and avatars, and `Asset://` references in added fields. */
function namedAssets(spec: ShotSpec): TakeAsset[] {
  return [
    ...needsOf(spec, '').named.map(({ parameter, assetId }) => ({ parameter, assetId })),
    ...Object.entries(spec.extra).flatMap(([name, text]) =>
      [...text.matchAll(/asset:\/\/([^\s/"'\\,\]}]+)/gi)].map(([, assetId = '']) => ({
        parameter: `param.${name}`,
        assetId,
      })),
    ),
  ];
}
