/** Pixels of a pane that are not picture, down and across. */
const AROUND = { width: 8, height: 40 };
/** Two takes go one above the other only if that makes them this much larger: people compare side by side. */
const WORTH_STACKING = 1.5;

interface Box {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** The number of columns that shows takes largest. `aspect` is the width of a picture by its height. Pure. */
export function columnsFor(takes: number, place: Box, aspect: number): number {
  const widthIn = (columns: number): number => {
    const rows = Math.ceil(takes / columns);
    const width = place.width / columns - AROUND.width;
    return Math.min(width, (place.height / rows - AROUND.height) * aspect);
  };
  const candidates = Array.from({ length: takes }, (_none, index) => takes - index);
  const best = candidates.reduce((one, other) => (widthIn(other) > widthIn(one) ? other : one), takes);
  return takes === 2 && widthIn(1) < widthIn(2) * WORTH_STACKING ? 2 : best;
}
