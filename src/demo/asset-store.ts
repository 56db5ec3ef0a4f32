import { type DemoClock, newId } from './task-store.ts';

export const ASSET_TYPES = ['image', 'audio', 'video', 'file'] as const;
export type AssetType = (typeof ASSET_TYPES)[number];
export type Readiness = 'created' | 'syncing' | 'ready' | 'failed' | 'disabled';

export interface AssetGroup {
  id: string;
  domain: string;
  name: string;
  description: string;
  status: 'enabled' | 'disabled';
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

export interface Asset {
  id: string;
  groupId: string;
  type: AssetType;
  upload: 'address' | 'file';
  model: string | null;
  mode: 'asset' | 'oss' | 'both';
  purpose: string | null;
  role: string | null;
  name: string;
  description: string;
  sourceUrl: string | null;
  contentType: string | null;
  bytes: number | null;
  createdAt: number;
  syncMs: number;
  end: 'ready' | 'failed' | 'disabled' | 'never';
  syncError: string | null;
  traceId: string;
}

/** What is not said of a new asset: it came as a file, for any model, and is ready. */
const USUAL = {
  ...{ upload: 'file', mode: 'asset', end: 'ready', model: null, purpose: null, role: null },
  ...{ description: '', sourceUrl: null, contentType: null, bytes: null, syncError: null },
} as const satisfies Partial<Asset>;

export type NewAsset = Pick<Asset, 'groupId' | 'type' | 'name' | 'syncMs'> & Partial<Asset>;

interface GroupChanges {
  name?: string | undefined;
  description?: string | undefined;
}

export const DEFAULT_GROUP = 'group_default';

export type SavedAsset = { record: 'asset'; asset: Asset } | { record: 'group'; group: AssetGroup };

/** Reusable media and their groups. Readiness follows from the clock and is never stored. */
export class AssetStore {
  readonly #clock: DemoClock;
  readonly #save: (line: SavedAsset) => void;
  readonly #newGroupId: () => string;
  readonly assetsById = new Map<string, Asset>();
  readonly groupsById = new Map<string, AssetGroup>();

  constructor(clock: DemoClock, save: (line: SavedAsset) => void, newGroupId = () => newId('group')) {
    this.#clock = clock;
    this.#save = save;
    this.#newGroupId = newGroupId;
    const now = clock.now();
    this.groupsById.set(DEFAULT_GROUP, {
      ...{ id: DEFAULT_GROUP, domain: 'media', name: 'Default', description: '', status: 'enabled' },
      ...{ createdAt: now, updatedAt: now },
    });
  }

  createGroup(facts: Pick<AssetGroup, 'name' | 'description' | 'domain'>): AssetGroup {
    const now = this.#clock.now();
    const id = this.#newGroupId();
    return this.#put({ id, status: 'enabled', createdAt: now, updatedAt: now, ...facts });
  }

  updateGroup(group: AssetGroup, { name = group.name, description = group.description }: GroupChanges): AssetGroup {
    return this.#put({ ...group, name, description, updatedAt: this.#clock.now() });
  }

  #put(group: AssetGroup): AssetGroup {
    this.#save({ record: 'group', group });
    this.groupsById.set(group.id, group);
    return group;
  }

  createAsset(facts: NewAsset): Asset {
    const asset: Asset = {
      ...USUAL,
      id: newId('asset'),
      createdAt: this.#clock.now(),
      traceId: newId('trace'),
      ...facts,
    };
    this.#save({ record: 'asset', asset });
    this.assetsById.set(asset.id, asset);
    return asset;
  }

  groups(): AssetGroup[] {
    return [...this.groupsById.values()];
  }

  assets(): Asset[] {
    return [...this.assetsById.values()];
  }

  /** Transitions are not shown in the reference; this is the order its states suggest. */
  readinessOf(asset: Asset): Readiness {
    const share = (this.#clock.now() - asset.createdAt) / Math.max(asset.syncMs, 1);
    if (share < 0.25) return 'created';
    if (share < 1 || asset.end === 'never') return 'syncing';
    return asset.end;
  }
}
