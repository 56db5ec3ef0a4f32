import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMissingPicks,
  missingPicks,
  addClips,
  addMusic,
  chooseTake,
  Cut,
  cutFromPicks,
  moveClip,
  removeClips,
  setEnabled,
  trimClip,
  type NewClip,
} from '../../src/contract/cut.ts';
import type { Rate } from '../../src/contract/rate.ts';
import { layOut, type CutFile, type CutLookup, type CutTake } from '../../src/contract/timeline.ts';
import { noVerdict, type Verdict } from '../../src/contract/verdict.ts';

const PAL: Rate = { num: 25, den: 1 };
const FILM: Rate = { num: 24_000, den: 1001 };
const clip = (take: string | null, more: Partial<NewClip> = {}): NewClip => ({
  ...{ shot: { batchId: 'b', key: take ?? 'none' }, take, output: 1, enabled: true, alternates: [] },
  ...more,
});
const empty: Cut = { name: 'Cut', rate: PAL, clips: [], music: [] };
const film = (frames: number, rate = PAL, facts: CutFile['facts'] = {}): CutFile => ({
  ...{ output: 1, name: 'a.mp4', sha256: 'a', bytes: 1, format: 'mp4' },
  facts: { rate, frames, ...facts },
});
const lookup = (
  takes: Readonly<Record<string, CutFile>>,
  verdicts: Readonly<Record<string, Verdict>> = {},
): CutLookup => ({
  take(takeId): CutTake | null {
    const file = takes[takeId];
    return file ? { takeId, take: 1, verdict: verdicts[takeId] ?? noVerdict, files: [file] } : null;
  },
  shot: () => ({ batch: 'Day 1', text: 'A boat' }),
  music: () => ({ bytes: 1, format: 'wav' }),
});

describe('an edit of a cut', () => {
  const cut = addClips(empty, [clip('a'), clip('b'), clip('c')]);
  const order = ({ clips }: Cut) => clips.map(({ take }) => take).join('');

  it('moves, removes and adds clips, and never gives an id twice', () => {
    expect(order(moveClip(cut, '1', 2))).toBe('bca');
    expect(order(moveClip(cut, '3', 0))).toBe('cab');
    expect(order(moveClip(cut, 'x', 0))).toBe('abc');
    const less = removeClips(cut, ['2']);
    expect(addClips(less, [clip('d')], 0).clips.map(({ id, take }) => [id, take])).toEqual([
      ...[
        ['4', 'd'],
        ['1', 'a'],
        ['3', 'c'],
      ],
    ]);
  });

  it('trims, and goes back to the mark of the take', () => {
    const trimmed = trimClip(cut, '1', { in: 4, out: 9 });
    expect(trimmed.clips[0]).toMatchObject({ in: 4, out: 9 });
    expect(trimClip(trimmed, '1', { in: null }).clips[0]).not.toHaveProperty('in');
    expect(trimClip(trimmed, '1', { in: null, out: null })).toEqual(cut);
  });

  it('shows another take, without the trim of the one before, which stays as an alternate', () => {
    const trimmed = trimClip(cut, '1', { in: 4 });
    const [changed] = chooseTake(trimmed, '1', 'z').clips;
    expect(changed).toEqual({ ...clip('z', { alternates: ['a'] }), id: '1', shot: { batchId: 'b', key: 'a' } });
    expect(chooseTake(chooseTake(cut, '1', 'z'), '1', 'a').clips[0]).toMatchObject({ take: 'a', alternates: ['z'] });
  });

  it('always gives a cut that can be stored', () => {
    const edit = fc.constantFrom<(cut: Cut, at: number) => Cut>(
      (now, at) => addClips(now, [clip(`t${at}`)], at),
      (now, at) => moveClip(now, String(at), at * 2),
      (now, at) => removeClips(now, [String(at)]),
      (now, at) => trimClip(now, String(at), { in: at, out: at + 1 }),
      (now, at) => setEnabled(now, [String(at)], at % 2 === 0),
      (now, at) => chooseTake(now, String(at), at % 3 === 0 ? null : `u${at}`),
      (now, at) => addMusic(now, { source: { type: 'take', take: 'm', output: 1 }, gain: -at }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(edit, fc.nat(20)), { maxLength: 40 }), (edits) => {
        const made = edits.reduce((now, [change, at]) => change(now, at), cut);
        expect(Cut.parse(made)).toEqual(made);
        expect(new Set(made.clips.map(({ id }) => id)).size).toBe(made.clips.length);
      }),
    );
  });
});

describe('a cut of the picks', () => {
  it('has the rate of most films, a slate where there is no pick, and the alternates', () => {
    const shot = (key: string) => ({ batchId: 'b', key });
    const cut = cutFromPicks('Cut', [
      { shot: shot('1'), pick: { take: 'a', output: 1, rate: PAL }, alternates: ['a', 'b'] },
      { shot: shot('2'), pick: { take: 'c', output: 2, rate: FILM }, alternates: [] },
      { shot: shot('3'), pick: null, alternates: ['d'] },
      { shot: shot('4'), pick: { take: 'e', output: 1, rate: { num: 48_000, den: 2002 } }, alternates: [] },
    ]);
    expect(cut.rate).toEqual(FILM);
    expect(cut.clips.map(({ id, take, output, alternates }) => [id, take, output, ...alternates])).toEqual([
      ...[
        ['1', 'a', 1, 'b'],
        ['2', 'c', 2],
        ['3', null, 1, 'd'],
        ['4', 'e', 1],
      ],
    ]);
    expect(cutFromPicks('Cut', []).rate).toEqual({ num: 24, den: 1 });
  });
});

describe('a timeline', () => {
  const marked: Verdict = { ...noVerdict, marks: [{ output: 1, in: 10, out: 40 }] };
  const laid = (cut: Cut, takes = { a: film(100) } as Readonly<Record<string, CutFile>>, verdicts = {}) =>
    layOut(cut, lookup(takes, verdicts));
  const shown = ({ clips }: ReturnType<typeof layOut>) =>
    clips.map(({ start, length, media }) => [start, length, media?.in, media?.out]);

  it('shows what the clip says, else the mark, else all of the film', () => {
    const cut = addClips(empty, [clip('a'), clip('a', { in: 20 }), clip('a', { in: 50, out: 60 })]);
    expect(shown(laid(cut))).toEqual([
      ...[
        [0, 100, 0, 100],
        [100, 80, 20, 100],
        [180, 10, 50, 60],
      ],
    ]);
    expect(shown(laid(cut, undefined, { a: marked }))).toEqual([
      ...[
        [0, 30, 10, 40],
        [30, 20, 20, 40],
        [50, 10, 50, 60],
      ],
    ]);
  });

  it('never goes beyond the film, and shows at least one frame', () => {
    const cut = addClips(empty, [clip('a', { in: 500, out: 900 }), clip('a', { in: 20, out: 10 })]);
    expect(shown(laid(cut))).toEqual([
      ...[
        [0, 1, 99, 100],
        [1, 80, 20, 100],
      ],
    ]);
    expect(laid(addClips(empty, [clip('a')]), { a: film(1, { num: 120, den: 1 }) }).length).toBe(1);
  });

  it('shows a film of a varying rate as a whole', () => {
    const cut = addClips(empty, [clip('a', { in: 20, out: 30 })]);
    expect(shown(laid(cut, { a: film(100, PAL, { isVariable: true }) }))).toEqual([[0, 100, 0, 100]]);
  });

  it('counts films of other rates in its own frames', () => {
    const cut = addClips({ ...empty, rate: FILM }, [clip('a'), clip('b')]);
    const { clips, length } = laid(cut, { a: film(50), b: film(60, { num: 60, den: 1 }) });
    expect(clips.map((each) => [each.start, each.length])).toEqual([
      // 47.95 and 23.98: a part of a frame is left out, since there is no picture for the rest of it.
      ...[
        [0, 47],
        [47, 23],
      ],
    ]);
    expect(length).toBe(70);
  });

  it('has slates for what is gone, and gives no time to what is switched off', () => {
    const cut = addClips(empty, [clip(null), clip('gone', { length: 7 }), clip('a', { enabled: false }), clip('a')]);
    const { clips } = laid(cut);
    expect(clips.map(({ media, length }) => [media === null, length])).toEqual([
      ...[
        [true, 50],
        [true, 7],
        [false, 100],
      ],
    ]);
    expect(clips[0]?.shot).toEqual({ batchId: 'b', batch: 'Day 1', key: 'none', text: 'A boat' });
  });

  it('shows stills and sounds for their own time', () => {
    const still: CutFile = { ...film(0), format: 'png', facts: { width: 10, height: 20 } };
    const sound: CutFile = { ...film(0), format: 'mp3', facts: { seconds: 3 } };
    const cut = addClips(empty, [clip('a'), clip('a', { length: 30 }), clip('s'), clip('s', { in: 25 })]);
    expect(shown(laid(cut, { a: still, s: sound }))).toEqual([
      ...[
        [0, 50, 0, 50],
        [50, 30, 0, 30],
        [80, 75, 0, 75],
        [155, 50, 25, 75],
      ],
    ]);
  });

  it('has the size of most films', () => {
    const size = (width: number) => film(10, PAL, { width, height: 100 });
    const cut = addClips(
      empty,
      ['a', 'b', 'c'].map((take) => clip(take)),
    );
    expect(laid(cut, { a: size(300), b: size(200), c: size(200) })).toMatchObject({ width: 200, height: 100 });
    expect(laid(cut)).toMatchObject({ width: 1920, height: 1080 });
  });

  it('lays alternates under the same range, from their mark on where they are long enough', () => {
    const cut = addClips(empty, [clip('a', { out: 30, alternates: ['b', 'c', 'gone'] })]);
    const takes = { a: film(100), b: film(35), c: film(12) };
    const [{ alternates = [] } = {}] = laid(cut, takes, { b: marked }).clips;
    expect(alternates.map((each) => [each.takeId, each.in, each.out])).toEqual([
      ...[
        ['b', 5, 35],
        ['c', 0, 12],
      ],
    ]);
  });

  it('ends music with the pictures unless it says otherwise', () => {
    const file = { type: 'file', sha256: 'f'.repeat(64), name: 'song.wav', facts: { seconds: 60 } } as const;
    const cut = addClips(empty, [clip('a')]);
    const music = (more: object) => laid(addMusic(cut, { source: file, gain: -6, ...more })).music;
    expect(music({})).toMatchObject([{ start: 0, length: 100, in: 0, gain: -6 }]);
    expect(music({ in: 1450 })).toMatchObject([{ length: 50, in: 1450 }]);
    expect(music({ in: 10, out: 400 })).toMatchObject([{ length: 390, in: 10 }]);
    const twice = addMusic(addMusic(cut, { source: file, gain: 0, out: 60 }), { source: file, gain: 0 });
    expect(laid(twice).music).toMatchObject([
      { start: 0, length: 60 },
      { start: 60, length: 40 },
    ]);
  });
});

describe('picks that a cut does not have', () => {
  const shots = (...all: readonly (readonly [key: string, take: string | null])[]): Cut =>
    addClips(
      empty,
      all.map(([key, take]) => clip(take, { shot: { batchId: 'b', key } })),
    );
  const picks = shots(['010', 'a'], ['020', 'b'], ['030', null], ['040', 'd']);

  it('take the place of their slates, or go behind the shot before them', () => {
    const cut = shots(['040', 'd'], ['010', 'other'], ['030', null]);
    expect(missingPicks(cut, picks).map(({ shot }) => shot.key)).toEqual(['020']);
    const added = addMissingPicks(cut, picks);
    expect(added.clips.map(({ shot, take }) => [shot.key, take])).toEqual([
      ['040', 'd'],
      ['010', 'other'],
      ['020', 'b'],
      ['030', null],
    ]);
    const slates = addMissingPicks(shots(['020', null], ['010', null]), picks);
    expect(slates.clips.map(({ take }) => take)).toEqual(['b', 'a', 'd']);
    expect(missingPicks(added, picks)).toEqual([]);
    expect(new Set(slates.clips.map(({ id }) => id)).size).toBe(3);
  });
});
