import type { DraftColumn, DraftEdit } from '../../../../contract/batch.ts';
import type { Kind } from '../../../../contract/kinds/kind.ts';
import { presetColumns, type Preset } from '../../../../contract/presets.ts';
import { parameterOf } from './column-meaning.ts';

/** Place of the column that means `name` in a row of the kind; -1 when there is none. */
export const placeOf = (columns: readonly DraftColumn[], kind: Kind, name: string): number =>
  columns.findIndex((column) => parameterOf(column, kind)?.name === name);

/** The settings of a row, by column: the content of its preset. `cell` is the text of a column of the list. */
export function settingsOfRow(
  columns: readonly DraftColumn[],
  kind: Kind,
  cell: (column: number) => string,
): Record<string, string> {
  const settings = presetColumns(kind).flatMap(({ name }) => {
    const place = placeOf(columns, kind, name);
    const text = place < 0 ? '' : cell(place).trim();
    return text === '' ? [] : [[name, text] as const];
  });
  return Object.fromEntries(settings);
}

/** A text for one column of the list; -1 when the list lacks the column and must get it under this name. */
export interface ColumnText {
  readonly column: number;
  readonly name: string;
  readonly value: string;
}

/** The edit that puts texts into rows; columns that the list lacks are added in the same step. */
export function rowsEdit(
  columns: readonly DraftColumn[],
  texts: readonly ColumnText[],
  rows: readonly number[],
): Extract<DraftEdit, { type: 'cells' }> {
  const added: string[] = [];
  const places = texts.map(({ column, name, value }) => ({
    column: column >= 0 ? column : columns.length + added.push(name) - 1,
    value,
  }));
  return {
    type: 'cells',
    ...(added.length > 0 && { columns: added }),
    cells: rows.flatMap((row) => places.map((place) => ({ row, ...place }))),
  };
}

/** The edit that gives rows of the list the settings of a preset. */
export function presetEdit(
  columns: readonly DraftColumn[],
  { kind, cells }: Pick<Preset, 'kind' | 'cells'>,
  rows: readonly number[],
): Extract<DraftEdit, { type: 'cells' }> {
  const known = new Set(presetColumns(kind).map(({ name }) => name));
  const texts = Object.entries(cells).flatMap(([name, value]) =>
    known.has(name) ? [{ column: placeOf(columns, kind, name), name, value }] : [],
  );
  return rowsEdit(columns, texts, rows);
}
