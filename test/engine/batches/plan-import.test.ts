import fc from 'fast-check';
import iconv from 'iconv-lite';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { contentHash, planImport } from '../../../src/engine/batches/plan-import.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { shotOf } from '../kinds/support.ts';
import { bytesOf } from './support.ts';

const shot = (key: string, given: Partial<ShotSpec> = {}) => shotOf({ kind: 'video', key, ...given });
const stored = (...shots: ShotSpec[]) => shots.map((spec) => ({ key: spec.key, spec }));

describe('a re-import', () => {
  it('shows what is new, changed, unchanged and removed', async () => {
    const before = stored(shot('1'), shot('2'), shot('3'));
    const list = [shot('3'), shot('2', { prompt: 'other' }), shot('4')];
    expect(await planImport(before, list)).toEqual({
      added: [shot('4')],
      changed: [shot('2', { prompt: 'other' })],
      unchanged: [shot('3')],
      removed: ['1'],
    });
  });

  it('takes everything as new the first time', async () => {
    expect(await planImport([], [shot('1')])).toEqual({ added: [shot('1')], changed: [], unchanged: [], removed: [] });
  });

  it('counts takes, notes, priority, names and other columns as no change, but takes them over', async () => {
    const edited = shot('1', { takes: 3, priority: 2, notes: 'n', fileName: 'f', columns: { Scene: 'two' } });
    const before = stored(shot('1', { notes: 'old', columns: { Scene: 'one' } }));
    expect((await planImport(before, [edited])).unchanged).toEqual([edited]);
    expect((await planImport(before, [shot('1')])).unchanged).toEqual([shot('1')]);
  });

  it('knows a key that lost its zeros, and keeps the stored one', async () => {
    const plan = await planImport(stored(shot('001'), shot('010')), [shot('1'), shot('10', { prompt: 'new' })]);
    expect(plan.unchanged.map(({ key }) => key)).toEqual(['001']);
    expect(plan.changed.map(({ key }) => key)).toEqual(['010']);
    expect(plan).toMatchObject({ added: [], removed: [] });
  });

  it('does not guess which key lost its zeros', async () => {
    const plan = await planImport(stored(shot('01'), shot('001')), [shot('1')]);
    expect(plan.added.map(({ key }) => key)).toEqual(['1']);
    expect(plan.removed).toEqual(['01', '001']);
  });

  it('prefers the very same key', async () => {
    const plan = await planImport(stored(shot('1'), shot('001')), [shot('1'), shot('001')]);
    expect(plan.unchanged.map(({ key }) => key)).toEqual(['1', '001']);
  });

  it('always accounts for every shot, once', async () => {
    const key = fc.constantFrom('1', '01', '001', '2', '02', 'a', 'A', '1.0', 'true', 'TRUE');
    const prompt = fc.constantFrom('p', 'q');
    const shots = fc.uniqueArray(fc.record({ key, prompt }), { selector: (each) => each.key });
    await fc.assert(
      fc.asyncProperty(shots, shots, async (before, list) => {
        const specs = (rows: typeof before) => rows.map((row) => shot(row.key, { prompt: row.prompt }));
        const { added, changed, unchanged, removed } = await planImport(stored(...specs(before)), specs(list));
        expect(added.length + changed.length + unchanged.length).toBe(list.length);
        const present = [...changed, ...unchanged].map((spec) => spec.key);
        expect([...present, ...removed].sort()).toEqual(before.map((row) => row.key).sort());
        expect(new Set(added.map((spec) => spec.key)).size).toBe(added.length);
      }),
    );
  });
});

describe('the content of a shot', () => {
  const hash = (given: Partial<ShotSpec>) => contentHash(shot('1', given));

  it('is what decides how it comes out', () => {
    const different: Partial<ShotSpec>[] = [
      {},
      { kind: 'image' },
      { model: 'n' },
      { prompt: 'q' },
      { group: 'g' },
      { params: { duration: 5 } },
      { params: { duration: 6 } },
      { params: { size: '5' } },
      { params: { references: [{ media_type: 'image', role: 'first_frame', url: 'a' }] } },
      { params: { reference_images: ['a', 'b'] } },
      { params: { reference_images: ['b', 'a'] } },
      { extra: { seed: '7' } },
      { extra: { seed: '8' } },
    ];
    expect(new Set(different.map(hash)).size).toBe(different.length);
  });

  it('does not depend on the order of columns', () => {
    expect(hash({ params: { a: 1, b: 'x' } })).toBe(hash({ params: { b: 'x', a: 1 } }));
    expect(hash({ extra: { a: '1', b: 'x' } })).toBe(hash({ extra: { b: 'x', a: '1' } }));
  });

  it('is told apart from the same values in another place', () => {
    expect(hash({ params: { a: 'x' } })).not.toBe(hash({ extra: { a: 'x' } }));
  });

  it.each([
    ['true', 'TRUE'],
    ['5.0', '5'],
    ['0.50', '0.5'],
    ['007', '7'],
    ['two\r\nlines', 'two\nlines'],
    ['end  ', 'end'],
  ])('is the same for %j and %j, which spreadsheets do not tell apart', (a, b) => {
    expect(hash({ extra: { x: a } })).toBe(hash({ extra: { x: b } }));
  });
});

describe('saving the list in Excel and importing it again', () => {
  /** What Excel makes of a cell that it takes for a number, a boolean or a time of day. */
  const savedByExcel = (cell: string): string => {
    if (/^[+-]?\d+(\.\d+)?$/.test(cell) && cell.length <= 15) return String(Number(cell));
    if (/^(true|false)$/i.test(cell)) return cell.toUpperCase();
    const time = /^(\d{1,2}):(\d{1,2})$/.exec(cell);
    return time === null ? cell : `${time[1] ?? ''}:${(time[2] ?? '').padStart(2, '0')}`;
  };

  const words = fc
    .array(fc.constantFrom('a', 'slow,', '"shot"', 'of;', 'the\nsea', '漢字', '007', 'é|'), {
      minLength: 2,
      maxLength: 6,
    })
    .map((parts) => `x ${parts.join(' ')}`);
  const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: '' });
  const row = fc.record({
    kind: fc.constantFrom('', 'Video'),
    model: fc.constantFrom('vgen-2.0-nt', 'vgen-2.0-cl-fast'),
    prompt: words,
    takes: fc.constantFrom('', '1', '2.0', '03'),
    duration: fc.constantFrom('', '5', '5.0', '-1', '4s'),
    aspect_ratio: fc.constantFrom('', '16:9', '9:16', '1:1', '4:3', '21:9'),
    generate_audio: fc.constantFrom('', 'true', 'False', 'yes', '0'),
    reference_images: maybe(fc.constantFrom('Asset://1', 'Asset://1;Asset://2')),
    mode: fc.constantFrom('', '001', '1.50', 'true', 'std'),
    'param.seed': fc.constantFrom('', '007', '7.0', 'TRUE', 'false', ' 5 '),
    'param.x:json': fc.constantFrom('', '[1, 2]', '1.0', 'true'),
    Scene: fc.constantFrom('', '04', '4', '3.10', 'x'),
    notes: maybe(words),
  });
  const keys = fc.constantFrom(
    (n: number) => String(n).padStart(4, '0'),
    (n: number) => `S${n}`,
    (n: number) => String(n),
  );

  async function listOf(cells: readonly Record<string, string>[]) {
    const table = await readTable({ bytes: bytesOf(Papa.unparse([...cells], { newline: '\n' })) });
    return checkList(table, { listFolder: '/nowhere' });
  }

  const list = fc
    .tuple(keys, fc.array(row, { minLength: 1, maxLength: 6 }))
    .map(([key, rows]) => rows.map((cells, n) => ({ shot: key(n + 1), ...cells })));

  it('changes nothing, as CSV with a mark, semicolons and empty columns', async () => {
    await fc.assert(
      fc.asyncProperty(list, async (cells) => {
        const { shots, defects } = await listOf(cells);
        expect(defects).toEqual([]);
        const header = [...Object.keys(cells[0] ?? {}), '', ''];
        const data = cells.map((each) => [...Object.values(each).map((cell) => savedByExcel(cell.trim())), '', '']);
        const text = Papa.unparse([header, ...data, header.map(() => '')], { delimiter: ';', newline: '\r\n' });
        const saved = await readTable({ bytes: iconv.encode(text, 'utf-8', { addBOM: true }) });
        const again = await checkList(saved, { listFolder: '/nowhere' });
        expect(again.defects).toEqual([]);
        expect(await planImport(stored(...shots), again.shots)).toEqual({
          added: [],
          changed: [],
          unchanged: shots,
          removed: [],
        });
      }),
      { numRuns: 100 },
    );
  });

  it('changes nothing, as a workbook', async () => {
    const typed = (cell: string) => {
      const text = savedByExcel(cell.trim());
      const time = /^(\d+):(\d+)$/.exec(text);
      if (time !== null) {
        const day = (Number(time[1]) * 60 + Number(time[2])) / 1440;
        return { value: day, type: Number, format: 'hh:mm' };
      }
      if (/^(TRUE|FALSE)$/.test(text)) return text === 'TRUE';
      if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text);
      return text === '' ? null : text;
    };
    await fc.assert(
      fc.asyncProperty(list, async (cells) => {
        const { shots } = await listOf(cells);
        const data = [Object.keys(cells[0] ?? {}), ...cells.map((each) => Object.values(each).map(typed))];
        const again = await checkList(await readTable({ bytes: await writeWorkbook(data).toBuffer() }), {
          listFolder: '/',
        });
        expect(again.defects).toEqual([]);
        expect(await planImport(stored(...shots), again.shots)).toMatchObject({ added: [], changed: [], removed: [] });
      }),
      { numRuns: 15 },
    );
  });
});
