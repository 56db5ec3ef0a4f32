import { expect, type Page } from '@playwright/test';
import { t } from '../../../src/contract/messages/words.ts';
import { goTo, pictured } from '../../e2e/support/window.ts';
import type { Scene, Stage } from '../stage.ts';

const takes = (page: Page) => page.getByRole('grid', { name: t('group.takes') });

/** Verdicts as after a morning's work. */
async function judge(page: Page): Promise<void> {
  await takes(page).focus();
  for (const key of ['p', 'x', '4', '3', 'p', '2', '5', 'x', '4', 'p']) await page.keyboard.press(key);
  await page.keyboard.press('Home');
}

async function search(page: Page, words: string): Promise<void> {
  await page.getByRole('searchbox', { name: t('review.searchWords') }).fill(words);
  await expect(page).toHaveURL(new RegExp(`text=${words}`));
  await page.keyboard.press('Enter');
  await page.waitForTimeout(600);
}

async function sideBySide({ page, camera }: Stage): Promise<void> {
  await takes(page).focus();
  await page.keyboard.press('Home');
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('c');
  await page.getByText(t('review.comparing', { count: 3 })).waitFor();
  // Their length is known once they can be stepped through.
  await expect(page.getByRole('slider', { name: t('review.position') })).toHaveAttribute('aria-valuemax', /^[1-9]/);
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Shift+>');
  // Each film shows its frame a moment later.
  await page.waitForTimeout(1000);
  await camera.keep('review-compare');
  await camera.take('review-compare');
  await page.keyboard.press('Escape');
  await search(page, 'P01');
  await page.keyboard.press('Home');
  await page.keyboard.press('c');
  await page.getByText(t('review.comparing', { count: 2 })).waitFor();
  await camera.take('review-compare-stills');
  await page.keyboard.press('w');
  await page.getByRole('slider', { name: t('review.wipeEdge') }).waitFor();
  await camera.take('review-wipe');
  await page.keyboard.press('Escape');
}

/** Notes at frames of the open take, one of them with a drawing. */
async function noteFrames({ page, camera }: Stage): Promise<void> {
  const notes = page.getByRole('complementary', { name: t('review.frameNotes') });
  await page.keyboard.press('Shift+n');
  await notes.getByRole('textbox').fill('Lamp is too bright');
  await notes.getByRole('textbox').press('Enter');
  await page.keyboard.press('Shift+>');
  await page.keyboard.press('Shift+n');
  await notes.getByRole('textbox').fill('Boat leaves the picture here: hold it longer');
  const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator('video').boundingBox()) ?? {};
  await page.mouse.move(x + width * 0.35, y + height * 0.5);
  await page.mouse.down();
  for (let turn = 0; turn <= 6.3; turn += 0.3)
    await page.mouse.move(x + width * (0.45 - 0.1 * Math.cos(turn)), y + height * (0.5 - 0.15 * Math.sin(turn)));
  await page.mouse.up();
  await camera.take('review-note');
  await notes.getByRole('textbox').press('Enter');
  await camera.take('review-notes');
}

/** The sample film as it is judged. */
export const reviewScene: Scene = {
  name: 'review',
  play: async (stage) => {
    const { app, page, camera } = stage;
    await app.open();
    await page.getByRole('button', { name: t('welcome.sample') }).click();
    // Real films are made meanwhile, which takes a slow machine minutes.
    await page
      .getByRole('banner')
      .getByText(t('window.progress', { done: 24, total: 24, failed: 0 }))
      .waitFor({ timeout: 300_000 });
    await camera.take('review-projects');
    await goTo(page, t('place.review'));
    await judge(page);
    await pictured(takes(page));
    await camera.take('review-grid');
    await camera.keep('review');
    await page.keyboard.press('s');
    await camera.take('review-grouped');
    await page.keyboard.press('s');
    await page.keyboard.press('Shift+E');
    await page.getByText(t('cut.ofPicks')).waitFor();
    await camera.take('review-export-cut');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByRole('toolbar', { name: t('group.player') }).waitFor();
    await page.waitForTimeout(3000);
    for (const key of ['i', 'Shift+>', 'Shift+>', 'o', 'Shift+<']) await page.keyboard.press(key);
    await camera.take('review-single');
    await noteFrames(stage);
    await page.keyboard.press('Escape');
    await sideBySide(stage);
    await search(page, 'M01');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('toolbar', { name: t('group.player') }).waitFor();
    await page.waitForTimeout(1500);
    await camera.take('review-music');
    await page.keyboard.press('Escape');
    await search(page, 'nowhere');
    await camera.take('review-none');
  },
};
