import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { reviewStills } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('takes are put into the trash, restored, and removed for good, by keyboard alone', async ({ app, page }) => {
  const { takes, project } = await reviewStills(app, page);
  const tiles = takes.getByRole('gridcell');
  const dialog = page.getByRole('dialog');
  const lying = () => (existsSync(join(project, '.trash')) ? readdirSync(join(project, '.trash')).length : 0);
  const palette = async (title: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(title);
    await page.keyboard.press('Enter');
  };

  await page.keyboard.press('Control+Backspace');
  await expect(dialog).toContainText(t('trash.chargeStays'));
  await expect(dialog).toContainText(t('trash.unjudgedAmongThem', { count: 1 }));
  await expect(dialog.getByRole('button', { name: t('trash.moveToTrash') })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(tiles).toHaveCount(2);
  expect(lying()).toBe(1);
  await page.keyboard.press('Control+z');
  await expect(tiles).toHaveCount(3);
  expect(lying()).toBe(0);

  await palette(t('trash.showTrash'));
  // The way back is there once the grid has been read; the bar with the filters has one too, without words.
  const showAll = page.getByText(t('review.showAllSaved'));
  await expect(showAll).toBeVisible();
  await expect(page.getByText(t('trash.isEmpty'))).toHaveCount(1);
  await showAll.press('Enter');
  await expect(tiles).toHaveCount(3);

  // All but the picks of the batch.
  await takes.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('p');
  await palette('Keep picks');
  await expect(dialog).toContainText('of stills only');
  await expect(dialog).toContainText('The files of 2 takes go to the trash');
  await page.keyboard.press('Enter');
  await expect(tiles).toHaveCount(1);
  expect(lying()).toBe(2);

  await palette(t('trash.showTrash'));
  await expect(tiles).toHaveCount(2);
  await expect(tiles.first()).toContainText(t('trash.inTrash'));
  await expect(page.getByRole('region', { name: t('trash.trash') })).toContainText('2 takes in the trash');
  await expectAccessible(page);
  await takes.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Control+Shift+Backspace');
  await expect(tiles).toHaveCount(1);
  expect(lying()).toBe(1);

  await palette(t('trash.emptyTrash'));
  await expect(dialog).toContainText('cannot be restored');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: /^Delete .* permanently$/ }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect.poll(lying).toBe(0);
  await expect(tiles.first()).toContainText(t('trash.removedFromTrash'));
  await expect(page.getByRole('region', { name: t('trash.trash') })).toContainText(t('trash.isEmpty'));
  await takes.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(page.getByText('were removed when the trash was emptied')).toBeVisible();
});
