import type { Text } from '../../../../contract/messages/words.ts';
import type { CellPosition } from '../grid/grid-source.ts';
import type { DraftDefect } from '../../../../contract/batch.ts';

export interface DefectGroup {
  readonly severity: DraftDefect['severity'];
  readonly problem: Text;
  readonly remedy: Text;
  readonly defects: readonly DraftDefect[];
}

/** The defects of a list, found by cell. Never changed. */
export class DefectIndex {
  readonly all: readonly DraftDefect[];
  readonly errors: number;
  readonly warnings: number;
  readonly #byRow: ReadonlyMap<number, readonly DraftDefect[]>;

  constructor(defects: readonly DraftDefect[]) {
    this.all = defects.toSorted((one, other) => one.rowIndex - other.rowIndex || one.columnIndex - other.columnIndex);
    this.#byRow = Map.groupBy(this.all, (defect) => defect.rowIndex);
    this.errors = defects.filter((defect) => defect.severity === 'error').length;
    this.warnings = defects.length - this.errors;
  }

  ofRow(row: number): readonly DraftDefect[] {
    return this.#byRow.get(row) ?? none;
  }

  ofCell(row: number, column: number): readonly DraftDefect[] {
    return this.ofRow(row).filter((defect) => defect.columnIndex === column);
  }

  severityAt(row: number, column: number): DraftDefect['severity'] | null {
    return worst(this.ofCell(row, column))?.severity ?? null;
  }

  /** The worst defect of a column's header; null when there is none. */
  ofHeader(column: number): DraftDefect | null {
    return column < 0 ? null : worst(this.ofCell(HEADER_ROW, column));
  }

  severityOfRow(row: number): DraftDefect['severity'] | null {
    return worst(this.ofRow(row))?.severity ?? null;
  }

  rows(): ReadonlySet<number> {
    return new Set(this.#byRow.keys());
  }

  groups(): readonly DefectGroup[] {
    const groups = Map.groupBy(this.all, identityOf);
    return [...groups.values()]
      .flatMap((defects) => {
        const [first] = defects;
        return first ? [{ severity: first.severity, problem: first.problem, remedy: first.remedy, defects }] : [];
      })
      .sort((one, other) => rank(one) - rank(other) || other.defects.length - one.defects.length);
  }

  /** Every defect with the same problem and remedy. */
  like(defect: DraftDefect): readonly DraftDefect[] {
    return this.all.filter((each) => identityOf(each) === identityOf(defect));
  }

  /** The same defects after rows were put in or taken out, until they are counted again. */
  moved(newRow: (row: number) => number | null): DefectIndex {
    return new DefectIndex(
      this.all.flatMap((defect) => {
        if (defect.rowIndex < 0) return [defect];
        const rowIndex = newRow(defect.rowIndex);
        return rowIndex === null ? [] : [{ ...defect, rowIndex, row: defect.row + rowIndex - defect.rowIndex }];
      }),
    );
  }
}

const identityOf = ({ severity, problem, remedy }: DraftDefect): string => JSON.stringify([severity, problem, remedy]);

/** The row of defects that belong to no row of the list. */
const HEADER_ROW = -1;
const none: readonly DraftDefect[] = [];
/** The first error, else the first warning; null without any. */
const worst = (defects: readonly DraftDefect[]): DraftDefect | null =>
  defects.find(({ severity }) => severity === 'error') ?? defects[0] ?? null;
const rank = (group: { severity: DraftDefect['severity'] }): number => (group.severity === 'error' ? 0 : 1);

/** The next defect from a cell on screen, errors first, going round; null when none is in sight. Hidden rows: -1. */
export function nextDefect(
  index: DefectIndex,
  from: CellPosition,
  back: boolean,
  on: { rowOnScreen: (row: number) => number; columnOnScreen: (column: number) => number },
): (CellPosition & { readonly defect: DraftDefect }) | null {
  const wanted = index.errors > 0 ? 'error' : 'warning';
  const places = index.all
    .filter((defect) => defect.severity === wanted && defect.rowIndex >= 0)
    .map((defect) => ({
      defect,
      row: on.rowOnScreen(defect.rowIndex),
      column: Math.max(0, on.columnOnScreen(defect.columnIndex)),
    }))
    .filter((place) => place.row >= 0)
    .sort((one, other) => one.row - other.row || one.column - other.column);
  const order = (place: CellPosition) => place.row - from.row || place.column - from.column;
  const after = (place: CellPosition) => order(place) > 0;
  const before = (place: CellPosition) => order(place) < 0;
  return (back ? (places.findLast(before) ?? places.at(-1)) : (places.find(after) ?? places[0])) ?? null;
}
