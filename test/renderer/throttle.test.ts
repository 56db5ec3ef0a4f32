import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { atMostEvery } from '../../src/renderer/lib/throttle.ts';

describe('reading at most every so often', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reads at once, then once more for all that came meanwhile', async () => {
    let reads = 0;
    const readSoon = atMostEvery(1000, async () => {
      reads += 1;
    });
    for (let change = 0; change < 50; change += 1) readSoon();
    expect(reads).toBe(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(reads).toBe(1);
    readSoon();
    await vi.advanceTimersByTimeAsync(1);
    expect(reads).toBe(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reads).toBe(2);
  });

  it('never has two readings under way, so that an old answer cannot overtake a new one', async () => {
    let underWay = 0;
    let most = 0;
    const readSoon = atMostEvery(10, async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 500));
      underWay -= 1;
    });
    for (let change = 0; change < 20; change += 1) {
      readSoon();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(most).toBe(1);
  });

  it('starts again after it has come to rest', async () => {
    const read = vi.fn(() => Promise.resolve());
    const readSoon = atMostEvery(10, read);
    readSoon();
    await vi.advanceTimersByTimeAsync(1000);
    readSoon();
    expect(read).toHaveBeenCalledTimes(2);
  });
});
