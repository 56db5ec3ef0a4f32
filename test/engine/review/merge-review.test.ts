import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chosenChanges, readReview, type ReelReview, type ReviewedTake } from '../../../src/contract/reel-review.ts';
import { noVerdict, withChange } from '../../../src/contract/verdict.ts';
import { planReviewMerge, type Reviewed } from '../../../src/engine/review/merge-review.ts';

const SHA = 'a'.repeat(64);
const TAKES = ['1', '2', '3'];

/** Three takes, the first two of one shot. */
const project = (): Map<string, Reviewed> =>
  new Map(
    TAKES.map((id) => [
      id,
      {
        ...{ id, batchId: 'batch', shot: id === '3' ? '020' : '010', take: Number(id), verdict: noVerdict },
        outputs: [
          { number: 1, file: `${id}.mp4`, sha256: SHA, bytes: 1, format: 'mp4', facts: { frames: 100 } },
        ] as unknown as Reviewed['outputs'],
        otherPick: null,
      },
    ]),
  );

/** What the command does: each change set, and the pick of a shot before another one an alternate. */
function merged(takes: ReadonlyMap<string, Reviewed>, review: ReelReview, isTheirs = false): Map<string, Reviewed> {
  const changes = new Map(
    chosenChanges(planReviewMerge(takes, review), () => isTheirs).map(({ takeId, verdict }) => [takeId, verdict]),
  );
  const all = [...takes.values()].map((take) => ({
    ...take,
    verdict: withChange(take.verdict, changes.get(take.id) ?? {}),
  }));
  const newPicks = all.filter(({ id }) => changes.get(id)?.flag === 'pick');
  for (const take of all) {
    const isReplaced = newPicks.some(({ id, shot }) => shot === take.shot && id !== take.id);
    if (isReplaced && take.verdict.flag === 'pick') take.verdict = { ...take.verdict, flag: 'alternate' };
  }
  return new Map(
    all.map((take) => {
      const pick = all.find(({ id, shot, verdict }) => id !== take.id && shot === take.shot && verdict.flag === 'pick');
      return [take.id, { ...take, otherPick: pick?.take ?? null }];
    }),
  );
}

const reviewBy = (reviewer: string): fc.Arbitrary<ReelReview> => {
  const note = fc.record({
    id: fc.constantFrom(`${reviewer}1`, `${reviewer}2`, `${reviewer}3`),
    from: fc.nat(120),
    text: fc.string({ minLength: 1, maxLength: 5 }),
  });
  const take: fc.Arbitrary<ReviewedTake> = fc.record(
    {
      takeId: fc.constantFrom(...TAKES, 'unknown'),
      output: fc.constant(1),
      sha256: fc.constantFrom(SHA, 'b'.repeat(64)),
      rating: fc.integer({ min: 0, max: 5 }),
      flag: fc.constantFrom('pick', 'alternate', 'reject', null),
      note: fc.constantFrom('', 'Good', 'Bad'),
      notes: fc.uniqueArray(note, { selector: ({ id }) => id, maxLength: 3 }),
    },
    { requiredKeys: ['takeId', 'output', 'sha256', 'notes'] },
  );
  return fc.uniqueArray(take, { selector: ({ takeId }) => takeId, maxLength: 5 }).map((takes) => ({
    ...{ type: 'dailies-review', version: 1, reelId: 'reel', reel: 'Film', projectId: 'film', reviewer, takes },
  }));
};

const verdicts = (takes: ReadonlyMap<string, Reviewed>) => [...takes.values()].map(({ verdict }) => verdict);
const notes = (takes: ReadonlyMap<string, Reviewed>) => verdicts(takes).map((verdict) => verdict.notes ?? []);

describe('the review of a reel', () => {
  it('is merged once, however often, and leaves one pick to a shot', () => {
    fc.assert(
      fc.property(reviewBy('anna'), reviewBy('ben'), fc.boolean(), (anna, ben, isTheirs) => {
        const before = merged(project(), anna);
        const once = merged(before, ben, isTheirs);
        expect(verdicts(merged(once, ben))).toEqual(verdicts(once));
        const picks = verdicts(once).map(({ flag }) => flag === 'pick');
        expect(picks[0] && picks[1]).toBe(false);
      }),
    );
  });

  it('adds its notes whichever reviewer comes first, and changes nothing of what the other set', () => {
    fc.assert(
      fc.property(reviewBy('anna'), reviewBy('ben'), (anna, ben) => {
        const first = merged(project(), anna);
        expect(notes(merged(first, ben))).toEqual(notes(merged(merged(project(), ben), anna)));
        for (const [index, verdict] of verdicts(first).entries()) {
          const now = verdicts(merged(first, ben))[index];
          if (verdict.rating > 0) expect(now?.rating).toBe(verdict.rating);
          if (verdict.flag !== null) expect(now?.flag).toBe(verdict.flag);
        }
      }),
    );
  });

  it('never replaces a note that has the id of one of its own', () => {
    const review = (text: string, reviewer: string): ReelReview => ({
      ...{ type: 'dailies-review', version: 1, reelId: 'reel', reel: 'Film', projectId: 'film', reviewer },
      takes: [{ takeId: '1', output: 1, sha256: SHA, notes: [{ id: 'same', from: 3, text }] }],
    });
    const mine = merged(project(), review('Mine', 'Anna'));
    const { rows } = planReviewMerge(mine, review('Theirs', 'Eve'));
    expect(rows).toMatchObject([{ change: {}, conflicts: [{ field: 'notes' }] }]);
    expect(notes(merged(mine, review('Theirs', 'Eve')))[0]).toMatchObject([{ text: 'Mine', by: 'Anna' }]);
  });

  it('is read or refused in words, whatever the file has', () => {
    const valid = reviewBy('anna').map((review) => ({ ...review }) as Record<string, unknown>);
    const broken = fc
      .tuple(valid, fc.string(), fc.anything())
      .map(([review, key, value]) => ({ ...review, [key]: value, takes: value }));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          broken.map((each) => JSON.stringify(each) ?? ''),
        ),
        (text) => {
          const read = readReview(text);
          if (!read.ok) expect(read.problem.key).toMatch(/^reel\./);
        },
      ),
    );
    fc.assert(
      fc.property(reviewBy('anna'), (review) => {
        expect(readReview(JSON.stringify(review))).toEqual({ ok: true, review });
      }),
    );
  });
});
