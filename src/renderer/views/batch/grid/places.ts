/** A cell by where it stands on screen: row of the current view, column in the order shown. Both count from 0. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** A rectangle of cells, its edges included. */
export interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export interface Bounds {
  readonly rows: number;
  readonly columns: number;
}

export const rangeOf = (one: Place, other: Place): Range => ({
  top: Math.min(one.row, other.row),
  bottom: Math.max(one.row, other.row),
  left: Math.min(one.column, other.column),
  right: Math.max(one.column, other.column),
});

export const cellsIn = (range: Range): number => (range.bottom - range.top + 1) * (range.right - range.left + 1);

export const isSingleCell = (range: Range): boolean => range.top === range.bottom && range.left === range.right;

export function clampPlace(place: Place, { rows, columns }: Bounds): Place {
  const clamp = (value: number, count: number) => Math.max(0, Math.min(value, count - 1));
  return { row: clamp(place.row, rows), column: clamp(place.column, columns) };
}

interface Press {
  readonly key: string;
  /** Ctrl, or Cmd on a Mac. */
  readonly mod: boolean;
  /** Rows of a screenful. */
  readonly page: number;
}

/** Where a key leads from a cell; null when it is no key of movement. */
export function movedBy(place: Place, { key, mod, page }: Press, bounds: Bounds): Place | null {
  const { row, column } = place;
  const last = { row: bounds.rows - 1, column: bounds.columns - 1 };
  const moved = ((): Place | null => {
    switch (key) {
      case 'ArrowUp':
        return { row: mod ? 0 : row - 1, column };
      case 'ArrowDown':
        return { row: mod ? last.row : row + 1, column };
      case 'ArrowLeft':
        return { row, column: mod ? 0 : column - 1 };
      case 'ArrowRight':
        return { row, column: mod ? last.column : column + 1 };
      case 'Home':
        return { row: mod ? 0 : row, column: 0 };
      case 'End':
        return { row: mod ? last.row : row, column: last.column };
      case 'PageUp':
        return { row: row - page, column };
      case 'PageDown':
        return { row: row + page, column };
      default:
        return null;
    }
  })();
  return moved === null ? null : clampPlace(moved, bounds);
}

/** The cell after this one in reading order, or before it; null beyond the first and the last. */
export function nextInReadingOrder({ row, column }: Place, back: boolean, { rows, columns }: Bounds): Place | null {
  const index = row * columns + column + (back ? -1 : 1);
  if (index < 0 || index >= rows * columns) return null;
  return { row: Math.floor(index / columns), column: index % columns };
}
