import { v7 as uuid } from 'uuid';
import { randomBytes } from 'node:crypto';
import type { ImportPlan, ShotSpec } from '../../contract/shot.ts';
import { createYielder } from '../base/slices.ts';
import type { BatchStore, StoredShot } from '../db/batch-store.ts';
import { contentHash } from './plan-import.ts';

export interface RowChanges {
  readonly batchId: string;
  readonly stored: ReadonlyMap<string, StoredShot>;
  readonly plan: ImportPlan;
  readonly places: ReadonlyMap<string, number>;
  /** When the new rows were made, ms. */
  readonly at: number;
  readonly signal?: AbortSignal | undefined;
}

export async function storedRows(batches: BatchStore, batchId: string): Promise<Map<string, StoredShot>> {
  const giveWay = createYielder();
  const stored = new Map<string, StoredShot>();
  for (const shot of batches.eachCurrentShot(batchId)) {
    stored.set(shot.key, shot);
    await giveWay();
  }
  return stored;
}

/**
 * Makes a plan the rows of its batch, in slices, and returns them: reading 50,000 back would stall the engine. Until it
 * ends, the batch must be marked as unfinished. The caller sees to unsent takes of changed and removed rows first.
 */
export async function changeRows(
  batches: BatchStore,
  { batchId, stored, plan, places, at, signal }: RowChanges,
): Promise<Map<string, StoredShot>> {
  const giveWay = createYielder();
  const rewritten = [...plan.changed];
  const moved: StoredShot[] = [];
  for (const spec of plan.unchanged) {
    const before = stored.get(spec.key);
    const position = places.get(spec.key);
    // Notes, priority, a file name: kept up to date, though they make no new take.
    if (before && JSON.stringify(before.spec) !== JSON.stringify(spec)) rewritten.push(spec);
    else if (before && position !== undefined && position !== before.position) moved.push({ ...before, position });
    await giveWay();
  }
  batches.inOneCommit(() => batches.retireShots(batchId, [...plan.removed, ...rewritten.map(({ key }) => key)]));
  const current = new Map(stored);
  for (const key of plan.removed) current.delete(key);
  const move = (shot: StoredShot): void => {
    batches.moveShot(batchId, shot.key, shot.position);
    current.set(shot.key, shot);
  };
  await batches.commitInSlices(moved, move, signal);
  const add = (spec: ShotSpec): void => {
    const { key } = spec;
    const position = places.get(key) ?? stored.get(key)?.position ?? 0;
    const shot = { id: newId(), batchId, key, position, contentHash: contentHash(spec), spec };
    batches.addShot(shot, at);
    current.set(key, shot);
  };
  await batches.commitInSlices([...plan.added, ...rewritten], add, signal);
  return current;
}

/** Asking the system for the random bytes of one id takes longer than writing the row it names. */
const IDS_A_DRAW = 256;
const BYTES_AN_ID = 16;

let drawn = new Uint8Array();
let used = 0;

/** A new id that sorts after those of earlier milliseconds, cheap enough for every row of a long list. */
export function newId(): string {
  if (used === drawn.length) {
    drawn = randomBytes(IDS_A_DRAW * BYTES_AN_ID);
    used = 0;
  }
  const random = drawn.subarray(used, used + BYTES_AN_ID);
  used += BYTES_AN_ID;
  return uuid({ random });
}
