import { describe, expect, it } from 'vitest';
import { isHeldBy } from '../../src/renderer/lib/gate-scope.ts';
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

describe('a gate', () => {
  const takes = { projectId: 'film', batchId: 'night' };
  const spent = { money: 0, micros: 0, takes: 3, unpriced: 0 };
  const cap = { name: '', cap: { money: null, takes: 3 }, spent, unpriced: null };

  it('holds back takes of its own batch, project or model alone', () => {
    expect(isHeldBy(takes, { cap: { ...cap, scope: { scope: 'batch', batchId: 'night' } } })).toBe(true);
    expect(isHeldBy(takes, { cap: { ...cap, scope: { scope: 'batch', batchId: 'day' } } })).toBe(false);
    expect(isHeldBy(takes, { cap: { ...cap, scope: { scope: 'project', projectId: 'ad' } } })).toBe(false);
    expect(isHeldBy(takes, { projectId: 'ad' })).toBe(false);
    expect(isHeldBy({ ...takes, model: 'fast' }, { model: 'slow' })).toBe(false);
  });

  it('holds back all takes where it names none', () => {
    expect(isHeldBy(takes, {})).toBe(true);
    expect(isHeldBy(takes, { cap: { ...cap, scope: { scope: 'night' } } })).toBe(true);
  });
});
