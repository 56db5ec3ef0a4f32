import type { DemoClock } from './clock.ts';
import { z } from 'zod';
import { newId } from './task-store.ts';

export const ASSET_TYPES = ['image', 'audio', 'video', 'file'] as const;
export type AssetType = (typeof ASSET_TYPES)[number];
export type Readiness = 'created' | 'syncing' | 'ready' | 'failed' | 'disabled';

export const groupRecord = z.object({
  id: z.string(),
  domain: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(['enabled', 'disabled']),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type AssetGroup = z.infer<typeof groupRecord>;

export const assetRecord = z.object({
  id: z.string(),
  groupId: z.string(),
  type: z.enum(ASSET_TYPES),
  /** How the content came: an address given by the caller, or a file in a form. */
  upload: z.enum(['address', 'file']),
  model: z.string().nullable(),
  mode: z.enum(['asset', 'oss', 'both']),
  purpose: z.string().nullable(),
  role: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  sourceUrl: z.string().nullable(),
  contentType: z.string().nullable(),
  bytes: z.number().nullable(),
  createdAt: z.number(),
  /** Milliseconds from the upload until the asset is ready. */
  syncMs: z.number(),
  end: z.enum(['ready', 'failed', 'disabled', 'never']),
  syncError: z.string().nullable(),
  traceId: z.string(),
});
export type Asset = z.infer<typeof assetRecord>;

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

type Saved = { record: 'asset'; asset: Asset } | { record: 'group'; group: AssetGroup };

/** Reusable media and their groups. Readiness follows from the clock and is never stored. */
export class AssetStore {
  readonly #clock: DemoClock;
  readonly #save: (line: Saved) => void;
  readonly #newGroupId: () => string;
  readonly assetsById = new Map<string, Asset>();
  readonly groupsById = new Map<string, AssetGroup>();

  constructor(clock: DemoClock, save: (line: Saved) => void, newGroupId = () => newId('group')) {
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

  /** What an administrator of the real service would do; there is no request for it. */
  setGroupStatus(id: string, status: AssetGroup['status']): void {
    const group = this.groupsById.get(id);
    if (group !== undefined) this.groupsById.set(id, { ...group, status });
  }

  /** The same for an asset that becomes unusable after it was ready. */
  setAssetEnd(id: string, end: Asset['end']): void {
    const asset = this.assetsById.get(id);
    if (asset !== undefined) this.assetsById.set(id, { ...asset, end });
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
