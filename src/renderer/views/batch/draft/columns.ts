import type { DraftColumn, DraftEdit } from '../../../../contract/batch.ts';
import { columnsFor, foldHeader, kindNamed } from '../../../../contract/kinds/index.ts';
import { Kind } from '../../../../contract/kinds/kind.ts';
import type { Parameter } from '../../../../contract/kinds/spec.ts';
import { t, sayText } from '../../../../contract/messages/words.ts';
import { keyForRow } from '../../../../contract/shot.ts';
import { presetColumns, type Preset } from '../../../../contract/prompt-library.ts';

/**
 * The parameter of a column for rows of this kind; null when its cells are not sent, or sent untouched. The same header
 * can be different parameters: `resolution` is the size of a video, and an added field for images.
 */
export function parameterFor(column: DraftColumn, kind: Kind | null): Parameter | null {
  const { column: name } = column;
  if (name === null || column.isExtra) return null;
  const header = foldHeader(column.header);
  const isCalled = (parameter: Parameter) =>
    [parameter.name, ...parameter.aliases].some((each) => foldHeader(each) === header);
  const everywhere = Kind.options.flatMap(columnsFor);
  // A column that was mapped to something else than its header says goes by the mapping alone.
  const headerCounts = everywhere.some((parameter) => parameter.name === name && isCalled(parameter));
  const candidates = kind === null ? everywhere : columnsFor(kind);
  const byHeader = headerCounts ? candidates.find(isCalled) : undefined;
  return byHeader ?? candidates.find((parameter) => parameter.name === name) ?? null;
}

/** Place of the column that means `name`; -1 when there is none. */
export const columnNamed = (columns: readonly DraftColumn[], name: string): number =>
  columns.findIndex((column) => column.column === name);

/** Kind of a row: its own cell, else its model's, else the list's. */
export function kindOfRow(
  cell: (name: string) => string,
  kindOfModel: (model: string) => Kind | null,
  listKind: Kind | null,
): Kind | null {
  return kindNamed(cell('kind').trim()) ?? kindOfModel(cell('model').trim()) ?? listKind;
}

/** The values of a cell, most likely first; empty when every value is allowed. */
export function choicesFor(parameter: Parameter | null, models: readonly string[]): readonly string[] {
  if (parameter === null) return [];
  if (parameter.name === 'model') return models;
  switch (parameter.type) {
    case 'boolean':
      return ['TRUE', 'FALSE'];
    case 'choice':
    case 'ratio':
      return parameter.choices;
    default:
      return [];
  }
}

export function meaningInWords(column: DraftColumn): string {
  if (column.isExtra) return t('list.sentUnchanged');
  if (column.column === null) return t(column.header.trim() === '' ? 'list.noHeaderNotSent' : 'list.keptNotSent');
  const label = sayText(parameterFor(column, null)?.label ?? column.column);
  // Said only where it is more than the header says already.
  return [label, column.column].some((word) => foldHeader(word) === foldHeader(column.header)) ? '' : label;
}

export function allMeanings(): readonly { readonly name: string; readonly label: string; readonly kinds: Kind[] }[] {
  const all = Kind.options.flatMap((kind) => columnsFor(kind).map(({ name, label }) => ({ kind, name, label })));
  return [...Map.groupBy(all, ({ name }) => name)].map(([name, same]) => ({
    ...{ name, label: sayText(same[0]?.label ?? name) },
    kinds: same.map(({ kind }) => kind),
  }));
}

export function isNumeric(column: DraftColumn): boolean {
  const type = parameterFor(column, null)?.type;
  return type === 'integer' || type === 'number';
}

const firstWidths: Readonly<Record<Parameter['type'], number>> = {
  ...{ long_text: 200, media: 180, media_list: 180, json: 180, text_list: 180, task: 180 },
  ...{ text: 128, pixels: 128, boolean: 108, ratio: 108, choice: 108, integer: 88, number: 88 },
};
const firstWidthsByName: Readonly<Record<string, number>> = { prompt: 380, model: 164 };

/** Width in pixels that a column starts with. */
export function firstWidth(column: DraftColumn): number {
  if (column.column === 'shot') return 104;
  const parameter = parameterFor(column, null);
  return parameter === null ? 128 : (firstWidthsByName[parameter.name] ?? firstWidths[parameter.type]);
}

/** Keys of a list's columns that survive others being added and removed: the header, with a number where it repeats. */
export function columnKeys(headers: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return headers.map((header) => {
    const folded = foldHeader(header);
    const count = (counts.get(folded) ?? 0) + 1;
    counts.set(folded, count);
    return count === 1 ? folded : `${folded} ${count}`;
  });
}

/**
 * Columns of the list, by their places in it, as they are shown from left to right; the hidden ones among them.
 * `first` goes to the left where no order was made; -1 for none.
 */
export function arrangedColumns(keys: readonly string[], order: readonly string[], first: number): readonly number[] {
  const places = new Map(keys.map((key, index) => [key, index]));
  const placed = order.flatMap((key) => places.get(key) ?? []);
  const isPlaced = new Set(placed);
  const usual = keys.map((_key, index) => index);
  if (placed.length === 0) return first > 0 ? [first, ...usual.filter((index) => index !== first)] : usual;
  const followers = new Map<number, number[]>();
  let before = -1;
  for (const index of usual) {
    if (isPlaced.has(index)) before = index;
    else followers.set(before, [...(followers.get(before) ?? []), index]);
  }
  return [-1, ...placed].flatMap((index) => [...(index < 0 ? [] : [index]), ...(followers.get(index) ?? [])]);
}

export function moved<T>(values: readonly T[], from: number, to: number): readonly T[] {
  const value = values[from];
  if (value === undefined || from === to || to < 0 || to >= values.length) return values;
  return values.toSpliced(from, 1).toSpliced(to, 0, value);
}

export interface ShotRow {
  readonly shot: string;
  readonly listRow: number;
}

/** The rows of a list as shots, as the engine reads them: blank rows left out, rows without a key numbered by place. */
export function rowsAsShots(rows: readonly (readonly string[])[], keyColumn: number): readonly ShotRow[] {
  const shots: ShotRow[] = [];
  for (const [listRow, row] of rows.entries()) {
    if (row.every((cell) => cell.trim() === '')) continue;
    shots.push({ shot: keyForRow(row[keyColumn], shots.length), listRow });
  }
  return shots;
}

/** Place of the column that means `name` in a row of the kind; -1 when there is none. */
export const placeFor = (columns: readonly DraftColumn[], kind: Kind, name: string): number =>
  columns.findIndex((column) => parameterFor(column, kind)?.name === name);

/** The settings of a row, by column: the content of its preset. `cell` is the text of a column of the list. */
export function settingsOfRow(
  columns: readonly DraftColumn[],
  kind: Kind,
  cell: (column: number) => string,
): Record<string, string> {
  const settings = presetColumns(kind).flatMap(({ name }) => {
    const place = placeFor(columns, kind, name);
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

export function presetEdit(
  columns: readonly DraftColumn[],
  { kind, cells }: Pick<Preset, 'kind' | 'cells'>,
  rows: readonly number[],
): Extract<DraftEdit, { type: 'cells' }> {
  const known = new Set(presetColumns(kind).map(({ name }) => name));
  const texts = Object.entries(cells).flatMap(([name, value]) =>
    known.has(name) ? [{ column: placeFor(columns, kind, name), name, value }] : [],
  );
  return rowsEdit(columns, texts, rows);
}
