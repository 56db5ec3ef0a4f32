import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { describe, expect, it, onTestFinished } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { plainText } from '../../src/cli/output/text.ts';
import { kindSpecs } from '../../src/contract/kinds/index.ts';
import { sharedColumns } from '../../src/contract/kinds/shared.ts';
import { Settings } from '../../src/contract/settings.ts';
import { Recipe } from '../../src/contract/take.ts';
import { parseServiceAddress } from '../../src/engine/api/address.ts';
import { answerFor, complaintFor, traceIdsFor } from '../../src/engine/api/answer.ts';
import { parseRetryAfter } from '../../src/engine/api/retry.ts';
import { readCapabilities } from '../../src/engine/api/resources/models.ts';
import { readModels, readTask } from '../../src/engine/api/wire-schemas.ts';
import { readCell } from '../../src/engine/batches/cells.ts';
import { planColumns } from '../../src/engine/batches/columns.ts';
import { judgeMedium } from '../../src/engine/batches/check-references.ts';
import { savedForm } from '../../src/engine/batches/plan-import.ts';
import { readTable } from '../../src/engine/batches/read-table.ts';
import { readXlsx } from '../../src/engine/batches/read-xlsx.ts';
import { tableOfRow, type Table } from '../../src/engine/batches/table.ts';
import { checkList } from '../../src/engine/batches/validate.ts';
import { classifyResponse } from '../../src/engine/downloads/outcomes.ts';
import { isText, looksLikeJson, looksLikePage, looksLikeSvg } from '../../src/engine/downloads/verify.ts';
import { safeName, takeStem, templateProblem } from '../../src/engine/downloads/take-path.ts';
import { readRecipes } from '../../src/engine/projects/recipe-file.ts';
import { withoutEnd } from '../../src/engine/base/trim-end.ts';
import { toRedactor } from '../../src/host/diagnostics.ts';
import { readSettings } from '../../src/host/settings-file.ts';
import { isNightly } from '../support/chance.ts';
import { gathered } from './projects/support.ts';

/** Pieces that expressions repeat, alone and between others: what holds a reader up repeats something. */
const PIECES = [...' 0a.,;"/\\:@{\n\r\u0301日', '\u001B[', '",', '"x', '{a}', '<row/>', '&#1;'];

/** A text of about `length` characters around a repeated piece; what follows keeps an expression from ending well. */
const attacks = (length: number): string[] =>
  PIECES.flatMap((piece) => {
    const run = piece.repeat(Math.ceil(length / piece.length));
    return [`${run}!`, `param.${run}!`, `"${run}`, `http://${run}!`];
  });

/** Processor time of this thread alone, ms: the machine may be busy. */
async function spent(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** A square of these lengths takes seconds; what is done within this time needs no closer look, ms. */
const AT_ONCE_MS = 100;

/** Four times the text may take eight times as long, which is far from sixteen times. */
async function expectLinear(length: number, read: (text: string) => unknown): Promise<void> {
  const shorter = attacks(length / 4);
  for (const [place, text] of attacks(length).entries()) {
    if ((await spent(() => read(text))) < AT_ONCE_MS) continue;
    const shortMs = await spent(() => read(shorter[place] ?? ''));
    const longMs = await spent(() => read(text));
    expect(longMs, `${JSON.stringify(text.slice(0, 24))} … of ${text.length}`).toBeLessThan(8 * shortMs + AT_ONCE_MS);
  }
}

const CELL = 32_000;
const LONGER_THAN_HASHED = 17_000;
const TEXT = 80_000;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const columns = [...sharedColumns, ...Object.values(kindSpecs).flatMap(({ parameters }) => parameters)];
const asked = { offset: 10, etag: '"a"', length: 100, maxBytes: 1000, host: 'host', now: 0 };

describe('texts from elsewhere are read in time that grows no faster than they do @night', () => {
  const types = new Map(columns.map((column) => [column.type, column]));
  it.each([...types])('cells of the type %s', async (_type, column) => {
    await expectLinear(CELL, (text) => readCell(column, text));
  });

  it('headers', async () => {
    await expectLinear(TEXT, (text) => planColumns({ headers: ['model', 'prompt', text], headerRow: 1 }));
    const many = (count: number) =>
      Array.from({ length: count }, (_, column) => `${'x'.repeat(LONGER_THAN_HASHED)}${column + 1e6}`);
    const plan = (count: number) => spent(() => planColumns({ headers: many(count), headerRow: 1 }));
    expect(await plan(2000)).toBeLessThan(8 * (await plan(500)) + AT_ONCE_MS);
  });

  it('rows with every text in every column', async () => {
    const headers = ['shot', 'kind', 'model', 'prompt', 'first_frame', 'references', 'param.a', 'param.b:json', 'my'];
    const context = { listFolder: '/nowhere' };
    await expectLinear(CELL, async (text) => {
      const row = headers.map((header) => (header === 'kind' ? 'video' : text));
      const table = await readTable({ bytes: bytesOf('model,prompt\n') });
      await checkList({ ...table, headers, rows: [row], rowNumbers: [2] }, context);
    });
  });

  it('many long cells of equal length, which V8 hashes alike', async () => {
    const context = { listFolder: '/nowhere' };
    const table = (rows: number, { kind, header, form }: { kind: string; header: string; form: string }): Table => ({
      ...tableOfRow(header === 'model' ? ['kind', header] : ['kind', header, 'model'], []),
      rows: Array.from({ length: rows }, (_, row) => [
        kind,
        form.replace('…', `${'x'.repeat(LONGER_THAN_HASHED)}${String(row).padStart(6, '0')}`),
        'm',
      ]),
      rowNumbers: Array.from({ length: rows }, (_, row) => row + 2),
    });
    const ofMedia = ['…', 'asset://…', 'shot://…', 'https://e.test/…'];
    const columns = Object.entries(kindSpecs).flatMap(([kind, { parameters }]) =>
      [...new Map([...sharedColumns, ...parameters].map((column) => [column.type, column])).values()].flatMap(
        (column) =>
          (column.type.startsWith('media') ? ofMedia : ['…', '[{"alias":"…"}]']).map((form) => ({
            ...{ kind, header: column.name, form },
          })),
      ),
    );
    const few = ['shot', 'model', 'group', 'image', 'my', 'param.a'].map((header) => ({
      ...{ kind: 'video', header, form: '…' },
    }));
    for (const column of isNightly ? [...few, ...columns] : few) {
      const check = (rows: number) => spent(() => checkList(table(rows, column), context));
      const longMs = await check(800);
      if (longMs < AT_ONCE_MS) continue;
      expect(longMs, JSON.stringify(column)).toBeLessThan(8 * (await check(200)) + AT_ONCE_MS);
    }
  });

  it('references to media', async () => {
    const use = { column: 'image', media: 'image', sentAs: 'address', role: 'reference_image' } as const;
    await expectLinear(TEXT, (cell) => judgeMedium({ ...use, cell }, { listFolder: '/nowhere' }));
  });

  it('lists as text, with their delimiter and their encoding', async () => {
    await expectLinear(TEXT, (text) => readTable({ bytes: bytesOf(`model,prompt\n${text}\n`) }));
    await expectLinear(TEXT, (text) => readTable({ bytes: bytesOf(text) }));
    await expectLinear(TEXT, (text) => readTable({ bytes: Buffer.from(`é${text}`, 'latin1') }));
  });

  it('workbooks, in each of their parts', async () => {
    const parts = unzipSync(await writeWorkbook([['a'], ['1']]).toBuffer());
    const cell = (text: string) => `<row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c>`;
    const withText: Record<string, (text: string) => string> = {
      'xl/workbook.xml': (text) => `<workbook><sheets><sheet name="${text}" sheetId="1" r:id="rId1"/></sheets>${text}`,
      'xl/worksheets/sheet1.xml': (text) => `<worksheet><sheetData>${cell(text)}${text}<row/><c r="${text}"/>`,
      'xl/sharedStrings.xml': (text) => `<sst><si><t>${text}</t></si>${text}`,
      'xl/styles.xml': (text) => `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${text}"/></numFmts>${text}`,
    };
    for (const [part, write] of Object.entries(withText)) {
      await expectLinear(CELL, (text) =>
        readXlsx(zipSync({ ...parts, [part]: bytesOf(write(text)) }, { level: 0 }), 'list'),
      );
    }
  });

  it('recipes and settings', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dailies-linear-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, '.dailies', 'takes'), { recursive: true });
    const everywhere = (names: readonly string[], text: string) =>
      JSON.stringify(Object.fromEntries(names.map((name) => [name, text])));
    await expectLinear(CELL, async (text) => {
      for (const content of [text, everywhere(Object.keys(Recipe.shape), text)]) {
        writeFileSync(join(folder, '.dailies', 'takes', 'take.json'), content);
        expect((await gathered(readRecipes(folder))).problems).toHaveLength(1);
      }
    });
    await expectLinear(CELL, (text) => {
      for (const content of [text, everywhere(Object.keys(Settings.shape), text)]) {
        writeFileSync(join(folder, 'settings.json'), content);
        expect(() => readSettings(folder)).toThrow();
      }
    });
  });

  it('what a spreadsheet program would have saved', async () => {
    await expectLinear(TEXT, (text) => savedForm(text));
  });

  it('answers of the service', async () => {
    const redact = (text: string) => text;
    await expectLinear(TEXT, (text) => {
      const body = Buffer.from(JSON.stringify({ error: { message: text, code: text }, id: text, status: text }));
      const answer = answerFor(400, { 'content-type': text, 'x-request-id': text }, [body]);
      complaintFor(answer, redact);
      traceIdsFor(answer, redact);
      readTask({ id: text, status: text, output: [{ type: text, url: text }] }, () => false);
      readModels({ data: [{ id: text }] });
      readCapabilities({ [text]: [text], sizes: [text], capabilities: { [text]: { [text]: [text] } } });
    });
  });

  it('headers of answers', async () => {
    await expectLinear(TEXT, (text) => {
      parseRetryAfter(text, 0);
      parseRetryAfter(`Mon, ${text}`, 0);
      const headers = { 'content-range': `bytes ${text}`, 'content-length': text, 'content-type': text, etag: text };
      classifyResponse(206, headers, asked);
      for (const look of [looksLikePage, looksLikeJson, looksLikeSvg, isText]) look(Buffer.from(text));
    });
  });

  it('names of files, and templates of names', async () => {
    const shot = {
      key: 'a',
      kind: 'image',
      model: 'm',
      prompt: '',
      takes: 1,
      params: {},
      extra: {},
      columns: {},
      priority: 0,
    } as const;
    await expectLinear(TEXT, (text) => {
      safeName(text);
      templateProblem(text);
      takeStem({ template: text, shot, batch: 'night', take: 1 });
      takeStem({
        template: '{shot}_{a}_{batch}',
        shot: { ...shot, key: text, columns: { a: text } },
        batch: text,
        take: 1,
      });
    });
  });

  it('addresses of the service', async () => {
    await expectLinear(TEXT, (text) => {
      try {
        parseServiceAddress(`https://host/${text}`);
      } catch {
        // Most of them are none.
      }
    });
  });

  it('output and log', async () => {
    const redact = toRedactor({ keys: ['k'.repeat(40)], homeFolder: '/home/someone' });
    await expectLinear(TEXT, (text) => [plainText(text), redact(text), withoutEnd(text, /\s/)]);
  });
});
