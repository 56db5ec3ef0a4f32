import type { DraftColumn } from '../../../../contract/batch.ts';
import { nameOrder } from '../../../../contract/messages/words.ts';
import { hasWords } from '../../../lib/choices.ts';
import { groupOrder } from '../../../lib/grouping.ts';
import { columnKeys } from './columns.ts';

/** Which rows are shown, and in which order. A view only: the list itself stays as it is. */
export interface ViewRequest {
  /** Words that must all be in the row, in any case. */
  readonly text: string;
  /** Column of the list to look in; null for all. */
  readonly column: number | null;
  readonly onlyDefects: boolean;
  readonly sort: { readonly column: number; readonly descending: boolean } | null;
}

export const wholeList: ViewRequest = { text: '', column: null, onlyDefects: false, sort: null };

export const isFiltered = (request: ViewRequest): boolean => request.text.trim() !== '' || request.onlyDefects;

interface ListContent {
  readonly rows: number;
  readonly text: (row: number, column: number) => string;
  readonly columns: number;
  readonly hasDefect: (row: number) => boolean;
}

/** Rows of the list in the order of the view; null when that is the list itself. */
export function orderFor(request: ViewRequest, list: ListContent): Int32Array | null {
  if (!isFiltered(request) && request.sort === null) return null;
  const matches = hasWords(request.text);
  const rows: number[] = [];
  for (let row = 0; row < list.rows; row += 1) {
    if (request.onlyDefects && !list.hasDefect(row)) continue;
    if (matches !== null && !matches(searchedText(request, list, row))) continue;
    rows.push(row);
  }
  const { sort } = request;
  if (sort !== null) sortRows(rows, (row) => list.text(row, sort.column), sort.descending);
  return Int32Array.from(rows);
}

function searchedText(request: ViewRequest, list: ListContent, row: number): string {
  if (request.column !== null) return list.text(row, request.column);
  const cells: string[] = [];
  for (let column = 0; column < list.columns; column += 1) cells.push(list.text(row, column));
  return cells.join('\n');
}

const collator = nameOrder();

/** Empty cells go last both ways; equal ones keep the order of the list. */
function sortRows(rows: number[], text: (row: number) => string, descending: boolean): void {
  const keys = new Map(rows.map((row) => [row, text(row).trim()]));
  const sign = descending ? -1 : 1;
  rows.sort((one, other) => {
    const [left = '', right = ''] = [keys.get(one), keys.get(other)];
    if (left === '' || right === '') return Number(left === '') - Number(right === '') || one - other;
    return sign * collator.compare(left, right) || one - other;
  });
}

/** Rows in the order of the view, and the groups that they make there. */
export interface OrderedRows {
  readonly rows: Int32Array;
  readonly groups: readonly RowGroup[];
}

interface RowGroup {
  /** Their common value; empty for rows without one. */
  readonly name: string;
  /** Place of its first row. */
  readonly start: number;
  readonly count: number;
}

/** Rows put together by their names, groups in the order of these, each in the order that its rows had. Linear. Pure. */
export function groupRows(rows: Int32Array, nameOf: (row: number) => string): OrderedRows {
  const byName = Map.groupBy(rows, nameOf);
  const inOrder = groupOrder();
  const named = [...byName].sort(([one], [other]) => inOrder(one, other));
  const ordered = new Int32Array(rows.length);
  let start = 0;
  const groups = named.map(([name, members]): RowGroup => {
    ordered.set(members, start);
    const group = { name, start, count: members.length };
    start += members.length;
    return group;
  });
  return { rows: ordered, groups };
}

/** The columns that rows can be put together by: those of a person's own, and model and kind. */
export function groupColumns(
  columns: readonly DraftColumn[],
): readonly { readonly column: string; readonly label: string; readonly index: number }[] {
  const keys = columnKeys(columns.map(({ header }) => header));
  return columns.flatMap(({ header, column, isExtra }, index) => {
    const isOffered = column === null || isExtra || column === 'model' || column === 'kind';
    return isOffered && header.trim() !== '' ? [{ column: keys[index] ?? '', label: header, index }] : [];
  });
}
