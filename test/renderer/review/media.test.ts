import { describe, expect, it } from 'vitest';
import { computePeaks } from '../../../src/renderer/lib/media/peaks-of.ts';
import { LatestFirstQueue } from '../../../src/renderer/lib/media/latest-first-queue.ts';

describe('a waveform', () => {
  it('holds the loudest sample of each part, over all channels', () => {
    const left = Float32Array.from([0.1, -0.5, 0.2, 0]);
    const right = Float32Array.from([0, 0.25, -0.75, 0.3]);
    expect(computePeaks([left, right], 2)).toEqual([0.5, 0.75]);
  });

  it('has no more points than the sound has samples, and none for no sound', () => {
    expect(computePeaks([Float32Array.from([0.5, 1])], 2000)).toEqual([0.5, 1]);
    expect(computePeaks([], 2000)).toEqual([]);
  });

  it('stays within 1 where the sound is clipped', () => {
    expect(computePeaks([Float32Array.from([1.7])], 1)).toEqual([1]);
  });
});

/** Work that ends when it is told to. */
function heldWork(): { work: () => Promise<string>; started: () => boolean; finish: (result: string) => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let started = false;
  return {
    work: () => {
      started = true;
      return promise;
    },
    started: () => started,
    finish: resolve,
  };
}

const nobodyLeaves = new AbortController().signal;

describe('pictures made in turn', () => {
  it('are made a few at a time, the latest request first', async () => {
    const turns = new LatestFirstQueue<string>(1);
    const [first, second, third] = [heldWork(), heldWork(), heldWork()];
    const done = turns.ask('first', first.work, nobodyLeaves);
    void turns.ask('second', second.work, nobodyLeaves);
    void turns.ask('third', third.work, nobodyLeaves);
    expect([first, second, third].map((each) => each.started())).toEqual([true, false, false]);
    first.finish('made');
    expect(await done).toBe('made');
    await Promise.resolve();
    expect([second, third].map((each) => each.started())).toEqual([false, true]);
  });

  it('are made once for all who ask meanwhile', async () => {
    const turns = new LatestFirstQueue<string>(2);
    const work = heldWork();
    const both = [turns.ask('same', work.work, nobodyLeaves), turns.ask('same', heldWork().work, nobodyLeaves)];
    work.finish('one');
    expect(await Promise.all(both)).toEqual(['one', 'one']);
  });

  it('are not made when they were scrolled away before their turn', async () => {
    const turns = new LatestFirstQueue<string>(1);
    const busy = heldWork();
    const gone = heldWork();
    const leaving = new AbortController();
    const first = turns.ask('busy', busy.work, nobodyLeaves);
    const request = turns.ask('gone', gone.work, leaving.signal);
    leaving.abort();
    expect(await request).toBeNull();
    busy.finish('made');
    await first;
    await Promise.resolve();
    expect(gone.started()).toBe(false);
  });

  it('are made for the views that still wait when another has scrolled away', async () => {
    const turns = new LatestFirstQueue<string>(1);
    const busy = heldWork();
    const shared = heldWork();
    const leaving = new AbortController();
    void turns.ask('busy', busy.work, nobodyLeaves);
    void turns.ask('shared', shared.work, leaving.signal);
    const staying = turns.ask('shared', shared.work, nobodyLeaves);
    leaving.abort();
    busy.finish('made');
    shared.finish('kept');
    expect(await staying).toBe('kept');
  });

  it('are nothing when making them failed, and the next one has its turn', async () => {
    const turns = new LatestFirstQueue<string>(1);
    const failing = turns.ask('failing', () => Promise.reject(new Error('broken film')), nobodyLeaves);
    const next = turns.ask('next', () => Promise.resolve('made'), nobodyLeaves);
    expect(await failing).toBeNull();
    expect(await next).toBe('made');
  });
});
