import type { TakeGroup, TakeView } from '../../../../contract/review.ts';

export const GAP = 8;
export const PADDING = 16;
const CAPTION_HEIGHT = 44;
const BORDER = 2;
export const HEAD_HEIGHT = 36;

interface Stretch {
  readonly start: number;
  readonly count: number;
}

type GroupStretch = Stretch & { readonly name: string };

/** One line of the grid: some tiles, or the headings of the groups above their takes. */
export type TileRow =
  | ({ readonly type: 'tiles' } & Stretch)
  | ({ readonly type: 'head'; readonly groups: readonly GroupStretch[] } & Stretch);

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
 * Takes of a group stand under its heading, and groups side by side as long as their takes fit into one line. Without groups
 * (`null`) they fill the lines. Takes beyond the groups, which were counted a moment before or after, stand without. Pure.
 */
export function tileRows(total: number, columns: number, groups: readonly TakeGroup[] | null): TileRow[] {
  const rows: TileRow[] = [];
  const stretches = groups === null ? [] : stretchesFor(groups, total);
  const tiles = (start: number, end: number): void => {
    for (let at = start; at < end; at += columns) {
      rows.push({ type: 'tiles', start: at, count: Math.min(columns, end - at) });
    }
  };
  let start = 0;
  for (let next = 0; next < stretches.length;) {
    const line = groupsInLine(stretches, next, columns);
    const count = line.reduce((sum, group) => sum + group.count, 0);
    rows.push({ type: 'head', start, count, groups: line });
    tiles(start, start + count);
    start += count;
    next += line.length;
  }
  tiles(start, total);
  return rows;
}

function stretchesFor(groups: readonly TakeGroup[], total: number): GroupStretch[] {
  const stretches: GroupStretch[] = [];
  let start = 0;
  for (const { name, count } of groups) {
    if (start >= total) break;
    stretches.push({ name, start, count: Math.min(count, total - start) });
    start += count;
  }
  return stretches;
}

/** A group, and those after it whose takes fit beside its own. */
function groupsInLine(groups: readonly GroupStretch[], first: number, columns: number): GroupStretch[] {
  const line: GroupStretch[] = [];
  let count = 0;
  for (let at = first; at < groups.length; at += 1) {
    const group = groups[at];
    if (!group || (line.length > 0 && count + group.count > columns)) break;
    line.push(group);
    count += group.count;
  }
  return line;
}

/** Names the shot of a take across batches; null for a take that has not been read. */
export const toShot = (take: TakeView | undefined): string | null => (take ? `${take.batchId}/${take.shot}` : null);

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
export function toStacks(items: readonly (TakeView | undefined)[]): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const take of items) counts.set(toShot(take), (counts.get(toShot(take)) ?? 0) + 1);
  return counts;
}

export function toPlaces(takes: readonly (TakeView | undefined)[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, take] of takes.entries()) if (take) places.set(take.id, index);
  return places;
}
