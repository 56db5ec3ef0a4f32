import fc from 'fast-check';
import iconv from 'iconv-lite';
import Papa from 'papaparse';
import { unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import type { SheetData } from 'write-excel-file/node';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { bytesOf, tableOf, inWords, told } from './support.ts';

const header = ['shot', 'model', 'prompt', 'notes'];
const records = (table: { headers: readonly string[]; rows: readonly (readonly string[])[] }) => [
  table.headers,
  ...table.rows,
];

describe('a text', () => {
  /** Rows with something in each cell, in characters that any encoding below has. */
  const rows = (alphabet: string) =>
    fc.array(
      fc.array(
        fc
          .string({ unit: fc.constantFrom(...alphabet, ...'aZ09 ,;|\t"\n.'), minLength: 1, maxLength: 12 })
          .map((cell) => `x${cell}`),
        { minLength: header.length, maxLength: header.length },
      ),
      { minLength: 1, maxLength: 8 },
    );

  it.each([
    ['utf-8', false, 'é漢😀'],
    ['utf-8', true, 'é漢😀'],
    ['utf-16le', true, 'é漢😀'],
    ['utf-16be', true, 'é漢😀'],
  ])('in %s (mark: %s) comes back as it was written, with every delimiter', async (encoding, addBOM, alphabet) => {
    await fc.assert(
      fc.asyncProperty(
        rows(alphabet),
        fc.constantFrom(',', '\t', ';', '|'),
        fc.constantFrom('\n', '\r\n'),
        async (data, delimiter, newline) => {
          const text = Papa.unparse([header, ...data], { delimiter, newline });
          const table = await readTable({ bytes: iconv.encode(text, encoding, { addBOM }) });
          expect(table).toMatchObject({ format: 'csv', encoding, delimiter, defects: [], emptyRows: 0 });
          expect(records(table)).toEqual([header, ...data]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['gbk', 'shot,model,prompt,notes\n001,m,清晨的港口，一艘小船慢慢驶过,海鸥\n'],
    ['gbk', '镜头,模型,提示词\n1,m,你好世界\n'],
    ['shift_jis', 'shot,model,prompt\n001,m,朝の港で小さな舟がゆっくり進む\n'],
    ['shift_jis', 'カット,モデル,プロンプト\n1,m,夜の街\n'],
    ['windows-1252', 'shot,model,prompt\n001,m,Früh am Hafen: Möwen über dem Café – “Stille”\n'],
    ['windows-1252', 'shot,model,prompt\n1,m,Crème brûlée\n'],
    ['windows-1252', 'shot,model,prompt\n1,m,Straße\n'],
  ])('in %s is recognised and read', async (encoding, text) => {
    const table = await readTable({ bytes: iconv.encode(text, encoding) });
    expect(table.encoding).toBe(encoding);
    expect(records(table)).toEqual(Papa.parse(text.trim()).data);
  });

  it('is read in the encoding a person chooses', async () => {
    const bytes = iconv.encode('shot,model,prompt\n1,m,Crème\n', 'windows-1252');
    expect((await readTable({ bytes }, { encoding: 'windows-1251' })).rows[0]?.[2]).toBe('Crиme');
    expect(told((await readTable({ bytes }, { encoding: 'klingon' })).defects)).toEqual([
      'error 0/ "klingon": This encoding is not known.',
    ]);
  });

  it('stays text: nothing becomes a number, a date or a boolean', async () => {
    const cells = ['001', '1.0', 'TRUE', '2026-01-01', '1e3', ' '];
    const table = await tableOf(`a,b,c,d,e,f\n${cells.join(',')}\n`);
    expect(table.rows).toEqual([cells]);
  });

  it('numbers rows as a spreadsheet does: by record, empty ones included', async () => {
    const table = await tableOf('\n\nshot,prompt\n1,"two\nlines"\n\n ,\n2,x\n3,y\n\n\n');
    expect(table).toMatchObject({ headerRow: 3, rowNumbers: [4, 7, 8], emptyRows: 2, defects: [] });
    expect(table.rows[0]).toEqual(['1', 'two\nlines']);
  });

  it('obeys the line by which Excel announces the delimiter', async () => {
    const table = await tableOf('sep=;\r\nshot;prompt\r\n1;a, b\r\n');
    expect(table).toMatchObject({ delimiter: ';', headers: ['shot', 'prompt'], headerRow: 1, rowNumbers: [2] });
  });

  it('is cut where the headers are known, not where most commas are', async () => {
    const text = 'shot;model;prompt\n1;m;one, two, three, four\n2;m;one, two, three, four\n';
    expect((await tableOf(text)).delimiter).toBe(';');
    expect((await tableOf('shot,model,reference_images\n1,m,a;b;c\n2,m,a|b|c\n')).delimiter).toBe(',');
    expect((await tableOf('shot\tmodel\tprompt\n1\tm\ta, b; c\n')).delimiter).toBe('\t');
  });

  it('is cut at the delimiter a person chooses', async () => {
    const table = await readTable({ bytes: bytesOf('a~b\n1~2\n') }, { delimiter: '~' });
    expect(table.rows).toEqual([['1', '2']]);
  });

  it('with a quotation mark left open says in which row', async () => {
    const table = await tableOf('shot,prompt\n1,ok\n2,"never closed\n3,x\n');
    expect(told(table.defects)).toEqual(['error 3/ "": The quotation marks of this row do not match.']);
  });

  it('with text after a closing quotation mark says in which row', async () => {
    const table = await tableOf('shot,prompt\n1,"a" b\n2,c\n');
    expect(told(table.defects)).toContainEqual('error 2/ "": The quotation marks of this row do not match.');
  });

  it('reads across the pieces it is parsed in', async () => {
    const data = Array.from({ length: 4000 }, (_, n) => [`${n}`, `line one ${n}\r\nline "two", ${'é漢'.repeat(30)}`]);
    const table = await tableOf(Papa.unparse([['shot', 'prompt'], ...data], { newline: '\r\n' }));
    expect(table.rows).toEqual(data.map((row) => row.map((cell) => cell.replace('\r\n', '\n'))));
    expect(table.rowNumbers.at(-1)).toBe(4001);
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['blank lines', bytesOf('\n \n,,\n')],
  ])('of %s has no headers and no rows', async (_what, bytes) => {
    expect(await readTable({ bytes })).toMatchObject({ headers: [], rows: [], defects: [] });
  });

  it('never throws, whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const table = await readTable({ bytes });
        expect(table.rows.length).toBe(table.rowNumbers.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what is no list', () => {
  it.each([
    ['old.xls', [0xd0, 0xcf, 0x11, 0xe0, 0xa1], 'old.xls is an old Excel workbook (.xls), or one with a password.'],
    ['half.xlsx', [0x50, 0x4b, 0x03, 0x04, 1, 2, 3], 'half.xlsx is not a whole .xlsx workbook (INVALID_ZIP).'],
    ['x.bin', [...Array<number>(8).fill(0), 1, 2, 3, 0, 0, 0], 'x.bin is not a text.'],
  ])('%s is refused with a remedy', async (name, bytes, problem) => {
    const { defects } = await readTable({ bytes: Uint8Array.from(bytes), name });
    expect(inWords(defects)).toMatchObject([{ severity: 'error', row: 0, problem }]);
    expect(defects[0]?.remedy).saying(/\.$/);
  });

  it('is a file too large to be one', async () => {
    const bytes = { length: 200 * 1000 ** 2 + 1 } as Uint8Array;
    expect(inWords((await readTable({ bytes, name: 'huge.csv' })).defects)).toMatchObject([
      { problem: 'huge.csv is larger than 200 MB.', remedy: 'Split it into several lists, one batch each.' },
    ]);
  });

  it('is more rows than a batch may have', async () => {
    const { defects } = await readTable({ bytes: bytesOf(`a\n${'b\n'.repeat(1_100_000)}`) });
    expect(told(defects)).toEqual(['error 0/ "": The list has more than 250,000 rows.']);
  });
});

describe('a workbook', () => {
  const workbook = (data: SheetData) => writeWorkbook(data, { dateFormat: 'yyyy-mm-dd' }).toBuffer();

  it('gives each cell as the text a person sees', async () => {
    const at = (text: string, format: string) => ({ value: new Date(text), format });
    const bytes = await workbook([
      [null, null, null],
      ['shot', 'takes', 'other'],
      ['001', 5, true],
      [null, null, null],
      ['002', 0.1 + 0.2, false],
      ['x\r\ny', at('2026-03-01T00:00:00Z', 'yyyy-mm-dd'), at('2026-03-01T10:30:00Z', 'yyyy-mm-dd hh:mm')],
    ]);
    const table = await readTable({ bytes });
    expect(table).toMatchObject({
      format: 'xlsx',
      encoding: null,
      delimiter: null,
      headerRow: 2,
      rowNumbers: [3, 5, 6],
    });
    expect(table).toMatchObject({ emptyRows: 1, defects: [] });
    expect(table.rows).toEqual([
      ['001', '5', 'TRUE'],
      ['002', '0.3', 'FALSE'],
      ['x\ny', '2026-03-01', '2026-03-01T10:30:00'],
    ]);
  });

  it('gives a time of day, which is what 16:9 becomes, without a date', async () => {
    const bytes = await workbook([['aspect_ratio'], [{ value: 969 / 1440, type: Number, format: 'hh:mm' }]]);
    expect((await readTable({ bytes })).rows).toEqual([['16:09']]);
  });

  it('is read at the first sheet, or the one a person chooses', async () => {
    const bytes = await writeWorkbook([
      { data: [['a'], ['1']], sheet: 'Shots' },
      { data: [['b'], ['2']], sheet: 'Old' },
    ]).toBuffer();
    expect(await readTable({ bytes })).toMatchObject({ sheet: 'Shots', sheets: ['Shots', 'Old'], headers: ['a'] });
    expect(await readTable({ bytes }, { sheet: 'Old' })).toMatchObject({ sheet: 'Old', headers: ['b'] });
    const { defects } = await readTable({ bytes, name: 'l.xlsx' }, { sheet: 'None' });
    expect(inWords(defects)).toMatchObject([
      { problem: 'l.xlsx has no sheet “None”.', remedy: 'Use one of these: Shots, Old.' },
    ]);
  });

  it('is read at that sheet alone: what is in the others costs nothing', async () => {
    const sheets = [
      { data: [['a'], ['1']], sheet: 'Shots & more' },
      { data: [['b'], ['2']], sheet: 'Old' },
    ];
    const parts = unzipSync(await writeWorkbook(sheets).toBuffer());
    const bytes = zipSync({ ...parts, 'xl/worksheets/sheet2.xml': Buffer.from('<worksheet><broken') });
    expect(await readTable({ bytes })).toMatchObject({ sheet: 'Shots & more', rows: [['1']], defects: [] });
  });

  it('is refused before it is unpacked when it would become too large, whatever size it claims', async () => {
    const parts = unzipSync(await workbook([['a'], ['1']]));
    const large = new Uint8Array(65_000_000);
    const bytes = zipSync({ ...parts, 'xl/worksheets/sheet1.xml': large }, { level: 1 });
    expect(bytes.length).toBeLessThan(1_000_000);
    const { defects } = await readTable({ bytes, name: 'l.xlsx' });
    expect(inWords(defects)).toMatchObject([
      { severity: 'error', problem: 'l.xlsx is larger than 64 MB when it is unpacked.' },
    ]);
    // The same with a false size: no more memory is used than the claim allows.
    const told = Buffer.from(new Uint32Array([large.length]).buffer);
    for (let place = bytes.length; (place = Buffer.from(bytes.buffer).lastIndexOf(told, place - 1)) >= 0;)
      bytes.set([100, 0, 0, 0], place);
    const lying = await readTable({ bytes, name: 'l.xlsx' });
    expect(lying.defects).toMatchObject([{ severity: 'error' }]);
  });

  it('with more parts than any has is refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, part) => [`x/${part}.xml`, new Uint8Array()]));
    const { defects } = await readTable({ bytes: zipSync(many, { level: 0 }), name: 'l.xlsx' });
    expect(defects).toMatchObject([{ severity: 'error', row: 0 }]);
  });

  it('of LibreOffice is refused with what to do', async () => {
    const mimetype = Buffer.from('application/vnd.oasis.opendocument.spreadsheet');
    const bytes = zipSync({ mimetype: [mimetype, { level: 0 }], 'content.xml': Buffer.from('<office/>') });
    const { defects } = await readTable({ bytes, name: 'shots.ods' });
    expect(inWords(defects)).toMatchObject([
      {
        problem: 'shots.ods is an OpenDocument spreadsheet (.ods).',
        remedy: 'Choose a CSV, TSV or XLSX file, or save the list as one.',
      },
    ]);
  });

  it('that was cut off is refused', async () => {
    const bytes = await workbook([['a'], ['1']]);
    const { defects } = await readTable({ bytes: bytes.subarray(0, bytes.length - 200) });
    expect(defects).toMatchObject([{ severity: 'error', row: 0 }]);
  });
});
