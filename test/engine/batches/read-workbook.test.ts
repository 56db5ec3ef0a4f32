import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { readTable, readWorkbook } from '../../../src/engine/batches/read-table.ts';
import { bytesOf, told } from './support.ts';

const parts = unzipSync(await writeWorkbook([['a'], ['1']]).toBuffer());
const sharedCell = (address: string) => `<c r="${address}" t="s"><v>0</v></c>`;

/** A workbook whose cells all show one text, which lies in it once. */
function workbookOf(rows: string, text = 'x'): Uint8Array {
  return zipSync(
    {
      ...parts,
      'xl/worksheets/sheet1.xml': bytesOf(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
      'xl/sharedStrings.xml': bytesOf(`<sst><si><t>${text}</t></si></sst>`),
    },
    { level: 1 },
  );
}

const twoCellsFarApart = workbookOf(
  `<row r="1">${sharedCell('A1')}</row><row r="1048576">${sharedCell('XFD1048576')}</row>`,
);

/** What is read, and how much larger our own heap is after that, MB. */
async function grownBy<Read>(read: () => Promise<Read>): Promise<{ read: Read; grownMb: number }> {
  const before = process.memoryUsage().heapUsed;
  const result = await read();
  return { read: result, grownMb: (process.memoryUsage().heapUsed - before) / 1000 ** 2 };
}

describe('a workbook made to do harm', () => {
  it('that needs more memory than its process has becomes a defect, and costs us none', async () => {
    expect(twoCellsFarApart.length).toBeLessThan(5000);
    const { read, grownMb } = await grownBy(() => readTable({ bytes: twoCellsFarApart, name: 'l.xlsx' }));
    expect(read).toMatchObject({
      rows: [],
      defects: [
        {
          severity: 'error',
          problem: expect.saying('Reading l.xlsx needs more memory or time than a list should.') as unknown,
          remedy: expect.saying('Save the sheet with the shots as CSV.') as unknown,
        },
      ],
    });
    expect(grownMb).toBeLessThan(16);
  });

  it.each(['20000000', '2e7', '0x1312D00', '&#50;0000000'])('with a row %s is refused', async (row) => {
    const bytes = workbookOf(`<row r="${row}">${sharedCell('A1')}</row>`);
    const { read, grownMb } = await grownBy(() => readTable({ bytes }));
    expect(told(read.defects)).toEqual(['error 0/ "": The list has more than 250,000 rows.']);
    expect(grownMb).toBeLessThan(16);
  });

  it('that takes longer than its time becomes a defect', async () => {
    const request = { bytes: twoCellsFarApart, list: 'l.xlsx', sheet: undefined };
    const tooSlow = AbortSignal.abort(new DOMException('', 'TimeoutError'));
    const { defects } = await readWorkbook(request, () => tooSlow);
    expect(told(defects)).toEqual(['error 0/ "": Reading l.xlsx needs more memory or time than a list should.']);
  });

  it('that shows one long text in every row is refused before the rows reach us', async () => {
    const rows = Array.from({ length: 3000 }, (_, row) => `<row r="${row + 1}">${sharedCell(`A${row + 1}`)}</row>`);
    const bytes = workbookOf(rows.join(''), 'x'.repeat(32_000));
    expect(bytes.length).toBeLessThan(100_000);
    const { read, grownMb } = await grownBy(() => readTable({ bytes, name: 'l.xlsx' }));
    expect(read).toMatchObject({
      rows: [],
      defects: [{ problem: expect.saying('l.xlsx is larger than 64 MB when it is unpacked.') as unknown }],
    });
    expect(grownMb).toBeLessThan(16);
  });

  it(
    'that is as large as one may be is read, and costs us no more than its table @night',
    { timeout: 60_000 },
    async () => {
      const strings = 'x</t></si><si><t>'.repeat(3_700_000);
      expect(strings.length).toBeGreaterThan(62_000_000);
      const bytes = workbookOf(`<row r="1">${sharedCell('A1')}</row>`, strings);
      const { read, grownMb } = await grownBy(() => readTable({ bytes }));
      expect(read).toMatchObject({ headers: ['x'], rows: [], defects: [] });
      expect(grownMb).toBeLessThan(16);
    },
  );

  it('with more columns than any spreadsheet has is refused', async () => {
    const { defects } = await readTable({
      bytes: workbookOf(`<row r="1">${sharedCell('A1')}${sharedCell('ZZZZ1')}</row>`),
    });
    expect(told(defects)).toEqual(['error 0/ "": The row has more than 16,384 cells.']);
  });

  it('finds no module in its process that opens a connection, a file or a process', () => {
    const source = resolve(import.meta.dirname, '../../../src/engine/batches/workbook-reader.ts');
    expect([...packagesOf(source)].sort()).toEqual(['fflate', 'node:worker_threads', 'read-excel-file/universal']);
  });
});

it('a workbook of many rows arrives whole, in order', async () => {
  const numbers = Array.from({ length: 1203 }, (_, row) => row + 1);
  const rows = numbers.map((row) => `<row r="${row}"><c r="A${row}"><v>${row}</v></c></row>`);
  const table = await readTable({ bytes: workbookOf(rows.join('')) });
  expect(table.headers).toEqual(['1']);
  expect(table.rows).toEqual(numbers.slice(1).map((row) => [String(row)]));
  expect(table.rowNumbers).toEqual(numbers.slice(1));
});

/** What a source file and those of ours that it loads import besides. Types are not loaded. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return new Set();
  seen.add(file);
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { verbatimModuleSyntax: true, target: ts.ScriptTarget.ESNext },
  });
  const names = ts.preProcessFile(outputText).importedFiles.map(({ fileName }) => fileName);
  return new Set(
    names.flatMap((name) => (name.startsWith('.') ? [...packagesOf(resolve(dirname(file), name), seen)] : [name])),
  );
}
