import { quantile, type ManySided } from '../measure.ts';
import type { BenchWindow } from './browser.ts';

/** Three thousand pixels a second, as a brisk turn of the wheel, for two seconds. */
const FRAMES = 120;
const STEP = 50;

/**
 * `frame`: the time from frame to frame that all but a twentieth stay below, ms. `work`: what the main thread of the
 * page spends on a frame, ms of the processor, which says the same on a busy machine as on a quiet one.
 */
export type Scrolling = 'frame' | 'work';

/** One side that scrolls what lies around `selector`, each round on from where the last one ended. */
export const scrolling = (name: string, window: BenchWindow, selector: string): ManySided<Scrolling> => ({
  name,
  async measure() {
    await window.page.bringToFront();
    const before = await window.mainThread();
    const gaps = await window.ask<number[]>(`scroll('${selector}', ${FRAMES}, ${STEP})`);
    const spent = (await window.mainThread()) - before;
    return {
      frame: quantile(
        gaps.toSorted((a, b) => a - b),
        0.95,
      ),
      work: spent / FRAMES,
    };
  },
});
