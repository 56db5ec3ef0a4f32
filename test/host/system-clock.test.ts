import { systemClock } from '../../src/host/process-environment.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

describe('The clock of the command', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('sleeps as long as it is asked to, also longer than a timer of Node can', async () => {
    let awake = false;
    const sleep = systemClock.sleep(2 ** 31 + 5000).then(() => (awake = true));
    await vi.advanceTimersByTimeAsync(2 ** 31 + 4999);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
    expect(awake).toBe(true);
  });

  test('wakes with the very reason of the abort, and leaves no timer behind', async () => {
    const nap = new AbortController();
    const reason = new Error('The answer came.');
    const sleep = systemClock.sleep(60_000, { signal: nap.signal });
    const outcome = expect(sleep).rejects.toBe(reason);
    nap.abort(reason);
    await outcome;
    expect(vi.getTimerCount()).toBe(0);
    await expect(systemClock.sleep(1, { signal: nap.signal })).rejects.toBe(reason);
  });

  test('sleeps not at all until a time that is past, and Node warns of nothing', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout');
    const sleep = systemClock.sleep(-3);
    expect(timer.mock.calls[0]?.[1]).toBe(0);
    await vi.advanceTimersByTimeAsync(0);
    await sleep;
  });
});
