import { existsSync } from 'node:fs';
import { say } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, test } from './support/app.ts';
import { chooseList, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

test('a project is renamed with its folder and archived by keyboard, each with a way back', async ({ app, page }) => {
  await app.open();
  const film = await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await settled(page, 2);
  await goTo(page, 'Projects');
  const other = isDesktop ? null : await page.context().newPage();
  await other?.goto(page.url());

  await page.getByRole('button', { name: say('projects.rename') }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Rename “Film”' });
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('The End');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: app.path('The End') })).toBeVisible();
  if (other) await expect(other.getByRole('complementary', { name: 'Project The End' })).toBeVisible();
  expect(existsSync(app.path('The End', '.dailies'))).toBe(true);
  expect(existsSync(film)).toBe(false);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByRole('row').filter({ hasText: film })).toBeVisible();
  expect(existsSync(film)).toBe(true);

  await page.getByRole('button', { name: say('projects.archiveIt'), exact: true }).focus();
  await page.keyboard.press('Enter');
  const archive = page.getByRole('region', { name: say('projects.archive') });
  await archive.getByRole('button', { name: 'Archive (1)' }).click();
  await expect(archive.getByText(film)).toBeVisible();
  if (other) await expect(other.getByRole('button', { name: 'Archive (1)' })).toBeVisible();
  await expectAccessible(page);
  await archive.getByRole('button', { name: 'Open again: Film' }).press('Enter');
  await expect(page.getByRole('complementary', { name: 'Project Film' })).toBeVisible();
  await expect(archive).toBeHidden();
});
