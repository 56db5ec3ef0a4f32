import type { Locator, Page } from '@playwright/test';
import { expect, test } from './support/app.ts';
import { chooseList, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';
import { say } from '../../src/contract/messages/words.ts';

/** Rests the pointer on a button until its tooltip is there. */
async function restOn(page: Page, button: Locator): Promise<Locator> {
  const tooltip = page.locator('[data-tooltip-content]');
  await button.hover();
  await expect(tooltip).toBeVisible();
  return tooltip;
}

test('Escape closes a dialogue and goes back from a take at once, though the pointer rests on a button', async ({
  app,
  page,
}) => {
  await app.open();
  await page.getByRole('button', { name: /^Open or create/ }).click();
  const chooser = page.getByRole('dialog');
  const shown = await restOn(page, chooser.getByRole('button', { name: say('window.parentFolder') }));
  await page.keyboard.press('Escape');
  await expect(chooser).toBeHidden();
  await expect(shown).toBeHidden();

  await openProject(app, page);
  await chooseList(page, videoList(1));
  await startBatch(page);
  await settled(page, 1);
  await goTo(page, say('place.review'));
  await expect(page.getByRole('grid', { name: say('group.takes') })).toBeFocused();
  await page.keyboard.press('Enter');
  const play = page.getByRole('button', { name: say('review.play'), exact: true });
  await expect(play).toBeVisible();
  const tooltip = await restOn(page, play);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid', { name: say('group.takes') })).toBeVisible();
  await expect(tooltip).toBeHidden();
});
