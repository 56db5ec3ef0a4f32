import { frozenThatFit, GUTTER_WIDTH, HEADER_HEIGHT, ROW_HEIGHT, type GridColumn, stretched } from './grid-source.ts';
import type { Place } from './places.ts';
import { headingsBefore, lineOfHeading, lineOfRow, type GridHeading } from './row-groups.ts';

/** Rows drawn beyond each edge, so that a fast scroll meets no gaps. */
const SPARE_ROWS = 6;
/** Pixels drawn beyond the left and right edge. */
const SPARE_WIDTH = 160;

/**
 * Which part of a grid is drawn. Row elements are used again for other rows while scrolling: putting another text into
 * a cell is far cheaper than making one.
 */
export class GridWindow {
  #scrollTop = $state(0);
  #scrollLeft = $state(0);
  #width = $state(0);
  #height = $state(0);
  readonly #rowCount: () => number;
  readonly #given: () => readonly GridColumn[];
  readonly #asked: () => number;
  readonly #headings: () => readonly GridHeading[];

  /** The columns as they are drawn, with their widths. */
  readonly columns = $derived.by(() => stretched(this.#given(), this.#width - GUTTER_WIDTH));
  readonly frozen = $derived.by(() => frozenThatFit(this.columns, this.#asked(), this.#width - GUTTER_WIDTH));
  /** Left edge of each frozen column behind the row numbers, and the end of the last. */
  readonly #frozenEdges = $derived.by(() => edgesOf(this.columns.slice(0, this.frozen)));
  readonly #firstInSight = $derived(Math.floor(this.#scrollTop / ROW_HEIGHT));
  readonly #rowsInSight = $derived(Math.max(1, Math.ceil((this.#height - HEADER_HEIGHT) / ROW_HEIGHT)));
  /** How many row elements there are. */
  readonly slots = $derived.by(() => Math.min(this.#rowCount(), this.#rowsInSight + 2 * SPARE_ROWS));
  readonly #firstLine = $derived(Math.max(0, this.#firstInSight - SPARE_ROWS));
  readonly firstHeading = $derived.by(() => headingsBefore(this.#headings(), this.#firstLine));
  readonly endHeading = $derived.by(() =>
    headingsBefore(this.#headings(), this.#firstInSight + this.#rowsInSight + SPARE_ROWS),
  );
  readonly firstRow = $derived.by(() =>
    Math.max(0, Math.min(this.#firstLine - this.firstHeading, this.#rowCount() - this.slots)),
  );
  /** The heading of the group in sight, once its own line has scrolled away. -1 for none. */
  readonly stuckHeading = $derived.by(() => headingsBefore(this.#headings(), this.#scrollTop / ROW_HEIGHT) - 1);
  /** Left edge of each column behind the frozen ones, and the end of the last. */
  readonly #edges = $derived.by(() => edgesOf(this.columns.slice(this.frozen)));
  readonly #firstColumn = $derived.by(() => {
    const left = this.#scrollLeft - SPARE_WIDTH;
    const first = this.#edges.findIndex((edge) => edge > left) - 1;
    return Math.max(0, first);
  });
  readonly #endColumn = $derived.by(() => {
    const right = this.#scrollLeft + this.#width + SPARE_WIDTH;
    const end = this.#edges.findIndex((edge) => edge >= right);
    return end === -1 ? this.#edges.length - 1 : end;
  });

  constructor(given: {
    readonly rowCount: () => number;
    readonly columns: () => readonly GridColumn[];
    readonly frozen: () => number;
    readonly headings: () => readonly GridHeading[];
  }) {
    this.#rowCount = given.rowCount;
    this.#given = given.columns;
    this.#asked = given.frozen;
    this.#headings = given.headings;
  }

  get lastRow(): number {
    return this.firstRow + this.slots - 1;
  }

  /** Rows that Page Up and Page Down pass. */
  get page(): number {
    return Math.max(1, this.#rowsInSight - 2);
  }

  /** Columns drawn behind the frozen ones: from, and up to but not including. Counted with the frozen ones. */
  get firstColumn(): number {
    return this.#firstColumn + this.frozen;
  }

  get endColumn(): number {
    return this.#endColumn + this.frozen;
  }

  /** Pixels of undrawn columns left of the first drawn one. */
  get indent(): number {
    return this.#edges[this.#firstColumn] ?? 0;
  }

  get frozenWidth(): number {
    return this.#frozenEdges.at(-1) ?? 0;
  }

  /** How far from the left edge a frozen column stays, pixels. */
  stuckAt(column: number): number {
    return GUTTER_WIDTH + (this.#frozenEdges[column] ?? 0);
  }

  get totalWidth(): number {
    return GUTTER_WIDTH + this.frozenWidth + (this.#edges.at(-1) ?? 0);
  }

  get totalHeight(): number {
    return (this.#rowCount() + this.#headings().length) * ROW_HEIGHT;
  }

  get width(): number {
    return this.#width;
  }

  /** Pixels from the top of the body. */
  topOfRow(row: number): number {
    return lineOfRow(this.#headings(), row) * ROW_HEIGHT;
  }

  topOfHeading(index: number): number {
    return lineOfHeading(this.#headings(), index) * ROW_HEIGHT;
  }

  /** How far the next heading pushes the sticky one out, pixels. */
  get pushed(): number {
    const next = this.stuckHeading + 1;
    if (next >= this.#headings().length) return 0;
    return Math.max(0, this.#scrollTop + ROW_HEIGHT - this.topOfHeading(next));
  }

  rowOf(slot: number): number {
    const { slots, firstRow } = this;
    return firstRow + ((((slot - firstRow) % slots) + slots) % slots);
  }

  /**
   * Scrolled sideways: only then the frozen cells have to stick. Every sticky cell is a layer of its own to the
   * browser, and scrolling a long list with a hundred layers is no joy.
   */
  get isAside(): boolean {
    return this.#scrollLeft > 0;
  }

  scrolled(element: HTMLElement): void {
    this.#scrollTop = element.scrollTop;
    this.#scrollLeft = element.scrollLeft;
  }

  resized(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
  }

  /** Where a cell lies inside the body, pixels. A frozen column moves along with the scrolled content. */
  placeOf({ row, column }: Place): { readonly left: number; readonly top: number; readonly width: number } {
    const width = this.columns[column]?.width ?? 0;
    const left =
      column < this.frozen
        ? this.#scrollLeft + this.stuckAt(column)
        : GUTTER_WIDTH + this.frozenWidth + (this.#edges[column - this.frozen] ?? 0);
    return { left, top: this.topOfRow(row), width };
  }

  /** How far to scroll to make a cell, or a heading, visible; a visible one stays in place. */
  scrollFor({ row, column }: Place, heading: number | null): { readonly top: number; readonly left: number } {
    const top = heading === null ? this.topOfRow(row) : this.topOfHeading(heading);
    // The heading of its group stays above a row.
    const highest = heading === null && this.#headings().length > 0 ? top - ROW_HEIGHT : top;
    const room = this.#height - HEADER_HEIGHT - ROW_HEIGHT;
    const scrollTop = Math.max(Math.min(this.#scrollTop, highest), top - Math.max(0, room));
    if (heading !== null || column < this.frozen) return { top: scrollTop, left: this.#scrollLeft };
    const left = this.#edges[column - this.frozen] ?? 0;
    const right = this.#edges[column - this.frozen + 1] ?? left;
    const roomAcross = this.#width - GUTTER_WIDTH - this.frozenWidth;
    return { top: scrollTop, left: Math.min(left, Math.max(this.#scrollLeft, right - roomAcross)) };
  }
}

/** Left edge of each column, and the end of the last. Pixels. */
function edgesOf(columns: readonly GridColumn[]): readonly number[] {
  const edges = [0];
  for (const column of columns) edges.push((edges.at(-1) ?? 0) + column.width);
  return edges;
}
