import type { DemoClock } from './clock.ts';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

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

export type NewAsset = Omit<Asset, 'id' | 'createdAt' | 'traceId'> & Partial<Pick<Asset, 'id'>>;

const DEFAULT_GROUP = 'group_default';

const hexGroupId = (): string => `group_${randomBytes(8).toString('hex')}`;

export interface AssetStoreOptions {
  asset: (asset: Asset) => void;
  group: (group: AssetGroup) => void;
  newGroupId?: () => string;
}

/** Reusable media and their groups. Readiness follows from the clock and is never stored. */
export class AssetStore {
  readonly #clock: DemoClock;
  readonly #options: Required<AssetStoreOptions>;
  readonly #assets = new Map<string, Asset>();
  readonly #groups = new Map<string, AssetGroup>();

  constructor(clock: DemoClock, options: AssetStoreOptions) {
    this.#clock = clock;
    this.#options = { newGroupId: hexGroupId, ...options };
    const now = clock.now();
    this.restoreGroup({
      ...{ id: DEFAULT_GROUP, domain: 'media', name: 'Default', description: '', status: 'enabled' },
      ...{ createdAt: now, updatedAt: now },
    });
  }

  get defaultGroupId(): string {
    return DEFAULT_GROUP;
  }

  createGroup(facts: Pick<AssetGroup, 'name' | 'description' | 'domain'>): AssetGroup {
    const now = this.#clock.now();
    const id = this.#options.newGroupId();
    const group: AssetGroup = { id, status: 'enabled', createdAt: now, updatedAt: now, ...facts };
    this.#options.group(group);
    this.#groups.set(group.id, group);
    return group;
  }

  updateGroup(group: AssetGroup, changes: { name?: string; description?: string }): AssetGroup {
    const updated = { ...group, ...changes, updatedAt: this.#clock.now() };
    this.#options.group(updated);
    this.#groups.set(updated.id, updated);
    return updated;
  }

  /** What an administrator of the real service would do; there is no request for it. */
  setGroupStatus(id: string, status: AssetGroup['status']): void {
    const group = this.#groups.get(id);
    if (group !== undefined) this.restoreGroup({ ...group, status });
  }

  /** The same for an asset that is removed, or that becomes unusable after it was ready. */
  removeAsset(id: string): void {
    this.#assets.delete(id);
  }

  setAssetEnd(id: string, end: Asset['end']): void {
    const asset = this.#assets.get(id);
    if (asset !== undefined) this.restoreAsset({ ...asset, end });
  }

  createAsset(facts: NewAsset): Asset {
    const asset: Asset = {
      id: `asset_${randomBytes(10).toString('hex')}`,
      createdAt: this.#clock.now(),
      traceId: `trace_${randomBytes(12).toString('hex')}`,
      ...facts,
    };
    this.#options.asset(asset);
    this.#assets.set(asset.id, asset);
    return asset;
  }

  restoreAsset(asset: Asset): void {
    this.#assets.set(asset.id, asset);
  }

  restoreGroup(group: AssetGroup): void {
    this.#groups.set(group.id, group);
  }

  group(id: string): AssetGroup | undefined {
    return this.#groups.get(id);
  }

  groups(): AssetGroup[] {
    return [...this.#groups.values()];
  }

  asset(id: string): Asset | undefined {
    return this.#assets.get(id);
  }

  assets(): Asset[] {
    return [...this.#assets.values()];
  }

  /** Transitions are not shown in the reference; this is the order its states suggest. */
  readinessOf(asset: Asset): Readiness {
    const share = (this.#clock.now() - asset.createdAt) / Math.max(asset.syncMs, 1);
    if (share < 0.25) return 'created';
    if (share < 1 || asset.end === 'never') return 'syncing';
    return asset.end;
  }
}
