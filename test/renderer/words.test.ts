import { describe, expect, it } from 'vitest';
import { JobState, PauseReason, standingFor, type JobStateName } from '../../src/contract/job.ts';
import { bytesForPeople } from '../../src/contract/units.ts';
import { agoForPeople, lengthForPeople, percent } from '../../src/renderer/lib/format.ts';
import { writeKeys } from '../../src/renderer/lib/keys.ts';
import { stateWords, waitWords } from '../../src/renderer/lib/words.ts';
import { t } from '../../src/contract/messages/words.ts';

const states: readonly JobStateName[] = JobState.options.map((option) => option.shape.state.value);

describe('words for the states of a job', () => {
  it('has words for every state, none of them the engine’s own name for it', () => {
    for (const state of states) {
      const { word, meaning } = stateWords(state);
      expect(word).not.toContain('_');
      expect(meaning, state).not.toBe('');
    }
  });

  it('marks a state as its standing does, so that a count and its rows look alike', () => {
    const tones = { saved: ['good'], failed: ['bad'], unknown: ['unsure'], cancelled: ['off'] };
    for (const state of states) {
      const standing = standingFor(state, null);
      const allowed = standing === 'unfinished' ? ['waiting', 'working'] : tones[standing];
      expect(allowed, state).toContain(stateWords(state).tone);
    }
  });

  it('says why an unfinished job is held, and lets a finished one be', () => {
    // What another machine has goes on there.
    for (const reason of PauseReason.exclude(['elsewhere']).options) {
      expect(stateWords('polling', reason).word).not.toBe(t('state.generating'));
      expect(stateWords('saved', reason).word).toBe(t('state.saved'));
    }
  });

  it('says that a take waits for the person, unless it is on hold', () => {
    expect(stateWords('needs_assets', null, 'pick').word).toBe(t('state.waitsForYou'));
    expect(stateWords('needs_assets', 'user', 'release').word).toBe(t('state.onHold'));
    expect(waitWords({ wait: 'pick', waitsFor: '010' })).toBe('Waiting for your pick of 010');
    expect(waitWords({ needsFrame: 'Shot://010#last' })).toContain('Shot://010#last');
    expect(waitWords({})).toBe('');
  });

  it('asks for a decision about an overdue task', () => {
    expect(stateWords('polling', 'deadline').tone).toBe('unsure');
  });

  it('shows a state of a newer engine by its name', () => {
    expect(stateWords('dreaming').word).toBe('dreaming');
  });
});

describe('numbers for people', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [999_950, '1.0 MB'],
    [12_400_000, '12.4 MB'],
    [210_000_000_000, '210 GB'],
    [5e15, '5000 TB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(bytesForPeople(bytes)).toBe(text);
  });

  it.each([
    [-5, '0 s'],
    [59_400, '59 s'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 05 min'],
    [3 * 86_400_000 + 4 * 3_600_000, '3 d 4 h'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(lengthForPeople(ms)).toBe(text);
  });

  it('tells how long ago something was', () => {
    const now = Date.UTC(2026, 5, 15, 12);
    expect(agoForPeople(now - 20_000, now)).toBe('just now');
    expect(agoForPeople(now - 12 * 60_000, now)).toBe('12 min ago');
    expect(agoForPeople(now - 30 * 3_600_000, now)).toBe('yesterday');
    expect(agoForPeople(Date.UTC(2024, 2, 3, 12), now)).toBe('3 Mar 2024');
  });

  it('says 100% only when all is done', () => {
    expect(percent(0.999)).toBe('99%');
    expect(percent(1)).toBe('100%');
  });
});

it.each([
  ['$mod+k', 'Ctrl+K', '⌘K'],
  ['$mod+Shift+p', 'Ctrl+Shift+P', '⌘⇧P'],
  ['[Shift]+?', '?', '?'],
  ['g p', 'G P', 'G P'],
  ['Alt+ArrowUp', 'Alt+↑', '⌥↑'],
])('keys for people writes %s as %s, on a Mac as %s', (keys, elsewhere, mac) => {
  expect([writeKeys(keys, false), writeKeys(keys, true)]).toEqual([elsewhere, mac]);
});
