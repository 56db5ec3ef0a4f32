import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { createManifestWriter, writeManifest } from '../../../src/engine/projects/manifest.ts';
import type { Output } from '../../../src/contract/take.ts';
import type { ManifestRow } from '../../../src/engine/projects/manifest.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { placeOf } from '../../support/places.ts';
import { silent, temporaryFolder, until } from '../downloads/support.ts';

const file: Output = {
  ...{ number: 1, file: 'Night/001_t1.png', bytes: 12, sha256: 'ab', format: 'png', verified: true },
};

const row = (job: Partial<ManifestRow['job']> = {}, output: Partial<Output> = {}): ManifestRow => ({
  job: {
    ...{ shot: '001', take: 1, state: 'saved', model: 'img-1', medium: 'still' },
    ...{ taskId: 't-1', traceId: 'tr-1', requestId: 'rq-1' },
    ...job,
  },
  output: { ...file, ...output },
});

const read = (folder: string): string => readFileSync(join(folder, 'manifest.csv'), 'utf8');

describe('a manifest', () => {
  it('is what spreadsheets open: a byte order mark, CRLF, one line for each output', async () => {
    const folder = join(temporaryFolder(), 'Night');
    await writeManifest({
      folder: placeOf(folder),
      rows: [row(), row({ medium: 'moving' }, { file: 'Night/001_t1_2.png', verified: false })],
    });
    expect(read(folder)).toBe(
      '\ufeffshot,take,state,file,bytes,sha256,model,task_id,trace_id,request_id,error,remark,from,error_message,stale,retake_of,note,final_of,in,out,frame_notes,' +
        'frame_rate,variable_rate,frames,seconds,start_timecode,width,height,channels,sample_rate\r\n' +
        '001,1,saved,Night/001_t1.png,12,ab,img-1,t-1,tr-1,rq-1,,,,,,,,,,,,,,,,,,,,\r\n' +
        '001,1,saved,Night/001_t1_2.png,12,ab,img-1,t-1,tr-1,rq-1,,not_verified; other_medium,,,,,,,,,,,,,,,,,,\r\n',
    );
    expect(readdirSync(folder)).toEqual(['manifest.csv']);
  });

  it('has what a file says of itself', async () => {
    const folder = temporaryFolder();
    const facts = {
      rate: { num: 30_000, den: 1001 },
      isVariable: true as const,
      frames: 96,
      seconds: 3.2,
      channels: 2,
    };
    const start = { timecode: { frame: 107_892, drop: true as const }, width: 1920, height: 1080, sampleRate: 48_000 };
    await writeManifest({ folder: placeOf(folder), rows: [row({}, { facts: { ...facts, ...start } })] });
    expect(readBack(folder)[0]).toMatchObject({
      ...{ frame_rate: '30000/1001', variable_rate: 'true', frames: '96', seconds: '3.2' },
      ...{ start_timecode: '01:00:00;00', width: '1920', height: '1080', channels: '2', sample_rate: '48000' },
    });
  });

  const readBack = (folder: string) =>
    Papa.parse<Record<string, string>>(read(folder).slice(1), { header: true, skipEmptyLines: true }).data;
  const FORMULA = /^\s*[=+\-@＝＋－＠]/;

  it('gives back every key and text as it was', async () => {
    const folder = temporaryFolder();
    const keys = ['a=b', "it's", "'quoted'", 'a,b', 'say "hi"', 'two\r\nlines', ' spaces ', 'ü 日本'];
    await writeManifest({ folder: placeOf(folder), rows: keys.map((shot) => row({ shot })) });
    expect(readBack(folder).map(({ shot }) => shot)).toEqual(keys);
  });

  it('lets no text of a list or of the service become a formula, whatever column it is in', async () => {
    const folder = temporaryFolder();
    const evil = '=HYPERLINK("http://x","click")';
    const failure = { code: evil, message: evil, remedy: '', cost: 'nothing', at: 1 } as const;
    const ofJob = ['shot', 'state', 'model', 'taskId', 'traceId', 'requestId'] as const;
    const rows = [
      ...ofJob.map((name) => row({ [name]: evil })),
      ...(['file', 'sha256'] as const).map((name) => row({}, { [name]: evil })),
      row({ failure }),
    ];
    await writeManifest({ folder: placeOf(folder), rows });
    const cells = readBack(folder).flatMap((line) => Object.values(line));
    expect(cells.filter((cell) => FORMULA.test(cell))).toEqual([]);
    expect(cells.filter((cell) => cell === `'${evil}`)).toHaveLength(rows.length + 1);
  });

  it('keeps every text apart from every other, so that the apostrophe can be taken away again', async () => {
    const text = fc.string({ unit: fc.constantFrom("'", '=', '-', '@', '＝', ' ', '\t', '\r', '\n', 'a') });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (keys) => {
        const folder = temporaryFolder();
        await writeManifest({ folder: placeOf(folder), rows: keys.map((shot) => row({ shot })) });
        const cells = readBack(folder).map(({ shot = '' }) => shot);
        expect(cells.filter((cell) => FORMULA.test(cell))).toEqual([]);
        expect(cells.map((cell) => (/^'+\s*[=+\-@＝＋－＠]/.test(cell) ? cell.slice(1) : cell))).toEqual(keys);
      }),
      { numRuns: 100 },
    );
  });

  it('of thousands of rows has each of them once', async () => {
    const folder = temporaryFolder();
    const rows = Array.from({ length: 2500 }, (_, index) => row({ shot: String(index) }));
    await writeManifest({ folder: placeOf(folder), rows });
    const lines = read(folder).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2501);
    expect(new Set(lines).size).toBe(2501);
  });
});

describe('keeping manifests up to date', () => {
  /** `cost`: how long (by the clock) putting the rows together takes. */
  function keeper({ cost = 0 } = {}) {
    const clock = new FakeClock();
    const folder = temporaryFolder();
    let loads = 0;
    const state = { rows: 0, folder, onceRead: (): void => undefined };
    const writer = createManifestWriter({ clock, logger: silent }, () => {
      loads += 1;
      clock.advance(cost);
      const rows = Array.from({ length: state.rows }, (_, index) => row({ shot: String(index) }));
      state.onceRead();
      return Promise.resolve({ folder: placeOf(state.folder), rows });
    });
    return {
      clock,
      state,
      writer,
      loads: () => loads,
      asleep: () => until(() => clock.nextWakeAt() !== null),
      written: () => read(state.folder).trimEnd().split('\r\n').length - 1,
    };
  }

  it('gathers many changes into one writing', async () => {
    const { clock, state, writer, loads, written } = keeper();
    for (state.rows = 0; state.rows < 100; state.rows += 1) writer.touch('night');
    clock.advance(1000);
    await until(() => loads() === 1);
    await writer.flush();
    expect(loads()).toBe(1);
    expect(written()).toBe(100);
  });

  it('spends at most a twentieth of the time on it', async () => {
    const { clock, writer, loads, asleep } = keeper({ cost: 1000 });
    writer.touch('night');
    clock.advance(1000);
    await until(() => loads() === 1);
    writer.touch('night');
    await asleep();
    clock.advance(19_000);
    expect(loads()).toBe(1);
    clock.advance(1000);
    await until(() => loads() === 2);
    await writer.flush();
  });

  it('writes what is due at once when it is flushed', async () => {
    const { state, writer, written } = keeper();
    state.rows = 3;
    writer.touch('night');
    await writer.flush();
    expect(written()).toBe(3);
  });

  it('writes what changes while it is flushed, and what changes after that', async () => {
    const { clock, state, writer, loads, asleep, written } = keeper();
    const change = (): void => {
      state.rows += 1;
      writer.touch('night');
    };
    state.onceRead = () => {
      if (loads() === 1) change();
    };
    change();
    await writer.flush();
    expect(written()).toBe(1);
    for (const rows of [2, 3]) {
      await asleep();
      clock.advance(1000);
      await until(() => loads() === rows && written() === rows);
      change();
    }
    await writer.flush();
  });

  it('writes nothing when nothing has changed', async () => {
    const { writer, loads } = keeper();
    writer.touch('night');
    await writer.flush();
    await writer.flush();
    expect(loads()).toBe(1);
  });

  it('writes one that could not be written when it can be', async () => {
    const { state, writer, written } = keeper();
    const target = state.folder;
    mkdirSync(join(target, 'manifest.csv', 'in the way'), { recursive: true });
    writer.touch('night');
    await writer.flush();
    state.folder = join(target, 'free');
    state.rows = 1;
    await writer.flush();
    expect(written()).toBe(1);
  });
});
