import type { DraftColumn } from '../../../../contract/batch.ts';
import { columnsOf, foldHeader, kindNamed } from '../../../../contract/kinds/index.ts';
import { Kind } from '../../../../contract/kinds/kind.ts';
import type { Parameter } from '../../../../contract/kinds/spec.ts';
import { say, sayText } from '../../../../contract/messages/words.ts';

/**
 * The parameter of a column for rows of this kind; null when its cells are not sent, or sent untouched. The same header
 * can be different parameters: `resolution` is the size of a video, and an added field for images.
 */
export function parameterOf(column: DraftColumn, kind: Kind | null): Parameter | null {
  const { column: name } = column;
  if (name === null || column.isExtra) return null;
  const header = foldHeader(column.header);
  const isCalled = (parameter: Parameter) =>
    [parameter.name, ...parameter.aliases].some((each) => foldHeader(each) === header);
  const everywhere = Kind.options.flatMap(columnsOf);
  // A column that was mapped to something else than its header says goes by the mapping alone.
  const headerCounts = everywhere.some((parameter) => parameter.name === name && isCalled(parameter));
  const candidates = kind === null ? everywhere : columnsOf(kind);
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
export function choicesOf(parameter: Parameter | null, models: readonly string[]): readonly string[] {
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
  if (column.isExtra) return say('list.sentUnchanged');
  if (column.column === null) return say(column.header.trim() === '' ? 'list.noHeaderNotSent' : 'list.keptNotSent');
  const label = sayText(parameterOf(column, null)?.label ?? column.column);
  // Said only where it is more than the header says already.
  return [label, column.column].some((word) => foldHeader(word) === foldHeader(column.header)) ? '' : label;
}

export function allMeanings(): readonly { readonly name: string; readonly label: string; readonly kinds: Kind[] }[] {
  const byName = new Map<string, { name: string; label: string; kinds: Kind[] }>();
  for (const kind of Kind.options) {
    for (const { name, label } of columnsOf(kind)) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, { name, label: sayText(label), kinds: [kind] });
      else known.kinds.push(kind);
    }
  }
  return [...byName.values()];
}

/** Whether the texts of a column line up at their end, as numbers do. */
export function isNumeric(column: DraftColumn): boolean {
  const type = parameterOf(column, null)?.type;
  return type === 'integer' || type === 'number';
}

/** Width in pixels that a column starts with. */
export function firstWidth(column: DraftColumn): number {
  if (column.column === 'shot') return 104;
  const parameter = parameterOf(column, null);
  switch (parameter?.type) {
    case undefined:
    case 'pixels':
      return 128;
    case 'long_text':
      return parameter?.name === 'prompt' ? 380 : 200;
    case 'integer':
    case 'number':
      return 88;
    case 'boolean':
    case 'ratio':
    case 'choice':
      return 108;
    case 'media':
    case 'media_list':
    case 'json':
    case 'text_list':
    case 'task':
      return 180;
    case 'text':
      return parameter?.name === 'model' ? 164 : 128;
  }
}
