import { describe, expect, it } from 'vitest';
import { noVerdict, type VerdictChange } from '../../../src/contract/verdict.ts';
import { frameProblem } from '../../../src/engine/review/frame-checks.ts';

const film = { number: 1, file: 'a.mp4', bytes: 1, sha256: '', format: 'mp4', verified: true } as const;
const take = (facts: object) => ({ shot: '001', take: 1, outputs: [{ ...film, facts }], verdict: noVerdict });
const problem = (facts: object, change: VerdictChange) => frameProblem(take(facts), change);

describe('marks and notes of a film of ten frames', () => {
  it.each([
    ['its whole', { marks: [{ output: 1, in: 0, out: 10 }] }, undefined],
    ['more than it has', { marks: [{ output: 1, out: 11 }] }, 'failure.frameBeyondFilm'],
    ['an in that is not there', { marks: [{ output: 1, in: 10 }] }, 'failure.frameBeyondFilm'],
    ['an end before its beginning', { marks: [{ output: 1, in: 5, out: 5 }] }, 'failure.outBeforeIn'],
    ['its last frame', { addNotes: [{ id: 'a', output: 1, from: 9, text: 'hand' }] }, undefined],
    ['a frame after it', { addNotes: [{ id: 'a', output: 1, from: 10, text: 'hand' }] }, 'failure.frameBeyondFilm'],
    ['a file that it has not', { marks: [{ output: 2, in: 1 }] }, 'failure.takeWithoutFile'],
  ])('%s', (_name, change: VerdictChange, code) => {
    expect(problem({ frames: 10 }, change)?.key).toBe(code);
  });

  it('are not compared with a length that nobody knows', () => {
    expect(problem({}, { marks: [{ output: 1, in: 500 }] })).toBeNull();
  });
});
