import type { Asset, AssetGroup } from '../../../src/contract/asset.ts';
import type { Account } from '../../../src/engine/db/service-store.ts';

export const account: Account = { origin: 'http://127.0.0.1:1', keyFingerprint: 'fingerprint' };

export const asset = (id: string, changes: Partial<Asset> = {}): Asset => ({
  id,
  groupId: 'group_1',
  type: 'image',
  name: `${id}.png`,
  description: '',
  reference: `Asset://${id}`,
  status: 'ready',
  syncStatus: 'ready',
  preparationStatus: 'ready',
  generationReady: true,
  createdAt: 1000,
  updatedAt: 2000,
  ...changes,
});

export const group = (id: string, changes: Partial<AssetGroup> = {}): AssetGroup => ({
  id,
  name: id,
  description: '',
  status: 'enabled',
  createdAt: 1000,
  updatedAt: 1000,
  ...changes,
});
