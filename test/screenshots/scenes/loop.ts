import { expect, type Page } from '@playwright/test';
import { chooseList, goTo, openProject, pictured, startBatch } from '../../e2e/support/window.ts';
import { sampleList } from '../sample-list.ts';
import type { Scene } from '../stage.ts';
import { t } from '../../../src/contract/messages/words.ts';

/** How much of the run is over when the queue is shown. */
const MOMENTS = [0.1, 0.3, 0.6];

/** The whole job in a few seconds, as the README shows it: list, queue, review. */
export const loopScene: Scene = {
  name: 'loop',
  service: { media: 'real', speed: { videoMs: 9000, imageMs: 5000, musicMs: 6000, jitter: 0.7 } },
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'The Keeper');
    await chooseList(page, sampleList);
    await expect(page.getByRole('button', { name: t('start.start') })).toBeEnabled();
    await camera.frame(2200);
    await startBatch(page);
    await goTo(page, t('place.queue'));
    for (const moment of MOMENTS) {
      await expect.poll(() => doneShare(page), { timeout: 300_000 }).toBeGreaterThanOrEqual(moment);
      await camera.frame(1300);
    }
    await expect.poll(() => doneShare(page), { timeout: 300_000 }).toBe(1);
    await goTo(page, t('place.review'));
    await judge(page, (ms) => camera.frame(ms));
    await camera.film('loop');
    await goTo(page, t('place.spending'));
    await page.getByRole('tab', { name: t('stats.title') }).click();
    await page.getByRole('img', { name: t('stats.success') }).waitFor();
    await camera.take('loop-statistics');
  },
};

async function doneShare(page: Page): Promise<number> {
  const [, done, total] = /(\d+) ?\/ ?(\d+)/.exec(await page.getByRole('banner').innerText()) ?? [];
  return Number(done) / Number(total);
}

async function judge(page: Page, frame: (ms: number) => Promise<void>): Promise<void> {
  const takes = page.getByRole('grid', { name: t('group.takes') });
  await expect(takes.getByRole('gridcell').first()).toBeVisible();
  await pictured(takes);
  await takes.focus();
  await frame(1300);
  for (const key of ['5', 'p', 'x', '4', 'p']) {
    await page.keyboard.press(key);
    await frame(500);
  }
  await page.keyboard.press('Home');
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('c');
  await expect(page.getByRole('slider', { name: t('review.position') })).toHaveAttribute('aria-valuemax', /^[1-9]/);
  await frame(2200);
}
