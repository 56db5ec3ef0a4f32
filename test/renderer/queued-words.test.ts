import { describe, expect, it } from 'vitest';
import { isHeldBy, unsentInWords } from '../../src/renderer/lib/queued-words.ts';

type Given = Parameters<typeof unsentInWords>[0];
const said = (
  gates: readonly Omit<Given['gates'][number], 'message'>[],
  { isSample = false, window }: Partial<Given> = {},
) => unsentInWords({ gates: gates.map((gate) => ({ ...gate, message: gate.reason })), window, isSample });

const window: NonNullable<Given['window']> = {
  scope: { scope: 'project', projectId: 'film' },
  window: { days: ['mon'], opens: '22:00', closes: '07:00', timeZone: 'Europe/Berlin' },
  ...{ isOpen: false, isEarly: false, changedAt: null, changesAt: Date.UTC(2026, 0, 5, 21) },
};

describe('what is said of takes that were queued', () => {
  it('is nothing more where nothing holds them back', () => {
    expect(said([])).toBe('');
    expect(said([{ reason: 'throttled' }], { window: { ...window, isOpen: true } })).toBe('');
  });

  it('names first what only a person can end', () => {
    expect(said([{ reason: 'unreachable' }])).toBe('unreachable');
    expect(said([{ reason: 'unreachable' }, { reason: 'paused_by_user' }])).toBe('paused_by_user');
  });

  it('is when the window opens while it is closed', () => {
    expect(said([], { window })).toMatch(/until it opens on Mon 22:00 \(Europe\/Berlin\)\.$/);
    expect(said([{ reason: 'paused_by_user' }], { window })).toBe('paused_by_user');
  });

  it('leaves out of the sample project what is amiss with the service of the others, and what that costs', () => {
    const isSample = true;
    const spent = { money: 5, micros: 5_000_000, takes: 3, unpriced: 0 };
    const cap = { name: '', cap: { money: 5, takes: null }, spent, unpriced: null };
    expect(said([{ reason: 'key_missing' }], { isSample })).toBe('');
    expect(said([{ reason: 'paused_by_user' }], { isSample })).toBe('paused_by_user');
    const ofNight = { reason: 'cap_reached', cap: { ...cap, scope: { scope: 'night' } } } as const;
    expect(said([ofNight], { isSample })).toBe('');
    expect(said([ofNight])).toBe('cap_reached');
    const ofProject = { reason: 'cap_reached', cap: { ...cap, scope: window.scope } } as const;
    expect(said([ofProject], { isSample })).toBe('cap_reached');
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

  it('holds back takes of its own account alone', () => {
    const ofAcme = { ...takes, accountId: 'acme' };
    const ofFirst = { ...takes, accountId: null };
    const capOf = (accountId: string) => ({ cap: { ...cap, scope: { scope: 'account', accountId } as const } });
    expect([ofAcme, ofFirst].map((each) => isHeldBy(each, { accountId: 'acme' }))).toEqual([true, false]);
    expect([ofAcme, ofFirst].map((each) => isHeldBy(each, { accountId: null }))).toEqual([false, true]);
    expect([ofAcme, ofFirst, takes].map((each) => isHeldBy(each, capOf('acme')))).toEqual([true, false, false]);
    expect([ofAcme, ofFirst, takes].map((each) => isHeldBy(each, capOf('')))).toEqual([false, true, false]);
  });

  it('holds back all takes where it names none', () => {
    expect(isHeldBy(takes, {})).toBe(true);
    expect(isHeldBy(takes, { cap: { ...cap, scope: { scope: 'night' } } })).toBe(true);
  });
});
