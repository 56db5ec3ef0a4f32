import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, openProject } from './support/window.ts';

test('selected rows are changed in one column as one step, after their new texts were seen', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const rows = [
    ['shot', 'model', 'prompt', 'duration'],
    ['010', 'vgen-2.0-nt', 'A pier', '4'],
    ['020', 'vgen-2.0-nt', 'A boat', '5'],
    ['030', 'vgen-2.0-nt', 'A gull', '6'],
  ];
  const grid = await chooseList(page, csvFile('day.csv', rows));
  const cell = (row: number, column: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);
  // As it opens there is nothing to apply: no key is emptied by an Enter.
  await cell(1, 0).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+Shift+e');
  const first = page.getByRole('dialog', { name: t('list.bulkTitle', { count: 2 }) });
  await expect(first.getByRole('button', { name: t('list.bulkApply', { count: 0 }) })).toBeDisabled();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(cell(1, 0)).toHaveText('010');

  await cell(1, 3).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+Shift+e');
  const dialog = page.getByRole('dialog', { name: t('list.bulkTitle', { count: 2 }) });
  await expect(dialog.getByLabel(t('list.bulkColumn'))).toContainText('duration');
  const text = dialog.getByRole('textbox', { name: t('common.text') });
  await expect(text).toBeFocused();
  await page.keyboard.type('long');
  await expect(dialog.getByRole('row', { name: /010/ })).toContainText('long');
  await expectAccessible(page);
  await text.fill('5');
  await expect(dialog.getByText(t('list.bulkCount', { changed: 1, count: 2 }))).toBeVisible();

  await dialog.getByLabel(t('list.bulkColumn')).click();
  await page.getByRole('option', { name: 'prompt' }).click();
  await dialog.getByLabel(t('list.bulkAction')).click();
  await page.getByRole('option', { name: t('list.bulkAppend') }).click();
  await text.fill(', 35 mm');
  await dialog.getByRole('button', { name: t('list.bulkApply', { count: 2 }) }).click();
  await expect(cell(1, 2)).toHaveText('A pier, 35 mm');
  await expect(cell(2, 2)).toHaveText('A boat, 35 mm');
  await expect(cell(3, 2)).toHaveText('A gull');
  await expect(page.getByText(t('list.replaced', { count: 2 }))).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(cell(1, 2)).toHaveText('A pier');
  await expect(cell(2, 2)).toHaveText('A boat');
});
