import type { PaidAgain, StartMode } from '../../contract/batch.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import type { FailedTake } from '../db/take-store.ts';
import { estimate, type NewTakes } from './price.ts';
import { contentHash, matchKeys } from './plan-import.ts';
import type { StartRequest } from './plan-start.ts';
import { createYielder } from '../base/slices.ts';

interface ListToPlace extends StartRequest {
  /** What its batch is called unless a person says otherwise. */
  readonly ownName: string;
}

type OtherBatch = PaidAgain & { readonly reason: 'other_batch' };
type MadeRows = PaidAgain & { readonly reason: 'moved_rows' | 'made_elsewhere' };

/** A batch with at least this share of a list's shots may be the one that the list is an edited version of. */
const MOST = 0.5;

/** A row or two may be repeated on purpose; this many, or half of a list, are one inserted row or one changed formula. */
const MANY = 10;
const areMany = (rows: number, { shots }: ListToPlace): boolean => rows >= Math.min(MANY, shots.length / 2);

/**
 * What a list would pay for once more: rows that its batch has under other keys, else most of the list, which another
 * batch has, else rows that the project has made wherever and under whatever keys. Null when nothing would be paid for
 * again, however it is started. The project's folder must have been taken in before; see `takeInFolder`.
 */
export async function paidAgain(batches: BatchStore, list: ListToPlace): Promise<PaidAgain | null> {
  const known: KnownList = { list, contents: await contentsFor(list.shots) };
  if (list.again) return otherBatch(batches, known);
  const moved = movedRows(batches, known);
  if (moved?.needsAgreement) return moved;
  const other = otherBatch(batches, known);
  // A batch that has made the rows under other keys would make them again too.
  const isBetter = other !== null && !movedRows(batches, known, other.there.name)?.needsAgreement;
  const question = isBetter ? other : (madeElsewhere(batches, known) ?? other);
  return question?.needsAgreement ? question : (moved ?? question);
}

interface KnownList {
  readonly list: ListToPlace;
  readonly contents: readonly string[];
}

async function contentsFor(shots: readonly ShotSpec[]): Promise<string[]> {
  const giveWay = createYielder();
  const contents: string[] = [];
  for (const shot of shots) {
    contents.push(contentHash(shot));
    await giveWay();
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
    .map((batch) => holderFor(batches, batch, list.shots))
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
  const elsewhere = modes.find(({ mode }) => mode.name === otherName)?.mode ?? modeFor(batches, otherName, known);
  if (elsewhere.newTakes <= there.newTakes) return null;
  const takes = staysThere ? 0 : elsewhere.newTakes - there.newTakes;
  return {
    reason: 'other_batch',
    batch: there.name,
    shots: best.holder.places.size,
    ofShots: list.shots.length,
    takes,
    needsAgreement: !staysThere && (elsewhere.isNew || areMany(takes, list)),
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

function holderFor(batches: BatchStore, batch: Batch, shots: readonly ShotSpec[]): Holder {
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
  return { ...costFor(wanted, list), name: batch.name, isNew: false, leftOut: shots - places.size };
}

function modeFor(batches: BatchStore, name: string, known: KnownList): StartMode {
  const { list } = known;
  const batch = batches.named(list.projectId, name);
  if (batch) return modeInto(batches, holderFor(batches, batch, list.shots), known);
  const all = list.shots.map((shot): NewTakes => ({ shot, takes: shot.takes }));
  return { ...costFor(all, list), name, isNew: true, leftOut: 0 };
}

function costFor(wanted: readonly NewTakes[], { settings }: ListToPlace) {
  const { lines: _lines, ...cost } = estimate(wanted, settings);
  return cost;
}

/** What of a list was only renamed or moved since the batch of that name was made. Null when there is none. */
function movedRows(batches: BatchStore, known: KnownList, name = known.list.name): MadeRows | null {
  const batch = batches.named(known.list.projectId, name);
  return batch && toldOf('moved_rows', known, madeRows(batches, known, { target: batch, sources: [batch] }));
}

/** What the project has of a list in any of its batches. Null unless it is so much that a person is asked. */
function madeElsewhere(batches: BatchStore, known: KnownList): MadeRows | null {
  const { projectId, name } = known.list;
  const target = batches.named(projectId, name);
  const made = madeRows(batches, known, { target, sources: batches.list(projectId) });
  const told = toldOf('made_elsewhere', known, made);
  return told?.needsAgreement ? told : null;
}

interface MadeRow {
  readonly shot: ShotSpec;
  readonly takes: number;
  readonly madeAs: string;
  readonly batch: string;
}

function toldOf(reason: MadeRows['reason'], { list }: KnownList, made: readonly MadeRow[]): MadeRows | null {
  const [first] = made;
  if (!first) return null;
  return {
    reason,
    batch: first.batch,
    shots: made.length,
    ofShots: list.shots.length,
    takes: made.reduce((sum, { takes }) => sum + takes, 0),
    needsAgreement: areMany(made.length, list),
    example: { shot: first.shot.key, madeAs: first.madeAs },
  };
}

/**
 * Rows of a list of which `target` lacks takes that `sources` have. A row that repeats another one, which stays as it was,
 * is left out: the list asks for both.
 */
function madeRows(
  batches: BatchStore,
  { list, contents }: KnownList,
  { target, sources }: { readonly target: Batch | null; readonly sources: readonly Batch[] },
): MadeRow[] {
  const places = target ? holderFor(batches, target, list.shots).places : new Map<string, { readonly key: string }>();
  const rows = list.shots.map(({ key }, index) => `${places.get(key)?.key ?? key}\n${contents[index]}`);
  const staying = new Set(rows);
  const ofTarget = new Map(
    (target ? batches.takes.byContent(target.id) : []).map((made) => [`${made.key}\n${made.contentHash}`, made.takes]),
  );
  const left = new Map<string, Omit<MadeRow, 'shot'>>();
  for (const { id, name } of sources) {
    for (const { key, contentHash: content, takes } of worthwhileTakes(batches, id)) {
      if (id === target?.id && staying.has(`${key}\n${content}`)) continue;
      const same = left.get(content) ?? { madeAs: key, batch: name, takes: 0 };
      left.set(content, { ...same, takes: same.takes + takes });
    }
  }
  return list.shots.flatMap((shot, index) => {
    const content = contents[index] ?? '';
    const made = left.get(content);
    const lacks = shot.takes - (ofTarget.get(rows[index] ?? '') ?? 0);
    const takes = Math.min(made?.takes ?? 0, lacks);
    if (!made || takes <= 0) return [];
    left.set(content, { ...made, takes: made.takes - takes });
    return [{ ...made, shot, takes }];
  });
}

/**
 * Contents of shots that have takes, and how many. One that failed or was never sent does not count; one whose file is
 * gone does, since it is paid for and may come back.
 */
function worthwhileTakes(batches: BatchStore, batchId: string): { key: string; contentHash: string; takes: number }[] {
  const useless = batches.takes.withoutResult(batchId).filter(isUseless);
  const byRow = Map.groupBy(useless, ({ key, contentHash }) => `${key}\n${contentHash}`);
  return batches.takes
    .byContent(batchId)
    .map((row) => ({ ...row, takes: row.takes - (byRow.get(`${row.key}\n${row.contentHash}`)?.length ?? 0) }))
    .filter(({ takes }) => takes > 0);
}

const isUseless = ({ state, wasSent }: FailedTake): boolean =>
  state === 'cancelled' ? !wasSent : state !== 'result_lost' && state !== 'download_blocked';
