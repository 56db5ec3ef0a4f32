import type { ShotSpec } from '../../contract/shot.ts';
import type { BatchStore } from '../db/batch-store.ts';
import { contentsOf } from './made-already.ts';
import { matchKeys } from './plan-import.ts';

/** Shots of a list that ask, under other keys, for what their batch has made: rows that were renamed or moved. */
export interface MovedShots {
  readonly batch: string;
  readonly shots: number;
  readonly ofShots: number;
  /** Takes that would be made of them, each paid for once more. */
  readonly newTakes: number;
  /** The first of them, and the key under which the same was made. */
  readonly example: { readonly shot: string; readonly madeAs: string };
}

export interface ListOfBatch {
  readonly projectId: string;
  /** Name of the batch that the list goes into. */
  readonly name: string;
  readonly shots: readonly ShotSpec[];
}

/**
 * What of a list was only renamed or moved since its batch was made. A row that repeats another which stays as it was is
 * no such one: whoever writes that wants both. Null when there is none.
 */
export async function movedShots(
  batches: BatchStore,
  { projectId, name, shots }: ListOfBatch,
): Promise<MovedShots | null> {
  const batch = batches.named(projectId, name);
  if (!batch) return null;
  const contents = await contentsOf(shots);
  const places = matchKeys(
    batches.currentKeys(batch.id).map((key) => ({ key })),
    shots,
  );
  const storedKey = ({ key }: ShotSpec) => places.get(key)?.key ?? key;
  const staying = new Set(shots.map((shot, index) => `${storedKey(shot)}\n${contents[index]}`));
  const made = worthwhileTakes(batches, batch.id);
  const left = Map.groupBy(
    made.filter(({ key, contentHash }) => !staying.has(`${key}\n${contentHash}`)),
    ({ contentHash }) => contentHash,
  );
  const known = new Set(made.map(({ key, contentHash }) => `${key}\n${contentHash}`));
  const moved = shots.flatMap((shot, index) => {
    if (known.has(`${storedKey(shot)}\n${contents[index]}`)) return [];
    const source = left.get(contents[index] ?? '')?.shift();
    return source ? [{ shot, madeAs: source.key }] : [];
  });
  const [first] = moved;
  if (!first) return null;
  return {
    batch: batch.name,
    shots: moved.length,
    ofShots: shots.length,
    newTakes: moved.reduce((sum, { shot }) => sum + shot.takes, 0),
    example: { shot: first.shot.key, madeAs: first.madeAs },
  };
}

/** Contents of shots that have takes, apart from those whose takes all came to nothing. */
function worthwhileTakes(batches: BatchStore, batchId: string): { key: string; contentHash: string }[] {
  const useless = Map.groupBy(batches.cameToNothing(batchId), ({ key, contentHash }) => `${key}\n${contentHash}`);
  return batches
    .takesByContent(batchId)
    .filter(({ key, contentHash, takes }) => takes > (useless.get(`${key}\n${contentHash}`)?.length ?? 0));
}
