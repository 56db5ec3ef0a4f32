import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AssetStore } from '../db/asset-store.ts';
import type { Account } from '../db/service-store.ts';
import type { SyncStep } from './plan-sync.ts';

/** Steps written per commit: small enough that the queue never waits long for one. */
const SLICE = 200;

/** Writes a plan down. Done in part, it can be planned and done again. */
export async function applySync(
  store: AssetStore,
  account: Account,
  steps: readonly SyncStep[],
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let start = 0; start < steps.length; start += SLICE) {
    signal?.throwIfAborted();
    store.inOneCommit(() => {
      for (const step of steps.slice(start, start + SLICE)) applyStep(store, account, step, now);
    });
    await nextTurn();
  }
}

function applyStep(store: AssetStore, account: Account, step: SyncStep, now: number): void {
  switch (step.do) {
    case 'save_group':
      return store.saveGroup(account, step.group);
    case 'save_asset':
      return store.saveAsset(account, step.asset);
    case 'mark_group_missing':
      return store.markMissing(account, 'group', step.id, now);
    case 'mark_asset_missing':
      return store.markMissing(account, 'asset', step.id, now);
  }
}
