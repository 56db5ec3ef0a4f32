import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Best, type PinnedSource, staleness } from '../../../src/engine/machine/staleness.ts';
import { shot } from '../db/seed.ts';

const pinned = (changes: Partial<PinnedSource> = {}): PinnedSource => ({
  ...{ takeId: 'one', parameter: 'first_frame', cell: 'Shot://010', output: 1, sha256: 'a', sha256Now: 'a' },
  ...{ batchId: 'batch', batch: null, key: '010', take: 1 },
  ...{
    frame: null,
    frameNow: null,
    isSaved: true,
    isTrashed: false,
    isRejected: false,
    isOfText: true,
    usedAt: 5,
    ...changes,
  },
});
const best = (changes: Partial<Best> = {}): Best => ({
  ...{ takeId: 'two', take: 2, isPick: false, isOfText: true, askedAt: 9, ...changes },
});
const same = best({ takeId: 'one', take: 1 });
const of = (source: PinnedSource, now: Best | null, cell?: string) => {
  const row = cell === undefined ? null : shot(1, { params: { first_frame: cell } });
  return staleness({ sources: [source], row }, () => now);
};

describe('why a take is stale', () => {
  it('is what has become of its source, before what counts instead', () => {
    expect(of(pinned(), same)).toBeNull();
    expect(of(pinned(), best({ isPick: true }))).toEqual({ why: 'picked', shot: '010', take: 1, now: 2 });
    expect(of(pinned(), best())).toMatchObject({ why: 'newer' });
    expect(of(pinned(), best({ askedAt: 5 }))).toBeNull();
    expect(of(pinned(), best({ askedAt: 5, isPick: true }))).toMatchObject({ why: 'picked' });
    expect(of(pinned({ isOfText: false }), best())).toMatchObject({ why: 'reworded', now: 2 });
    expect(of(pinned({ isOfText: false }), null)).toEqual({ why: 'reworded', shot: '010', take: 1 });
    expect(of(pinned({ isRejected: true }), best({ isPick: true }))).toMatchObject({ why: 'rejected', now: 2 });
    expect(of(pinned({ isTrashed: true }), best())).toMatchObject({ why: 'trashed', now: 2 });
    expect(of(pinned({ isSaved: false }), null)).toEqual({ why: 'gone', shot: '010', take: 1 });
    expect(of(pinned({ sha256Now: 'b' }), same)).toEqual({ why: 'replaced', shot: '010', take: 1 });
    expect(of(pinned({ sha256: null, frame: 12, frameNow: 20 }), same)).toEqual({
      why: 'marked',
      shot: '010',
      take: 1,
    });
    expect(of(pinned({ sha256: null, frame: 12, frameNow: 12 }), same)).toBeNull();
    expect(of(pinned({ sha256: null, frame: 95, frameNow: null }), same)).toBeNull();
    const unknown = { batchId: null, key: null, take: null, isSaved: false };
    expect(of(pinned(unknown), null)).toEqual({ why: 'gone', shot: 'one' });
  });

  it('is a row that means another shot, file or frame, however it is written', () => {
    expect(of(pinned(), same, 'shot://010/1')).toBeNull();
    expect(of(pinned({ cell: 'Shot://010#0F' }), same, 'Shot://010/1#0f')).toBeNull();
    for (const cell of ['Shot://020', 'Shot://010/2', 'Shot://010#last', 'a.png', ''])
      expect(of(pinned(), same, cell)).toEqual({ why: 'row', shot: '010', take: 1 });
    const elsewhere = pinned({ batch: 'Stills', cell: 'Shot://Stills:010' });
    expect(of(elsewhere, same, 'Shot://Stills:010/1')).toBeNull();
    expect(of(elsewhere, same, 'Shot://010')).toEqual({ why: 'row', shot: 'Stills:010', take: 1 });
  });

  it('is none while each of its sources counts, and does not depend on their order', () => {
    const source = fc.record({
      isMoved: fc.boolean(),
      isSaved: fc.boolean(),
      isTrashed: fc.boolean(),
      isRejected: fc.boolean(),
      isOfText: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(source, { maxLength: 5 }), (all) => {
        const sources = all.map(({ isMoved, ...facts }, at) => ({ ...pinned(facts), takeId: String(at), isMoved }));
        const means = ({ takeId, isMoved }: (typeof sources)[number]) => best(isMoved ? {} : { takeId });
        const found = staleness({ sources, row: null }, means);
        expect(found !== null).toBe(all.some(({ isMoved }) => isMoved));
        const back = staleness({ sources: sources.toReversed(), row: null }, means);
        expect(back === null).toBe(found === null);
      }),
    );
  });
});
