import type { MadeAlready, StartWay } from '../../contract/batch.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import { estimate, type NewTakes } from './estimate.ts';
import { contentHash, matchKeys } from './plan-import.ts';
import { givingWay } from './slices.ts';

export interface ListToPlace {
  readonly projectId: string;
  readonly settings: Settings;
  readonly shots: readonly ShotSpec[];
  /** Name of the batch that it is to go into. */
  readonly name: string;
  /** What its batch is called unless somebody says otherwise. */
  readonly ownName: string;
}

/** A batch with at least this share of the shots of a list may be the one that the list is an edited version of. */
const MOST = 0.5;

/**
 * The batch that has most of a list's shots, by their keys, and where the list is made with the fewest new takes; beside it
 * the other way to start it. Null when no other way would make more takes than that.
 */
export async function madeAlready(batches: BatchStore, list: ListToPlace): Promise<MadeAlready | null> {
  const holders = batches.list(list.projectId).flatMap((batch) => holding(batches, batch, list.shots));
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

function holding(batches: BatchStore, batch: Batch, shots: readonly ShotSpec[]): Holder[] {
  const stored = batches.currentKeys(batch.id).map((key) => ({ key }));
  const places = matchKeys(stored, shots);
  return places.size > 0 && places.size >= shots.length * MOST ? [{ batch, shots: stored.length, places }] : [];
}

/** Content hash of each shot, with turns for others in between. */
export async function contentsOf(shots: readonly ShotSpec[]): Promise<string[]> {
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

function wayInto(batches: BatchStore, { holder, contents, list }: Contents & { readonly holder: Holder }): StartWay {
  const { batch, places } = holder;
  const made = new Map(
    batches.takesByContent(batch.id).map(({ key, contentHash: content, takes }) => [`${key}\n${content}`, takes]),
  );
  const wanted = list.shots.map((shot, index): NewTakes => {
    const takes = made.get(`${places.get(shot.key)?.key ?? shot.key}\n${contents[index]}`) ?? 0;
    return { shot, takes: Math.max(0, shot.takes - takes) };
  });
  return { ...costOf(wanted, list), name: batch.name, isNew: false, leftOut: holder.shots - places.size };
}

function wayTo(batches: BatchStore, name: string, { contents, list }: Contents): StartWay {
  const batch = batches.named(list.projectId, name);
  if (!batch) {
    const all = list.shots.map((shot): NewTakes => ({ shot, takes: shot.takes }));
    return { ...costOf(all, list), name, isNew: true, leftOut: 0 };
  }
  const stored = batches.currentKeys(batch.id).map((key) => ({ key }));
  const holder = { batch, shots: stored.length, places: matchKeys(stored, list.shots) };
  return wayInto(batches, { holder, contents, list });
}

function costOf(wanted: readonly NewTakes[], { settings }: ListToPlace): Omit<StartWay, 'name' | 'isNew' | 'leftOut'> {
  const { newTakes, currency, price, unpriced } = estimate(wanted, settings);
  return { newTakes, currency, price, unpriced };
}
