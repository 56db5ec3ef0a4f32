/** Rows that Page Down goes on by in a list of this height, px: one less than fit, so that the eye keeps its place. */
export const rowsOfPage = (height: number, rowHeight: number): number =>
  Math.max(1, Math.floor(height / rowHeight) - 1);

/** Where a key of movement leads in a list, from row `at`; null when it is none. -1 stands for no row yet. Pure. */
export function rowAfterKey(key: string, at: number, { rows, page }: { rows: number; page: number }): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: rows - 1,
  };
  const to = steps[key];
  return to === undefined || rows === 0 ? null : Math.max(0, Math.min(to, rows - 1));
}
