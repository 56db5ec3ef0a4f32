import type { MadeAlready, StartMode } from '../../contract/batch.ts';
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
}

/** A batch with at least this share of the shots of a list may be the one that the list is an edited version of. */
const MOST = 0.5;

/**
 * The batch that has most of a list's shots, by their keys, and where the list is made with the fewest new takes; beside it
 * the other way to start it. Null when no other way would make more takes than that.
 */
export async function madeAlready(batches: BatchStore, list: ListToPlace): Promise<MadeAlready | null> {
  const holders = batches
    .list(list.projectId)
    .map((batch) => holderOf(batches, batch, list.shots))
    .filter(({ places }) => places.size > 0 && places.size >= list.shots.length * MOST);
  if (holders.length === 0) return null;
  const contents = await contentsOf(list.shots);
  const ways = holders.map((holder) => ({ holder, way: wayInto(batches, { holder, contents, list }) }));
  const [best] = ways.sort(
    (one, other) =>
      one.way.newTakes - other.way.newTakes ||
      Number(other.way.name === list.name) - Number(one.way.name === list.name) ||
      other.holder.places.size - one.holder.places.size,
  );
  if (!best) return null;
  const otherName = best.way.name === list.name ? list.ownName : list.name;
  if (otherName === best.way.name) return null;
  const other = ways.find(({ way }) => way.name === otherName)?.way ?? wayTo(batches, otherName, { contents, list });
  if (other.newTakes <= best.way.newTakes) return null;
  return { shots: best.holder.places.size, ofShots: list.shots.length, there: best.way, elsewhere: other };
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

interface Contents {
  /** Content hash of each shot of the list. */
  readonly contents: readonly string[];
  readonly list: ListToPlace;
}

function wayInto(batches: BatchStore, { holder, contents, list }: Contents & { readonly holder: Holder }): StartMode {
  const { batch, places } = holder;
  const made = new Map(
    batches.takes.byContent(batch.id).map(({ key, contentHash: content, takes }) => [`${key}\n${content}`, takes]),
  );
  const wanted = list.shots.map((shot, index): NewTakes => {
    const takes = made.get(`${places.get(shot.key)?.key ?? shot.key}\n${contents[index]}`) ?? 0;
    return { shot, takes: Math.max(0, shot.takes - takes) };
  });
  return { ...costOf(wanted, list), name: batch.name, isNew: false, leftOut: holder.shots - places.size };
}

function wayTo(batches: BatchStore, name: string, { contents, list }: Contents): StartMode {
  const batch = batches.named(list.projectId, name);
  if (!batch) {
    const all = list.shots.map((shot): NewTakes => ({ shot, takes: shot.takes }));
    return { ...costOf(all, list), name, isNew: true, leftOut: 0 };
  }
  return wayInto(batches, { holder: holderOf(batches, batch, list.shots), contents, list });
}

function costOf(wanted: readonly NewTakes[], { settings }: ListToPlace): Omit<StartMode, 'name' | 'isNew' | 'leftOut'> {
  const { newTakes, currency, price, unpriced } = estimate(wanted, settings);
  return { newTakes, currency, price, unpriced };
}

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

/**
 * What of a list was only renamed or moved since its batch was made. A row that repeats another one, which stays as it
 * was, is left out: the list asks for both. Null when there is none.
 */
export async function movedShots(
  batches: BatchStore,
  { projectId, name, shots }: Pick<ListToPlace, 'projectId' | 'name' | 'shots'>,
): Promise<MovedShots | null> {
  const batch = batches.named(projectId, name);
  if (!batch) return null;
  const contents = await contentsOf(shots);
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
    batch: batch.name,
    shots: moved.length,
    ofShots: shots.length,
    newTakes: moved.reduce((sum, { shot }) => sum + shot.takes, 0),
    example: { shot: first.shot.key, madeAs: first.madeAs },
  };
}

/** Contents of shots that have takes, without those whose takes all failed. */
function worthwhileTakes(batches: BatchStore, batchId: string): { key: string; contentHash: string }[] {
  const useless = Map.groupBy(batches.takes.cameToNothing(batchId), ({ key, contentHash }) => `${key}\n${contentHash}`);
  return batches.takes
    .byContent(batchId)
    .filter(({ key, contentHash, takes }) => takes > (useless.get(`${key}\n${contentHash}`)?.length ?? 0));
}
