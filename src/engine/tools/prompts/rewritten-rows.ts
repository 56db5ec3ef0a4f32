/** Where a list has what is rewritten. */
export interface PromptColumns {
  readonly prompt: number;
  /** Null in a list without keys. */
  readonly key: number | null;
}

/**
 * The rows of a list with new prompts in place of the old ones. Further versions of a prompt become rows of their own
 * below, with keys of their own. `prompts` has the new prompts of each row, by its index; others stay as they are.
 */
export function rewrittenRows(
  rows: readonly (readonly string[])[],
  columns: PromptColumns,
  prompts: ReadonlyMap<number, readonly string[]>,
): string[][] {
  const taken = new Set(columns.key === null ? [] : rows.map((row) => row[columns.key ?? 0] ?? ''));
  return rows.flatMap((row, index) => {
    const versions = prompts.get(index) ?? [];
    if (versions.length === 0) return [[...row]];
    return versions.map((prompt, version) => {
      const cells = withCell(row, columns.prompt, prompt);
      return version === 0 || columns.key === null
        ? cells
        : withCell(cells, columns.key, freeKey(row[columns.key] ?? '', version + 1, taken));
    });
  });
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
