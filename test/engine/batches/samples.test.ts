import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import { allKinds } from '../../../src/contract/kinds/all.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { check, errorsOf, listing } from './support.ts';
import { columnsFor, kindNamed, kindSpecs } from '../../../src/contract/kinds/index.ts';
import type { Parameter } from '../../../src/contract/kinds/spec.ts';
import { sayText, setLanguage } from '../../../src/contract/messages/words.ts';
import type { Table } from '../../../src/engine/batches/table.ts';
import { sharedColumns } from '../../../src/contract/kinds/shared.ts';

const sample = fileURLToPath(new URL('../../../resources/samples/sample-shots.csv', import.meta.url));

it('the sample list asks for 24 takes of five kinds, without a defect', async () => {
  const table = await readTable({ bytes: await readFile(sample) });
  const accountModels = listing(
    'vgen-2.0-cl-fast',
    'vgen-2.0-nt',
    'image-demo',
    'music-demo',
    'chat-demo',
    'speech-demo',
  );
  const { shots, defects } = await checkList(table, { listFolder: dirname(sample), accountModels });
  expect(defects).toEqual([]);
  const takes = Map.groupBy(shots, ({ kind }) => kind);
  const count = (kind: Kind) => (takes.get(kind) ?? []).reduce((sum, shot) => sum + shot.takes, 0);
  expect(Kind.options.map(count)).toEqual([10, 7, 5, 1, 1, 0]);
  expect(
    shots.map(({ params }) => params.duration ?? 4).every((seconds) => Number(seconds) >= 4 && Number(seconds) <= 6),
  ).toBe(true);
});

it('the picture that the sample edits is small', async () => {
  expect((await stat(join(dirname(sample), 'references', 'lighthouse-sketch.png'))).size).toBeLessThan(50_000);
});

/** What names an asset of one account, or a button of one picture, which a list that comes with the product cannot know. */
const OF_ONE_ACCOUNT = ['video avatar_asset_ids', 'image operation action', 'image action_task', 'image button'];

it('the list of every kind has a row for each column of each kind, and for each choice of those that are closed', async () => {
  const file = join(dirname(sample), 'every-kind.csv');
  const { shots, defects } = await checkList(await readTable({ bytes: await readFile(file) }), {
    listFolder: dirname(file),
  });
  expect(defects.filter(({ severity }) => severity === 'error')).toEqual([]);
  const missing = allKinds.flatMap(({ kind, parameters }) =>
    parameters.flatMap((parameter) => {
      const { name } = parameter;
      const used = new Set(shots.flatMap((shot) => (shot.kind === kind ? (shot.params[name] ?? []) : [])));
      // What is not said takes the first choice.
      const choices = parameter.type === 'choice' && !parameter.open ? parameter.choices.slice(1) : [];
      const unused = choices.filter((choice) => !used.has(choice)).map((choice) => `${kind} ${name} ${choice}`);
      return used.size === 0 ? [`${kind} ${name}`] : unused;
    }),
  );
  expect(missing.filter((each) => !OF_ONE_ACCOUNT.includes(each))).toEqual([]);
});

const everyKind = fileURLToPath(new URL('../../../resources/samples/every-kind.csv', import.meta.url));
afterEach(() => setLanguage('en'));

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
  const listFolder = dirname(everyKind);
  const whole = await readTable({ bytes: await readFile(everyKind) });
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

const docs = readFileSync(new URL('../../../docs/reference/shot-lists.md', import.meta.url), 'utf8');

/** The row of a column in the tables of the page. After changing a spec, copy the missing rows into the page. */
const rowOf = ({ name, aliases, help }: Parameter) =>
  `| \`${name}\` | ${aliases.map((alias) => `\`${alias}\``).join(', ')} | ${sayText(help).replaceAll('|', '\\|')} |`;

const section = (heading: string) => docs.split(/^#+ /m).find((part) => part.startsWith(heading)) ?? '';

describe('the page about shot lists', () => {
  it('has every shared column with its aliases and its meaning', () => {
    const text = section('Columns of every kind');
    for (const column of sharedColumns) expect(text).toContain(rowOf(column));
  });

  it.each(Kind.options)('has every column of %s with its aliases and its meaning, and no others', (kind) => {
    const { label, parameters } = kindSpecs[kind];
    const text = section(`${sayText(label)} columns`);
    for (const parameter of parameters) expect(text).toContain(rowOf(parameter));
    expect(text.match(/^\| `/gm)).toHaveLength(parameters.length);
  });

  it('gives examples that are lists without a mistake', async () => {
    const examples = [...docs.matchAll(/```csv\n([^]*?)```/g)].map((match) => match[1] ?? '');
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const example of examples) {
      const { shots, defects } = await check(example);
      const missingFiles = errorsOf(defects).filter(({ problem }) => sayText(problem).endsWith(' was not found.'));
      expect(errorsOf(defects)).toEqual(missingFiles);
      expect(shots.length + missingFiles.length).toBeGreaterThan(0);
    }
  });
});
