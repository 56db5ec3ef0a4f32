import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrameTime, readMarks, readNotes, toMarks, toNotes } from '../../src/contract/frame-changes.ts';
import { MAX_FRAME_NOTES, MAX_NOTES_LENGTH, type Stroke } from '../../src/contract/frame-notes.ts';
import {
  changedFields,
  noVerdict,
  stillHolds,
  withChange,
  withoutChange,
  type Verdict,
  type VerdictChange,
} from '../../src/contract/verdict.ts';

const frame = fc.nat(200);
const markChange = fc.record(
  { output: fc.integer({ min: 1, max: 3 }), in: fc.option(frame), out: fc.option(frame.map((each) => each + 201)) },
  { requiredKeys: ['output'] },
);
const note = fc.record(
  {
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    output: fc.integer({ min: 1, max: 2 }),
    from: frame,
    to: frame.map((each) => each + 201),
    text: fc.string({ maxLength: 8 }),
    strokes: fc.constant<Stroke[]>([{ color: 'red', points: [0, 0.5, 1, 0.25] }]),
  },
  { requiredKeys: ['id', 'output', 'from', 'text'] },
);
const change: fc.Arbitrary<VerdictChange> = fc
  .record({
    marks: fc.uniqueArray(markChange, { selector: ({ output }) => output, maxLength: 3 }),
    addNotes: fc.uniqueArray(note, { selector: ({ id }) => id, maxLength: 4 }),
    removeNotes: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 2 }),
  })
  .map(({ removeNotes, ...rest }) => ({
    ...rest,
    removeNotes: removeNotes.filter((id) => rest.addNotes.every((each) => each.id !== id)),
  }));
const verdict = change.map((each): Verdict => withChange(noVerdict, each));

describe('marks and frame notes of a take', () => {
  it('are as they were after any change is undone', () => {
    fc.assert(
      fc.property(verdict, change, (before, set) => {
        const now = withChange(before, set);
        expect(withoutChange(now, set, before)).toEqual(before);
        if (changedFields(before, now).length > 0) expect(stillHolds(now, set)).toBe(true);
      }),
    );
  });

  it('keep what another window has set since', () => {
    const of = (id: string, from: number) => ({ id, output: 1, from, text: id });
    const set = { marks: [{ output: 1, in: 12 }], addNotes: [of('mine', 5)], removeNotes: ['old'] };
    const before = withChange(noVerdict, { addNotes: [of('old', 3)], marks: [{ output: 1, in: 2, out: 90 }] });
    const both = withChange(withChange(before, set), { addNotes: [of('other', 4)], marks: [{ output: 1, out: 60 }] });
    expect(toNotes(both).map(({ id }) => id)).toEqual(['other', 'mine']);
    expect(withoutChange(both, set, before)).toEqual({
      ...{ ...noVerdict, marks: [{ output: 1, in: 2, out: 60 }] },
      notes: [of('old', 3), of('other', 4)],
    });
    const edited = withChange(both, { addNotes: [{ ...of('mine', 5), text: 'edited' }] });
    expect(toNotes(withoutChange(edited, set, before)).map(({ text }) => text)).toEqual(['old', 'other', 'edited']);
  });

  it('are in the order of files and frames, one pair of marks a file, and never end before they begin', () => {
    fc.assert(
      fc.property(verdict, fc.array(markChange, { maxLength: 6 }), (before, marks) => {
        const now = toMarks(withChange(before, { marks }));
        expect(now.map(({ output }) => output)).toEqual([...new Set(now.map(({ output }) => output))].toSorted());
        for (const each of now) expect(each.out ?? Infinity).toBeGreaterThan(each.in ?? 0);
      }),
    );
    expect(withChange(noVerdict, { marks: [{ output: 1, in: 9, out: 9 }] }).marks).toEqual([{ output: 1, in: 9 }]);
    expect(withChange(noVerdict, { marks: [{ output: 1, in: null }] })).toEqual(noVerdict);
  });

  it('of a stranger are left out where they cannot be any', () => {
    const good = { id: 'a', output: 1, from: 4, text: 'x' };
    const bad = [null, 7, 'a', {}, { ...good, from: -1 }, { ...good, to: 4 }, { ...good, id: '../a' }];
    expect(readNotes([...bad, good, { ...good, strokes: 'x' }])).toEqual([good]);
    const many = Array.from({ length: 5000 }, (_none, index) => ({ ...good, id: `n${String(index)}` }));
    expect(readNotes(many)).toHaveLength(MAX_FRAME_NOTES);
    const long = many.map((each) => ({ ...each, text: 'x'.repeat(2000) }));
    expect(JSON.stringify(readNotes(long)).length).toBeLessThanOrEqual(MAX_NOTES_LENGTH);
    expect(readMarks([{ output: 2, in: 5, out: 3 }, null, { output: 1, out: 8 }, { output: 0 }])).toEqual([
      { output: 1, out: 8 },
      { output: 2, in: 5 },
    ]);
  });
});

describe('a frame as a person writes it', () => {
  const ntsc = { num: 24_000, den: 1001 };
  it.each([
    ['48f', undefined, 48],
    ['0F', ntsc, 0],
    ['2s', ntsc, 48],
    ['2.5s', { num: 24, den: 1 }, 60],
    ['00:00:02:00', ntsc, 48],
    ['00:00:02:00', undefined, 'needs_rate'],
    ['2s', undefined, 'needs_rate'],
    ['48', ntsc, null],
    ['', ntsc, null],
    ['-1f', ntsc, null],
    ['999999999f', ntsc, null],
  ] as const)('%j is a number of frames, or none', (text, rate, wanted) => {
    expect(readFrameTime(text, rate)).toBe(wanted);
  });
});
