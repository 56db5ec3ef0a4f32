import { describe, expect, it } from 'vitest';
import { queuedInWords } from '../../src/renderer/lib/queued-words.ts';

const queued = { takes: 2, batch: 'night', isSample: false };

describe('what is said of takes that were queued', () => {
  it('claims no more than that they are queued', () => {
    expect(queuedInWords(queued, [])).toBe('Queued 2 takes in “night”.');
    expect(queuedInWords(queued, [{ reason: 'throttled' }])).toBe('Queued 2 takes in “night”.');
  });

  it('says what they wait for, and that they cost nothing until then', () => {
    expect(queuedInWords({ ...queued, takes: 1 }, [{ reason: 'unreachable' }])).toBe(
      'Queued 1 take in “night”. The service cannot be reached. Nothing is sent, and nothing is charged, until it answers.',
    );
  });

  it('names first what only a person can end', () => {
    expect(queuedInWords(queued, [{ reason: 'unreachable' }, { reason: 'paused_by_user' }])).toContain(
      'The queue is paused. Nothing is sent, and nothing is charged, until you resume it.',
    );
  });

  it('leaves out of the sample project what is amiss with the service of the others', () => {
    const sample = { ...queued, isSample: true };
    expect(queuedInWords(sample, [{ reason: 'key_missing' }])).toBe('Queued 2 takes in “night”.');
    expect(queuedInWords(sample, [{ reason: 'paused_by_user' }])).toContain('until you resume it');
  });
});
