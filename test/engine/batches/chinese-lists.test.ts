import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { columnsFor, kindNamed, kindSpecs } from '../../../src/contract/kinds/index.ts';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import type { Parameter } from '../../../src/contract/kinds/spec.ts';
import { sayText, setLanguage } from '../../../src/contract/messages/words.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import type { Table } from '../../../src/engine/batches/table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { errorsOf } from './support.ts';

const path = fileURLToPath(new URL('../../../resources/samples/every-kind.csv', import.meta.url));
afterAll(() => setLanguage('en'));

const columnOf = (header: string, kind: Kind) => columnsFor(kind).find(({ name }) => name === header);

/** The rows of one kind, with the columns that this kind has. */
function ofKind(table: Table, kind: Kind): { table: Table; columns: Parameter[] } {
  const places = table.headers.flatMap((header, place) => {
    const column = columnOf(header, kind);
    return column ? [{ place, column }] : [];
  });
  const kindAt = table.headers.indexOf('kind');
  const rows = table.rows.filter((row) => kindNamed(row[kindAt] ?? '') === kind);
  return {
    columns: places.map(({ column }) => column),
    table: {
      ...table,
      headers: places.map(({ column }) => column.name),
      rows: rows.map((row) => places.map(({ place }) => row[place] ?? '')),
      rowNumbers: rows.map((_, place) => place + 2),
    },
  };
}

function inChinese(cell: string, column: Parameter, kind: Kind): string {
  if (cell === '') return cell;
  if (column.name === 'kind') return sayText(kindSpecs[kind].label);
  if (column.type === 'boolean') return /true/i.test(cell) ? '是' : '否';
  return 'unit' in column ? `${cell} 秒` : cell;
}

it.each(Kind.options)('a list of %s with Chinese headers and words is read like its English twin', async (kind) => {
  await setLanguage('zh-CN');
  const listFolder = dirname(path);
  const whole = await readTable({ bytes: await readFile(path) });
  const { shots } = await checkList(whole, { listFolder });
  const { table, columns } = ofKind(whole, kind);
  const twin = {
    ...table,
    headers: columns.map(({ label }) => sayText(label)),
    rows: table.rows.map((row) => row.map((cell, place) => inChinese(cell, columns[place] as Parameter, kind))),
  };
  const options = { listFolder, beside: (key: string) => shots.find((shot) => shot.key === key) ?? null };
  const [english, chinese] = [await checkList(table, options), await checkList(twin, options)];
  expect(english.shots.length).toBeGreaterThan(0);
  expect(chinese.shots).toEqual(english.shots);
  expect([...errorsOf(chinese.defects), ...errorsOf(english.defects)]).toEqual([]);
});
