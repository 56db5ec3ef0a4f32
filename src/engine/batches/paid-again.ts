import type { PaidAgain, StartMode } from '../../contract/batch.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import { estimate, type NewTakes } from './estimate.ts';
import { contentHash, matchKeys } from './plan-import.ts';
import { givingWay } from '../base/slices.ts';

export interface ListToPlace {
  readonly projectId: string;
  readonly settings: Settings;
  readonly shots: readonly ShotSpec[];
  /** Name of the batch that it is to go into. */
  readonly name: string;
  /** What its batch is called unless a person says otherwise. */
  readonly ownName: string;
  /** The person asks for new takes of everything. */
  readonly again: boolean;
}

type OtherBatch = PaidAgain & { readonly reason: 'other_batch' };
type MovedRows = PaidAgain & { readonly reason: 'moved_rows' };

/** A batch with at least this share of a list's shots may be the one that the list is an edited version of. */
const MOST = 0.5;

/** A row or two may be renamed on purpose; this many, or half of a list, are one inserted row or one changed formula. */
const MANY_MOVED = 10;

/**
 * What a list would pay for once more: rows that its batch has under other keys, else most of the list, which another
 * batch has. Null when nothing would be paid for again, however it is started.
 */
export async function paidAgain(batches: BatchStore, list: ListToPlace): Promise<PaidAgain | null> {
  const known: KnownList = { list, contents: await contentsOf(list.shots) };
  const moved = list.again ? null : movedRows(batches, known);
  return moved ?? otherBatch(batches, known);
}

interface KnownList {
  readonly list: ListToPlace;
  /** Content hash of each shot of the list. */
  readonly contents: readonly string[];
}

/** Content hash of each shot, with turns for others in between. */
async function contentsOf(shots: readonly ShotSpec[]): Promise<string[]> {
  const giveWay = givingWay();
  const contents: string[] = [];
  for (const shot of shots) {
    contents.push(contentHash(shot));
    const turn = giveWay();
    if (turn) await turn;
  }
  return contents;
}

/**
 * The batch that has most of a list's shots, by their keys, and where the list is made with the fewest new takes; beside it
 * the other way to start it. Null when no other way would make more takes than that.
 */
function otherBatch(batches: BatchStore, known: KnownList): OtherBatch | null {
  const { list } = known;
  const holders = batches
    .list(list.projectId)
    .map((batch) => holderOf(batches, batch, list.shots))
    .filter(({ places }) => places.size > 0 && places.size >= list.shots.length * MOST);
  const modes = holders.map((holder) => ({ holder, mode: modeInto(batches, holder, known) }));
  const [best] = modes.sort(
    (one, other) =>
      one.mode.newTakes - other.mode.newTakes ||
      Number(other.mode.name === list.name) - Number(one.mode.name === list.name) ||
      other.holder.places.size - one.holder.places.size,
  );
  if (!best) return null;
  const there = best.mode;
  const staysThere = there.name === list.name;
  const otherName = staysThere ? list.ownName : list.name;
  if (otherName === there.name) return null;
  const elsewhere = modes.find(({ mode }) => mode.name === otherName)?.mode ?? modeOf(batches, otherName, known);
  if (elsewhere.newTakes <= there.newTakes) return null;
  return {
    reason: 'other_batch',
    batch: there.name,
    shots: best.holder.places.size,
    ofShots: list.shots.length,
    takes: staysThere ? 0 : elsewhere.newTakes - there.newTakes,
    needsAgreement: !staysThere && elsewhere.isNew,
    there,
    elsewhere,
  };
}

/** A batch, and its own key of each shot of the list that it has. */
interface Holder {
  readonly batch: Batch;
  readonly shots: number;
  readonly places: ReadonlyMap<string, { readonly key: string }>;
}

function holderOf(batches: BatchStore, batch: Batch, shots: readonly ShotSpec[]): Holder {
  const stored = batches.currentKeys(batch.id).map((key) => ({ key }));
  return { batch, shots: stored.length, places: matchKeys(stored, shots) };
}

function modeInto(batches: BatchStore, { batch, places, shots }: Holder, { list, contents }: KnownList): StartMode {
  const made = new Map(
    batches.takes.byContent(batch.id).map(({ key, contentHash: content, takes }) => [`${key}\n${content}`, takes]),
  );
  const wanted = list.shots.map((shot, index): NewTakes => {
    const takes = made.get(`${places.get(shot.key)?.key ?? shot.key}\n${contents[index]}`) ?? 0;
    return { shot, takes: Math.max(0, shot.takes - takes) };
  });
  return { ...costOf(wanted, list), name: batch.name, isNew: false, leftOut: shots - places.size };
}

function modeOf(batches: BatchStore, name: string, known: KnownList): StartMode {
  const { list } = known;
  const batch = batches.named(list.projectId, name);
  if (batch) return modeInto(batches, holderOf(batches, batch, list.shots), known);
  const all = list.shots.map((shot): NewTakes => ({ shot, takes: shot.takes }));
  return { ...costOf(all, list), name, isNew: true, leftOut: 0 };
}

function costOf(wanted: readonly NewTakes[], { settings }: ListToPlace): Omit<StartMode, 'name' | 'isNew' | 'leftOut'> {
  const { newTakes, currency, price, unpriced } = estimate(wanted, settings);
  return { newTakes, currency, price, unpriced };
}

/**
 * What of a list was only renamed or moved since its batch was made. A row that repeats another one, which stays as it
 * was, is left out: the list asks for both. Null when there is none.
 */
function movedRows(batches: BatchStore, { list, contents }: KnownList): MovedRows | null {
  const { projectId, name, shots } = list;
  const batch = batches.named(projectId, name);
  if (!batch) return null;
  const { places } = holderOf(batches, batch, shots);
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
    reason: 'moved_rows',
    batch: batch.name,
    shots: moved.length,
    ofShots: shots.length,
    takes: moved.reduce((sum, { shot }) => sum + shot.takes, 0),
    needsAgreement: moved.length >= Math.min(MANY_MOVED, shots.length / 2),
    example: { shot: first.shot.key, madeAs: first.madeAs },
  };
}

/** Contents of shots that have takes, without those whose takes all failed. */
function worthwhileTakes(batches: BatchStore, batchId: string): { key: string; contentHash: string }[] {
  const useless = Map.groupBy(batches.takes.withoutResult(batchId), ({ key, contentHash }) => `${key}\n${contentHash}`);
  return batches.takes
    .byContent(batchId)
    .filter(({ key, contentHash, takes }) => takes > (useless.get(`${key}\n${contentHash}`)?.length ?? 0));
}
