import { describe, expect, it } from 'vitest';
import { say } from '../../src/contract/messages/words.ts';
import { isHeldBy, queuedInWords } from '../../src/renderer/lib/queued-words.ts';

const queued = { takes: 2, batch: 'night' };
const said = (gates: Parameters<typeof queuedInWords>[1], isSample = false) =>
  queuedInWords({ ...queued, isSample }, gates);

describe('what is said of takes that were queued', () => {
  it('claims no more than that they are queued, where nothing holds them back', () => {
    expect(said([])).toBe(say('window.queued', queued));
    expect(said([{ reason: 'throttled' }])).toBe(say('window.queued', queued));
  });

  it('names first what only a person can end', () => {
    expect(said([{ reason: 'unreachable' }])).toBe(say('window.queuedUnreachable', queued));
    expect(said([{ reason: 'unreachable' }, { reason: 'paused_by_user' }])).toBe(say('window.queuedPaused', queued));
  });

  it('leaves out of the sample project what is amiss with the service of the others', () => {
    expect(said([{ reason: 'key_missing' }], true)).toBe(say('window.queued', queued));
    expect(said([{ reason: 'paused_by_user' }], true)).toBe(say('window.queuedPaused', queued));
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
