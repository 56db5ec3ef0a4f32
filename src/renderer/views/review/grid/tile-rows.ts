import type { TakeView } from '../../../../contract/review.ts';

export const GAP = 8;
export const PADDING = 16;
const CAPTION_HEIGHT = 44;
/** Around a tile, on each side. */
const BORDER = 2;
export const HEAD_HEIGHT = 36;

/** Takes that stand next to each other. */
interface Stretch {
  readonly start: number;
  readonly count: number;
}

/** One line of the grid: some tiles, or the headings of the shots above their takes. */
export type TileRow =
  ({ readonly type: 'tiles' } & Stretch) | ({ readonly type: 'head'; readonly shots: readonly Stretch[] } & Stretch);

export interface TileSizes {
  readonly columns: number;
  /** Pixels. */
  readonly width: number;
  readonly pictureHeight: number;
  readonly rowHeight: number;
}

/** As many tiles of about `wanted` pixels as fit into `width`, filling it. Pure. */
export function tileSizes(width: number, wanted: number): TileSizes {
  const inside = Math.max(wanted, width - 2 * PADDING);
  const columns = Math.max(1, Math.floor((inside + GAP) / (wanted + GAP)));
  const tile = Math.floor((inside - (columns - 1) * GAP) / columns);
  const pictureHeight = Math.round(((tile - 2 * BORDER) * 9) / 16);
  return { columns, width: tile, pictureHeight, rowHeight: pictureHeight + 2 * BORDER + CAPTION_HEIGHT + GAP };
}

/**
 * Takes of the same shot stand under its heading, and shots side by side as long as their takes fit into one line; takes
 * that have not been read yet stand without. Pure.
 */
export function tileRows(items: readonly (TakeView | undefined)[], columns: number, grouped: boolean): TileRow[] {
  const rows: TileRow[] = [];
  for (let start = 0; start < items.length;) {
    const shots = grouped && items[start] ? shotsInLine(items, start, columns) : [];
    const plain = grouped ? sizeOfGroup(items, start) : items.length;
    const count = shots.length > 0 ? shots.reduce((sum, shot) => sum + shot.count, 0) : plain;
    if (shots.length > 0) rows.push({ type: 'head', start, count, shots });
    for (let at = start; at < start + count; at += columns) {
      rows.push({ type: 'tiles', start: at, count: Math.min(columns, start + count - at) });
    }
    start += count;
  }
  return rows;
}

/** The shot that begins here, and those after it whose takes fit beside its own. */
function shotsInLine(items: readonly (TakeView | undefined)[], start: number, columns: number): Stretch[] {
  const shots: Stretch[] = [];
  let end = start;
  while (end < items.length && items[end]) {
    const count = sizeOfGroup(items, end);
    if (shots.length > 0 && end + count - start > columns) break;
    shots.push({ start: end, count });
    end += count;
  }
  return shots;
}

function sizeOfGroup(items: readonly (TakeView | undefined)[], start: number): number {
  const key = shotOf(items[start]);
  let end = start + 1;
  while (end < items.length && shotOf(items[end]) === key) end += 1;
  return end - start;
}

/** Names the shot of a take across batches; null for a take that has not been read. */
export const shotOf = (take: TakeView | undefined): string | null => (take ? `${take.batchId}/${take.shot}` : null);

/** The row that shows a take, by halving. Pure. */
export function rowOfTake(rows: readonly TileRow[], index: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((rows[middle]?.start ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The take `step` rows of tiles below, in the same column as far as the row goes. Pure. */
export function takeBelow(rows: readonly TileRow[], index: number, step: number): number {
  const from = rowOfTake(rows, index);
  const column = index - (rows[from]?.start ?? 0);
  const direction = Math.sign(step);
  let left = Math.abs(step);
  let best = index;
  for (let at = from + direction; left > 0; at += direction) {
    const row = rows[at];
    if (row === undefined) break;
    if (row.type === 'head') continue;
    best = row.start + Math.min(column, row.count - 1);
    left -= 1;
  }
  return best;
}

/** How many takes of each shot have been read. Pure. */
export function stacksOf(items: readonly (TakeView | undefined)[]): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const take of items) counts.set(shotOf(take), (counts.get(shotOf(take)) ?? 0) + 1);
  return counts;
}
