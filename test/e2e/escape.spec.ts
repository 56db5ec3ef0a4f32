import type { Locator, Page } from '@playwright/test';
import { expect, test } from './support/app.ts';
import { chooseList, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';
import { t } from '../../src/contract/messages/words.ts';

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
  const shown = await restOn(page, chooser.getByRole('button', { name: t('window.parentFolder') }));
  await page.keyboard.press('Escape');
  await expect(chooser).toBeHidden();
  await expect(shown).toBeHidden();

  await openProject(app, page);
  await chooseList(page, videoList(1));
  await startBatch(page);
  await settled(page, 1);
  await goTo(page, t('place.review'));
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();
  await page.keyboard.press('Enter');
  const play = page.getByRole('button', { name: t('review.play'), exact: true });
  await expect(play).toBeVisible();
  const tooltip = await restOn(page, play);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeVisible();
  await expect(tooltip).toBeHidden();
});

test('Escape in the name of a new folder ends the naming alone, and Enter makes the folder', async ({ app, page }) => {
  await app.open();
  await page.getByRole('button', { name: /^Open or create/ }).click();
  const chooser = page.getByRole('dialog');
  const path = chooser.getByRole('textbox', { name: t('common.folder'), exact: true });
  await path.fill(app.folder);
  await path.press('Enter');
  await expect(chooser.getByRole('listbox')).toBeFocused();
  const newFolder = chooser.getByRole('button', { name: t('window.newFolder') });
  const name = chooser.getByRole('textbox', { name: t('window.newFolderName') });
  await newFolder.click();
  await expect(name).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(name).toBeHidden();
  await newFolder.click();
  await name.fill('night one');
  await page.keyboard.press('Enter');
  await expect(path).toHaveValue(app.path('night one'));
  await expect(name).toBeHidden();
  await expect(chooser.getByRole('listbox')).toBeFocused();
});
