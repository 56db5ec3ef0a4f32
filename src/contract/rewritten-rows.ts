import type { DraftEdit } from './batch.ts';

export interface PromptColumns {
  readonly prompt: number;
  /** Null in a list without keys. */
  readonly key: number | null;
}

/** New prompts of a row: one in place of its own, and one for each row that is put below it. */
export interface NewPrompts {
  readonly inPlace?: string | undefined;
  readonly below: readonly string[];
}

/**
 * The edit that puts new prompts into a list, by the rows they are for. A row that is put below another has its cells, and
 * a key of its own.
 */
export function rewriteEdit(
  rows: readonly (readonly string[])[],
  columns: PromptColumns,
  prompts: ReadonlyMap<number, NewPrompts>,
): Extract<DraftEdit, { type: 'cells' }> {
  const { prompt: column, key } = columns;
  const taken = new Set(key === null ? [] : rows.map((row) => row[key] ?? ''));
  const copyOf = (row: number, prompt: string, version: number): string[] => {
    const cells = withCell(rows[row] ?? [], column, prompt);
    return key === null ? cells : withCell(cells, key, freeKey(cells[key] ?? '', version, taken));
  };
  const all = [...prompts];
  return {
    type: 'cells',
    cells: all.flatMap(([row, { inPlace }]) => (inPlace === undefined ? [] : [{ row, column, value: inPlace }])),
    below: all.flatMap(([row, { below }]) =>
      below.map((prompt, index) => ({ row, cells: copyOf(row, prompt, index + 2) })),
    ),
  };
}

/** `010-2` for the second version of 010, or the next number that is free. An empty key stays empty. */
function freeKey(key: string, first: number, taken: Set<string>): string {
  if (key === '') return '';
  let number = first;
  while (taken.has(`${key}-${String(number)}`)) number += 1;
  const free = `${key}-${String(number)}`;
  taken.add(free);
  return free;
}

function withCell(row: readonly string[], column: number, text: string): string[] {
  const cells = Array.from({ length: Math.max(row.length, column + 1) }, (_, index) => row[index] ?? '');
  cells[column] = text;
  return cells;
}
