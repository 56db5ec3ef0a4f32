import { resolve } from 'node:path';
import PQueue from 'p-queue';
import type {
  AssetFilter,
  AssetGroup,
  AssetUse,
  LibraryAsset,
  LibraryGroup,
  PlannedUpload,
  Readiness,
  SyncReport,
  TakeAsset,
  UploadReport,
  UploadTarget,
} from '../../contract/asset.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import { KeyMissingError } from '../base/errors.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import { FileUploads } from './file-uploads.ts';
import { Groups, syncLibrary } from './sync.ts';
import { Identities } from './identity.ts';
import type { LibraryParts } from './library-parts.ts';
import { Uploads } from './uploads.ts';
import { needsFor, plannedUploads } from './needs.ts';
import { Preparer, ReadinessWatch } from './prepare.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { AssetUseStore, PreparedUse } from '../db/asset-store.ts';
import type { GroupFields } from '../api/resources/assets.ts';
import { assetFor, assetsFor, groupsFor } from './views.ts';

export function composeLibrary(parts: LibraryParts) {
  // Requests that the last engine was about to send when it died may have been sent.
  parts.uploads.markUnclear(parts.ports.clock.now());
  const identities = new Identities(parts.media, parts.ports.clock, parts.stopping);
  const uploads = new Uploads(parts, identities);
  const groups = new Groups(parts);
  const files = new FileUploads(parts, identities, uploads, groups);
  const watch = new ReadinessWatch(parts);
  const underWay = new PQueue();
  const shared = { ...{ parts, groups, files, uploads, watch, underWay }, syncs: new SingleFlight<SyncReport>() };
  return {
    library: new Library({ ...shared, syncedAt: new Map() }, null),
    preparer: new Preparer(parts, files, groups, watch),
    settled: () => underWay.onIdle(),
  };
}

interface Shared {
  readonly parts: LibraryParts;
  readonly groups: Groups;
  readonly files: FileUploads;
  readonly uploads: Uploads;
  readonly watch: ReadinessWatch;
  readonly underWay: PQueue;
  readonly syncs: SingleFlight<SyncReport>;
  /** By account. Not kept on disk: a sync that finds nothing new writes nothing, and a start is followed by one soon. */
  readonly syncedAt: Map<string, number>;
}

/** An account's asset library. Reading needs no key or network; else throws KeyMissingError and `ServiceError`s. */
export class Library {
  readonly #shared: Shared;
  readonly #service: string | null;

  /** `service`: another one that projects may be on; null for the one of the settings. */
  constructor(shared: Shared, service: string | null) {
    this.#shared = shared;
    this.#service = service;
  }

  groups(): LibraryGroup[] {
    return this.#look((account) => groupsFor(this.#shared.parts, account), []);
  }

  async createGroup(fields: GroupFields & { readonly name: string }): Promise<AssetGroup> {
    return this.#counted(this.#shared.groups.create(this.#account(), fields));
  }

  async renameGroup(group: string, fields: GroupFields): Promise<AssetGroup> {
    const { groups } = this.#shared;
    const account = this.#account();
    return this.#counted(groups.update(account, groups.known(account, group)?.id ?? group, fields));
  }

  assets(filter: AssetFilter = {}): LibraryAsset[] {
    return this.#look((account) => assetsFor(this.#shared.parts, account, filter), []);
  }

  asset(assetId: string): LibraryAsset | null {
    return this.#look((account) => assetFor(this.#shared.parts, account, assetId), null);
  }

  /**
   * Brings local files (absolute paths) into the library, each content once. One report a file, in their order; a file
   * that cannot be uploaded does not keep the others. Does not wait until they are usable: see `untilReady`.
   */
  async upload(paths: readonly string[], target: UploadTarget, signal?: AbortSignal): Promise<UploadReport[]> {
    const account = this.#account();
    const { files } = this.#shared;
    return this.#counted(Promise.all(paths.map((path) => files.file(account, resolve(path), target, signal))));
  }

  async addUrl(url: string, target: UploadTarget, signal?: AbortSignal): Promise<UploadReport> {
    return this.#counted(this.#shared.files.address(this.#account(), url, target, signal));
  }

  async untilReady(
    assetIds: readonly string[],
    signal = this.#shared.parts.stopping,
  ): Promise<ReadonlyMap<string, Readiness>> {
    const { parts, watch } = this.#shared;
    const { clock } = parts.ports;
    const account = this.#account();
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
      found.set(assetId, assetFor(parts, account, assetId)?.readiness ?? 'waiting');
    };
    await this.#counted(Promise.all(assetIds.map(follow)));
    return found;
  }

  /** Brings groups and assets in step with the service, and finds uploads whose answer was lost. */
  async sync(signal?: AbortSignal): Promise<SyncReport> {
    const { parts, uploads, syncs, syncedAt } = this.#shared;
    const { ports, assets, clients, stopping } = parts;
    const account = this.#account();
    const name = accountKey(account);
    const now = (): number => ports.clock.now();
    const work = async (): Promise<SyncReport> => {
      const client = clients.forAccount(account);
      if (!client) throw new KeyMissingError();
      const ended = signal ? AbortSignal.any([signal, stopping]) : stopping;
      const report = await syncLibrary(client, account, assets, now, ended);
      return { ...report, adopted: await uploads.adoptAll(account) };
    };
    const report = await this.#counted(syncs.run(name, work));
    syncedAt.set(name, now());
    return report;
  }

  /** When that last went through, ms; null when it has not since the engine was started. */
  syncedAt(): number | null {
    return this.#look((account) => this.#shared.syncedAt.get(accountKey(account)) ?? null, null);
  }

  whereUsed(assetId: string): AssetUse[] {
    const store = this.#shared.parts.uses;
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

  usedBy(jobId: string): TakeAsset[] {
    const { uses } = this.#shared.parts;
    const version = uses.shotOfTake(jobId);
    return [...uses.ofTake(jobId), ...(version ? namedAssets(version.spec) : [])];
  }

  /** Takes an asset out of sight here, or back into it. It stays at the service, which has no way to delete one. False when unknown. */
  hide(assetId: string, hidden: boolean): boolean {
    return this.#look((account) => this.#shared.parts.assets.setHidden(account, 'asset', assetId, hidden), false);
  }

  plannedUploads(shots: readonly ShotSpec[], listFolder: string): Promise<PlannedUpload[]> {
    const known = this.#look((account) => ({ ...this.#shared.parts, account }), null);
    return plannedUploads(known, shots, listFolder);
  }

  /** The library of the account of another service that projects may be on; null for the one of the settings. */
  on(service: string | null): Library {
    return new Library(this.#shared, service);
  }

  #account(): Account {
    const current = this.#shared.parts.clients.current(this.#service);
    if (!current) throw new KeyMissingError();
    return current;
  }

  /** Reading needs no key; without a key or an address, there is nothing to read. */
  #look<Result>(look: (account: Account) => Result, nothing: Result): Result {
    const current = this.#shared.parts.clients.currentIfAny(this.#service);
    return current ? look(current) : nothing;
  }

  #counted<Result>(work: Promise<Result>): Promise<Result> {
    return this.#shared.underWay.add(() => work) as Promise<Result>;
  }
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
    ...needsFor(spec, '').named.map(({ parameter, assetId }) => ({ parameter, assetId })),
    ...Object.entries(spec.extra).flatMap(([name, text]) =>
      [...text.matchAll(/asset:\/\/([^\s/"'\\,\]}]+)/gi)].map(([, assetId = '']) => ({
        parameter: `param.${name}`,
        assetId,
      })),
    ),
  ];
}
