import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { STATUS_COLUMNS, statusColumns } from '../../../src/contract/status-columns.ts';
import { planImport } from '../../../src/engine/batches/plan-import.ts';
import { readRawTable, readTable } from '../../../src/engine/batches/read-table.ts';
import { type StatusCells, type StatusSheet, withStatus } from '../../../src/engine/batches/status-sheet.ts';
import type { Table } from '../../../src/engine/batches/table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';

const cells: StatusCells = {
  ...{ state: 'Saved', take: 2, pick: 2, rating: 4, takes: 3, file: '=cmd/010_t2.mp4', cost: 0.75 },
};
const headersIn = (language: 'en' | 'zh-CN') =>
  Object.fromEntries(STATUS_COLUMNS.map((column) => [column, statusColumns[column][language]]));
const sheet =
  (language: 'en' | 'zh-CN' = 'en', row = cells) =>
  ({ rowNumbers }: Table): StatusSheet => ({
    headers: headersIn(language) as StatusSheet['headers'],
    rows: new Map(rowNumbers.map((number) => [number, row])),
  });

const marked = async (bytes: Uint8Array, name = 'list.csv', statusOf = sheet()) =>
  (await withStatus({ bytes, name }, statusOf)).bytes;

const HEADERS = Object.values(headersIn('en')).join(',');
const STATUS = "Saved,2,2,4,3,'=cmd/010_t2.mp4,0.75";

async function shotsIn(bytes: Uint8Array): Promise<readonly ShotSpec[]> {
  const { shots, defects } = await checkList(await readTable({ bytes }), { listFolder: '/lists' });
  expect(defects.filter(({ severity }) => severity === 'error')).toEqual([]);
  return shots;
}

async function isSameImport(before: Uint8Array, after: Uint8Array): Promise<void> {
  const [stored, listed] = [await shotsIn(before), await shotsIn(after)];
  const plan = await planImport(
    stored.map((spec) => ({ key: spec.key, spec })),
    listed,
  );
  expect({ ...plan, unchanged: plan.unchanged.length }).toEqual({
    ...{ added: [], changed: [], removed: [], unchanged: stored.length },
  });
  expect(listed).toEqual(stored);
}

describe('a CSV with its status', () => {
  it('has it behind its last column, and all else byte for byte', async () => {
    const list = '\uFEFFshot;prompt\r\n010;"Rain; ""night"""\r\n\r\n020;  Snow \r\n';
    const written = await marked(Buffer.from(list));
    const [headers, status] = [HEADERS, STATUS].map((line) => line.replaceAll(',', ';'));
    expect(Buffer.from(written).toString()).toBe(
      `\uFEFFshot;prompt;${headers}\r\n010;"Rain; ""night""";${status}\r\n\r\n020;  Snow ;${status}\r\n`,
    );
  });

  it('has it in the same columns where a row is shorter, or longer by empty cells', async () => {
    const written = await marked(Buffer.from('shot,model,prompt\n010,m\n020,m,rain,,,\n'));
    expect(Buffer.from(written).toString()).toBe(
      `shot,model,prompt,${HEADERS}\n010,m,,${STATUS}\n020,m,rain,${STATUS}\n`,
    );
  });

  it('gets the newest status in the columns that it has from before, in another language too', async () => {
    const list = Buffer.from('shot,prompt\n010,rain\n');
    const first = await marked(list, 'list.csv', sheet('zh-CN'));
    const again = await marked(first, 'list.csv', sheet('en', { ...cells, takes: 9 }));
    expect(Buffer.from(again).toString()).toBe(`shot,prompt,${HEADERS}\n010,rain,${STATUS.replace(',3,', ',9,')}\n`);
    expect((await withStatus({ bytes: first, name: 'l.csv' }, sheet())).hadStatus).toBe(true);
  });

  it('stays in its encoding', async () => {
    for (const encoding of ['gbk', 'utf-16le']) {
      const text = `${encoding === 'gbk' ? '' : '\uFEFF'}镜头,提示词\r\n010,夜里的雨，远处的灯\r\n020,清晨的码头\r\n`;
      const list = iconv.encode(text, encoding);
      const written = await marked(list, 'list.csv', sheet('zh-CN'));
      expect(iconv.decode(Buffer.from(written), encoding)).toContain('010,夜里的雨，远处的灯,Saved');
      await expect(readTable({ bytes: written })).resolves.toMatchObject({ headers: ['镜头', '提示词'] });
    }
  });

  it('is refused where it could not be written as it was read', async () => {
    const broken = Buffer.concat([Buffer.from('shot,prompt\n010,rain '), Buffer.from([0xff, 0x81]), Buffer.from('\n')]);
    const refusal = withStatus({ bytes: broken, name: 'l.csv', options: { encoding: 'utf-8' } }, sheet());
    await expect(refusal).rejects.toMatchObject({ code: 'bad_list' });
    await expect(marked(Buffer.from('shot,prompt\n010,"rain\n'))).rejects.toMatchObject({ code: 'bad_list' });
  });

  it('imports as before, whatever it holds', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '"', "'", ',', ';', '\t', '|', '\n', '=', '+', '@', '-', '海', 'é', '1', '.'),
      maxLength: 12,
    });
    const list = fc.record({
      rows: fc.uniqueArray(
        fc.record({
          key: fc.stringMatching(/^[A-Za-z]{1,6}\d{0,3}$/),
          cells: fc.array(text, { minLength: 3, maxLength: 3 }),
        }),
        { minLength: 1, maxLength: 8, selector: ({ key }) => key.toLowerCase() },
      ),
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      newline: fc.constantFrom('\n', '\r\n'),
      quotes: fc.boolean(),
      mark: fc.constantFrom('', '\uFEFF'),
      endsOpen: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(list, async ({ rows, delimiter, newline, quotes, mark, endsOpen }) => {
        const lines = [
          ['shot', 'model', 'prompt', 'Scene', 'Dailies', 'state'],
          ...rows.map(({ key, cells: [prompt = '', ...own] }) => [key, 'vgen-2.0-nt', `A door ${prompt}`, ...own]),
        ];
        const content = mark + Papa.unparse(lines, { delimiter, newline, quotes }) + (endsOpen ? '' : newline);
        const bytes = Buffer.from(content);
        const written = await marked(bytes);
        await isSameImport(bytes, written);
        expect(await marked(written)).toEqual(written);
        const own = Papa.unparse(lines.slice(0, 1), { delimiter, newline, quotes });
        expect(
          Buffer.from(written)
            .toString()
            .startsWith(mark + own),
        ).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a workbook with its status', () => {
  const formula = '<c r="D2"><f>SUM(1,2)</f><v>3</v></c>';

  async function workbook(): Promise<Uint8Array> {
    const rows = [
      ['shot', 'model', 'prompt', 'Sum'].map((value) => ({ value, fontWeight: 'bold' as const })),
      ['010', 'vgen-2.0-nt', 'Rain & <snow>'].map((value) => ({ value })),
      ['020', 'vgen-2.0-nt', 'A door'].map((value) => ({ value })),
    ];
    const written = await writeWorkbook([
      { data: rows, sheet: 'Shots', columns: [{ width: 12 }, { width: 30 }, { width: 60 }] },
      { data: [['untouched']], sheet: 'Notes' },
    ]).toBuffer();
    const parts = unzipSync(written);
    const path = 'xl/worksheets/sheet1.xml';
    const xml = strFromU8(parts[path] ?? new Uint8Array());
    const withFormula = xml.replace(/(<row r="2".*?)<\/row>/, `$1${formula}</row>`);
    return zipSync({ ...parts, [path]: strToU8(withFormula), 'xl/media/logo.png': new Uint8Array([1, 2, 3]) });
  }

  it('keeps every other part byte for byte, and formulas, widths and styles of its sheet', async () => {
    const list = await workbook();
    const [before, after] = [unzipSync(list), unzipSync(await marked(list, 'list.xlsx'))];
    expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
    for (const [name, part] of Object.entries(before))
      if (name !== 'xl/worksheets/sheet1.xml') expect(after[name], name).toEqual(part);
    const [was, is] = [before, after].map((parts) => strFromU8(parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array()));
    expect(is).toContain(formula);
    expect(/<cols>.*<\/cols>/.exec(is ?? '')?.[0]).toBe(/<cols>.*<\/cols>/.exec(was ?? '')?.[0]);
    const headerStyle = /<c r="D1"[^>]*\ss="(\d+)"/.exec(is ?? '')?.[1];
    expect(/<c r="E1"[^>]*\ss="(\d+)"/.exec(is ?? '')?.[1]).toBe(headerStyle);
  });

  it('is read back with texts as texts, and imports as before', async () => {
    const list = await workbook();
    const written = await marked(list, 'list.xlsx');
    const raw = await readRawTable({ bytes: written });
    expect(raw.headers.slice(4)).toEqual(Object.values(headersIn('en')));
    expect(raw.rows[0]?.slice(4)).toEqual(['Saved', '2', '2', '4', '3', '=cmd/010_t2.mp4', '0.75']);
    await isSameImport(list, written);
    const again = await marked(written, 'list.xlsx', sheet('en', { ...cells, state: 'Failed', pick: null }));
    expect((await readRawTable({ bytes: again })).rows[0]?.slice(4, 7)).toEqual(['Failed', '2', '']);
    await isSameImport(list, again);
  });

  it('of another sheet is written there', async () => {
    const data = (key: string) => [
      ['shot', 'model', 'prompt'],
      [key, 'vgen-2.0-nt', 'A door'],
    ];
    const list = await writeWorkbook(['Day 1', 'Day 2'].map((name) => ({ data: data(name), sheet: name }))).toBuffer();
    const { bytes } = await withStatus({ bytes: list, name: 'l.xlsx', options: { sheet: 'Day 2' } }, sheet());
    expect((await readRawTable({ bytes }, { sheet: 'Day 1' })).headers).toHaveLength(3);
    expect((await readRawTable({ bytes }, { sheet: 'Day 2' })).headers).toHaveLength(10);
  });

  it('whose rows are written in another way is written too', async () => {
    const parts = unzipSync(await writeWorkbook([['a'], ['1']]).toBuffer());
    const text = (value: string) => `<x:c t="inlineStr"><x:is><x:t>${value}</x:t></x:is></x:c>`;
    const rows = ['shot model prompt', '010 vgen-2.0-nt Rain'].map(
      (row) => `<x:row spans="1:3">${row.split(' ').map(text).join('')}</x:row>`,
    );
    const xml = `<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:dimension ref="A1:C2"/><x:sheetData>${rows.join('')}</x:sheetData></x:worksheet>`;
    const list = zipSync({ ...parts, 'xl/worksheets/sheet1.xml': strToU8(xml) });
    const before = await readRawTable({ bytes: list });
    // Where the reader cannot read it either, nothing is written.
    if (before.headers.length < 3) await expect(marked(list, 'l.xlsx')).rejects.toMatchObject({ code: 'bad_list' });
    else expect((await readRawTable({ bytes: await marked(list, 'l.xlsx') })).rows[0]?.[3]).toBe('Saved');
  });
});
