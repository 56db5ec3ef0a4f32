import fc from 'fast-check';
import type { Rate } from '../../../src/contract/rate.ts';
import { layOut, type CutFile, type CutTake, type Timeline } from '../../../src/contract/timeline.ts';
import type { Verdict } from '../../../src/contract/verdict.ts';

const SOUND = { seconds: 90, channels: 2, sampleRate: 44_100 };

/** Rates of films as editors meet them. */
export const RATES: readonly Rate[] = [
  { num: 24_000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 30, den: 1 },
  { num: 60, den: 1 },
];

/** Keys of shots with what breaks paths, XML, CSV and addresses; `é` composed and not. */
export const KEYS: readonly string[] = [
  ...[
    "Ada's",
    '100%',
    '#7',
    'A & B',
    '<tag>',
    'two  spaces',
    '海辺の朝',
    'caf\u00E9',
    'cafe\u0301',
    '"q"',
    '한글',
    'a|b',
  ],
  ...['..', 'CON', '=1+1', 'x'.repeat(300), '🎬', 'a/b\\c:d', '\u0001'],
];

const rate = fc.constantFrom(...RATES);
const text = fc.oneof(fc.constantFrom(...KEYS, ''), fc.string({ unit: 'grapheme', maxLength: 40 }));

const file = (output: number): fc.Arbitrary<CutFile> =>
  fc
    .record({
      format: fc.constantFrom('mp4' as const, 'mp4' as const, 'webm' as const, 'png' as const, 'wav' as const),
      rate,
      frames: fc.integer({ min: 1, max: 700 }),
      timecode: fc.option(fc.record({ frame: fc.nat(200_000) }), { nil: undefined }),
      channels: fc.option(fc.constantFrom(1, 2, 6), { nil: undefined }),
      isVariable: fc.option(fc.constant(true as const), { nil: undefined, freq: 8 }),
      seconds: fc.integer({ min: 1, max: 20 }),
    })
    .map(({ format, ...facts }) => ({
      ...{ output, format, name: `${output}.${format}`, sha256: 'f'.repeat(64), bytes: 1 },
      facts: { width: 1280, height: 720, sampleRate: 48_000, ...facts },
    }));

const verdict: fc.Arbitrary<Verdict> = fc
  .record({
    mark: fc.tuple(fc.nat(300), fc.nat(400)),
    at: fc.nat(300),
    note: text,
    rating: fc.nat(5),
    isMarked: fc.boolean(),
  })
  .map(({ mark: [from, length], at, note, rating: stars, isMarked }) => ({
    ...{ rating: stars, flag: 'pick' as const, note },
    ...(isMarked && { marks: [{ output: 1, in: from, out: from + length + 1 }] }),
    notes: [{ id: '1', output: 1, from: at, text: note }],
  }));

const take = fc.record({ verdict, file: file(1), number: fc.integer({ min: 1, max: 40 }) });

/** Cuts of every kind of file, with marks, alternates, slates and music, as they are laid out. */
export const timelines: fc.Arbitrary<Timeline> = fc
  .record({
    name: text.filter((each) => each !== ''),
    rate,
    clips: fc.array(
      fc.record({
        key: text.filter((each) => each !== ''),
        take: fc.option(take, { freq: 6 }),
        alternates: fc.array(take, { maxLength: 2 }),
        trim: fc.option(fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 100 })), { nil: undefined }),
        enabled: fc.integer({ min: 0, max: 9 }).map((each) => each > 0),
      }),
      { minLength: 1, maxLength: 40 },
    ),
    music: fc.array(fc.record({ in: fc.nat(20), gain: fc.integer({ min: -20, max: 6 }) }), { maxLength: 1 }),
  })
  .map(({ name, rate: cutRate, clips, music }) => {
    const takes = new Map<string, CutTake>();
    const keep = (id: string, given: { verdict: Verdict; file: CutFile; number: number }): string => {
      takes.set(id, { takeId: id, take: given.number, verdict: given.verdict, files: [given.file] });
      return id;
    };
    const cut = clips.map(({ key, take: pick, alternates, trim, enabled }, index) => ({
      ...{ id: String(index + 1), shot: { batchId: 'b', key }, output: 1, enabled },
      take: pick === null ? null : keep(`p${index}`, pick),
      alternates: alternates.map((each, at) => keep(`a${index}-${at}`, { ...each, number: 50 + at })),
      ...(trim && { in: trim[0], out: trim[0] + trim[1] }),
    }));
    const songs = music.map((each, index) => ({
      ...{
        id: String(index),
        source: { type: 'file', sha256: 'e'.repeat(64), name: "It's #1.wav", facts: SOUND } as const,
      },
      ...each,
    }));
    return layOut(
      { name, rate: cutRate, clips: cut, music: songs },
      {
        take: (id) => takes.get(id) ?? null,
        shot: ({ key }) => ({ batch: 'Day 1', text: key }),
        music: () => ({ bytes: 1, format: 'wav' }),
      },
    );
  });
