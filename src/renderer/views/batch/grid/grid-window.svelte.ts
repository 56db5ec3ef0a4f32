import type { DraftWorkspace } from '../draft/draft-workspace.svelte.ts';
import {
  frozenThatFit,
  GUTTER_WIDTH,
  HEADER_HEIGHT,
  headingsBefore,
  lineOfHeading,
  lineOfRow,
  ROW_HEIGHT,
  stretched,
  type GridColumn,
  type CellPosition,
} from './grid-source.ts';

/** Rows drawn beyond each edge, so that a fast scroll meets no gaps. */
const SPARE_ROWS = 6;
/** Pixels drawn beyond the left and right edge. */
const SPARE_WIDTH = 160;

/** Which part of a grid is drawn. Rows scrolled away are used again: another text is far cheaper than an element. */
export class GridWindow {
  readonly id: string;
  readonly workspace: DraftWorkspace;
  focused = $state(false);
  dropPlace = $state.raw<CellPosition | null>(null);
  #scrollTop = $state(0);
  #scrollLeft = $state(0);
  width = $state(0);
  #height = $state(0);

  readonly columns = $derived.by(() => stretched(this.workspace.sheet.columns, this.width - GUTTER_WIDTH));
  readonly frozen = $derived.by(() =>
    frozenThatFit(this.columns, this.workspace.sheet.frozen, this.width - GUTTER_WIDTH),
  );
  /** Left edge of each frozen column behind the row numbers, and the end of the last. */
  readonly #frozenEdges = $derived(toEdges(this.columns.slice(0, this.frozen)));
  readonly #firstInSight = $derived(Math.floor(this.#scrollTop / ROW_HEIGHT));
  readonly #rowsInSight = $derived(Math.max(1, Math.ceil((this.#height - HEADER_HEIGHT) / ROW_HEIGHT)));
  readonly slots = $derived.by(() => Math.min(this.workspace.sheet.rowCount, this.#rowsInSight + 2 * SPARE_ROWS));
  readonly #firstLine = $derived(Math.max(0, this.#firstInSight - SPARE_ROWS));
  readonly firstHeading = $derived.by(() => headingsBefore(this.workspace.sheet.headings, this.#firstLine));
  readonly endHeading = $derived.by(() =>
    headingsBefore(this.workspace.sheet.headings, this.#firstInSight + this.#rowsInSight + SPARE_ROWS),
  );
  readonly firstRow = $derived.by(() =>
    Math.max(0, Math.min(this.#firstLine - this.firstHeading, this.workspace.sheet.rowCount - this.slots)),
  );
  readonly #edges = $derived(toEdges(this.columns.slice(this.frozen)));
  readonly #firstColumn = $derived.by(() => {
    const left = this.#scrollLeft - SPARE_WIDTH;
    return Math.max(0, this.#edges.findIndex((edge) => edge > left) - 1);
  });
  readonly drawnColumns: readonly number[] = $derived.by(() => {
    const right = this.#scrollLeft + this.width + SPARE_WIDTH;
    const found = this.#edges.findIndex((edge) => edge >= right);
    const end = found === -1 ? this.#edges.length - 1 : found;
    const count = Math.max(0, end - this.#firstColumn);
    return Array.from({ length: count }, (_none, index) => this.frozen + this.#firstColumn + index);
  });

  constructor(id: string, workspace: DraftWorkspace) {
    this.id = id;
    this.workspace = workspace;
  }

  get page(): number {
    return Math.max(1, this.#rowsInSight - 2);
  }

  /** The id of the element that the cursor is on; undefined while it is not drawn. */
  get activeId(): string | undefined {
    const { active, isEmpty } = this.workspace.cursor;
    const { row, column } = active;
    const isRowDrawn = row >= this.firstRow && row < this.firstRow + this.slots;
    const isColumnDrawn = column < this.frozen || this.drawnColumns.includes(column);
    return isRowDrawn && isColumnDrawn && !isEmpty ? `${this.id}-${row}-${column}` : undefined;
  }

  /** Pixels of undrawn columns left of the first drawn one. */
  get indent(): number {
    return this.#edges[this.#firstColumn] ?? 0;
  }

  get #frozenWidth(): number {
    return this.#frozenEdges.at(-1) ?? 0;
  }

  /** How far from the left edge a frozen column stays, pixels. */
  stuckAt(column: number): number {
    return GUTTER_WIDTH + (this.#frozenEdges[column] ?? 0);
  }

  get totalWidth(): number {
    return GUTTER_WIDTH + this.#frozenWidth + (this.#edges.at(-1) ?? 0);
  }

  get totalHeight(): number {
    return (this.workspace.sheet.rowCount + this.workspace.sheet.headings.length) * ROW_HEIGHT;
  }

  /** Pixels from the top of the body. */
  topOfRow(row: number): number {
    return lineOfRow(this.workspace.sheet.headings, row) * ROW_HEIGHT;
  }

  topOfHeading(index: number): number {
    return lineOfHeading(this.workspace.sheet.headings, index) * ROW_HEIGHT;
  }

  rowOf(slot: number): number {
    const { slots, firstRow } = this;
    return firstRow + ((((slot - firstRow) % slots) + slots) % slots);
  }

  /** Scrolled sideways: only then do frozen cells stick, because each is a layer that slows down scrolling. */
  get isAside(): boolean {
    return this.#scrollLeft > 0;
  }

  scrolled(element: HTMLElement): void {
    this.#scrollTop = element.scrollTop;
    this.#scrollLeft = element.scrollLeft;
  }

  resized({ clientWidth, clientHeight }: HTMLElement): void {
    this.width = clientWidth;
    this.#height = clientHeight;
  }

  /** Where the active cell lies inside the grid, pixels. A frozen column moves along with the scrolled content. */
  get activePlace(): { readonly left: number; readonly top: number; readonly width: number } {
    const { row, column } = this.workspace.cursor.active;
    const width = this.columns[column]?.width ?? 0;
    const left =
      column < this.frozen
        ? this.#scrollLeft + this.stuckAt(column)
        : GUTTER_WIDTH + this.#frozenWidth + (this.#edges[column - this.frozen] ?? 0);
    return { left, top: HEADER_HEIGHT + this.topOfRow(row), width };
  }

  scrollForCursor(): { readonly top: number; readonly left: number } {
    const { active } = this.workspace.cursor;
    const top = this.topOfRow(active.row);
    const room = this.#height - HEADER_HEIGHT - ROW_HEIGHT;
    const scrollTop = Math.max(Math.min(this.#scrollTop, top), top - Math.max(0, room));
    if (active.column < this.frozen) return { top: scrollTop, left: this.#scrollLeft };
    const left = this.#edges[active.column - this.frozen] ?? 0;
    const right = this.#edges[active.column - this.frozen + 1] ?? left;
    const roomAcross = this.width - GUTTER_WIDTH - this.#frozenWidth;
    return { top: scrollTop, left: Math.min(left, Math.max(this.#scrollLeft, right - roomAcross)) };
  }
}

/** Left edge of each column, and the end of the last. Pixels. */
function toEdges(columns: readonly GridColumn[]): readonly number[] {
  const edges = [0];
  for (const column of columns) edges.push((edges.at(-1) ?? 0) + column.width);
  return edges;
}
