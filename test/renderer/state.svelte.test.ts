import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Changes } from '../../src/contract/events.ts';
import { areTexts, Persisted } from '../../src/renderer/lib/state/persisted.svelte.ts';
import { resource } from '../../src/renderer/lib/state/resource.svelte.ts';
import { quietChanges } from '../support/quiet-changes.ts';

const stream = vi.hoisted(() => ({ listeners: new Set<(changes: Changes) => void>() }));
vi.mock('../../src/renderer/lib/state/changes.svelte.ts', () => ({
  changeStream: {
    listen: (listener: (changes: Changes) => void) => {
      stream.listeners.add(listener);
      return () => stream.listeners.delete(listener);
    },
  },
}));
vi.mock('../../src/renderer/lib/client.ts', () => ({
  toTrouble: (error: Error) => ({ message: error.message, remedy: '' }),
}));

const tell = (changes: Partial<Changes>): void => {
  for (const listener of stream.listeners) listener({ ...quietChanges, ...changes });
};

/** A question to the engine whose answers come when the test says so. */
function questions() {
  const asked: { of: string; answer: PromiseWithResolvers<string> }[] = [];
  const read = (of: string): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    asked.push({ of, answer });
    return answer.promise;
  };
  const answer = async (index: number, value: string | Error): Promise<void> => {
    const { answer: waiting } = asked[index] ?? expect.unreachable();
    if (value instanceof Error) waiting.reject(value);
    else waiting.resolve(value);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { read, answer, about: () => asked.map(({ of }) => of) };
}

let stop = (): void => undefined;
function within<T>(make: () => T): T {
  let made: T | undefined;
  stop = $effect.root(() => void (made = make()));
  flushSync();
  return made ?? expect.unreachable();
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  stream.listeners.clear();
});

describe('a resource', () => {
  it('never shows an answer about something that the view has left', async () => {
    const { read, answer, about } = questions();
    let project = $state('one');
    const batches = within(() => resource({ of: () => project, read }));
    project = 'other';
    flushSync();
    await answer(1, 'of the other');
    await answer(0, 'of the one');
    expect(about()).toEqual(['one', 'other']);
    expect(batches.current).toBe('of the other');
  });

  it('shows nothing about the next one until it was read, unless it is to stay', async () => {
    const { read, answer } = questions();
    let project = $state('one');
    const [cleared, stays] = within(() => [
      resource({ of: () => project, read }),
      resource({ of: () => project, read, staysShown: true }),
    ]);
    await answer(0, 'of the one');
    await answer(1, 'of the one');
    project = 'other';
    flushSync();
    expect(cleared.current).toBeUndefined();
    expect(stays.current).toBe('of the one');
  });

  it('is not read again for something else that looks the same', () => {
    const { read, about } = questions();
    let project = $state.raw({ id: 'one' });
    within(() => resource({ of: () => project.id, read }));
    project = { id: 'one' };
    flushSync();
    expect(about()).toEqual(['one']);
  });

  it('is read again for its changes and after a gap, at most every so often', async () => {
    const { read, answer, about } = questions();
    within(() =>
      resource({ of: () => 'one', read, everyMs: 500, changedBy: ({ projects }, of) => projects.includes(of) }),
    );
    await answer(0, 'first');
    tell({ projects: ['one'] });
    tell({ resync: true });
    tell({ projects: ['other'] });
    expect(about()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(500);
    expect(about()).toHaveLength(2);
    await answer(1, 'second');
    await vi.advanceTimersByTimeAsync(5000);
    expect(about()).toHaveLength(2);
  });

  it('waits until its source has settled', async () => {
    const { read, about } = questions();
    let text = $state('a');
    within(() => resource({ of: () => text, read, restMs: 100 }));
    await vi.advanceTimersByTimeAsync(99);
    text = 'ab';
    flushSync();
    await vi.advanceTimersByTimeAsync(100);
    expect(about()).toEqual(['ab']);
  });

  it('keeps what it has when it cannot be read, says why, and forgets that with the next answer', async () => {
    const { read, answer } = questions();
    const batches = within(() => resource({ of: () => 'one', read }));
    await answer(0, 'known');
    void batches.refresh();
    await answer(1, new Error('No answer.'));
    expect(batches.current).toBe('known');
    expect(batches.trouble).toEqual({ message: 'No answer.', remedy: '' });
    void batches.refresh();
    await answer(2, 'newer');
    expect(batches).toMatchObject({ current: 'newer', trouble: null });
  });

  it('shows answers as they come, but never an older one after a newer', async () => {
    const { read, answer } = questions();
    const batches = within(() => resource({ of: () => 'one', read }));
    void batches.refresh();
    void batches.refresh();
    await answer(1, 'second');
    expect(batches.current).toBe('second');
    await answer(0, 'first');
    expect(batches.current).toBe('second');
    await answer(2, 'third');
    expect(batches.current).toBe('third');
  });

  it('drops an answer that is older than what was set, and those that come when it is no longer shown', async () => {
    const { read, answer } = questions();
    const batches = within(() => resource({ of: () => 'one', read }));
    batches.current = 'set';
    await answer(0, 'older');
    expect(batches.current).toBe('set');
    void batches.refresh();
    stop();
    await answer(1, 'late');
    expect(batches.current).toBe('set');
    expect(stream.listeners).toHaveLength(0);
  });
});

describe('a persisted preference', () => {
  const stored = new Map<string, string>();
  beforeEach(() => {
    stored.clear();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('is there again at the next visit', () => {
    new Persisted('volume', 0.8).current = 0.3;
    expect(new Persisted('volume', 0.8).current).toBe(0.3);
  });

  it('falls back where another release or a person has written something else', () => {
    for (const text of ['"loud"', 'null', '{', '[1]', '']) {
      stored.set('dailies.volume', text);
      expect(new Persisted('volume', 0.8).current).toBe(0.8);
    }
    stored.set('dailies.recent', '["a", 1]');
    expect(new Persisted('recent', [], areTexts).current).toEqual([]);
  });

  it('keeps what another window has put into it since', () => {
    const areTexts = (value: unknown): value is string[] => Array.isArray(value);
    const [left, right] = [1, 2].map(() => new Persisted<string[]>('lists', [], areTexts));
    left?.change((now) => [...now, 'left']);
    right?.change((now) => [...now, 'right']);
    expect(right?.current).toEqual(['left', 'right']);
    expect(new Persisted<string[]>('lists', [], areTexts).current).toEqual(['left', 'right']);
  });
});
