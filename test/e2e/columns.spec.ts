import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, openProject } from './support/window.ts';

test('a column gets another header, and goes away with its cells until that is taken back', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const rows = [
    ['shot', 'model', 'words', 'prompt'],
    ['010', 'vgen-2.0-nt', 'Old words', ''],
  ];
  const grid = await chooseList(page, csvFile('day.csv', rows));
  const headers = grid.getByRole('columnheader');
  const cells = grid.getByRole('row').nth(1).getByRole('gridcell');
  await page.getByRole('button', { name: t('list.columns'), exact: true }).click();
  const pane = page.getByRole('complementary', { name: t('list.columns') });
  await pane.getByRole('button', { name: 'Remove prompt', exact: true }).click();
  await expect(page.getByText(t('list.columnRemoved', { column: 'prompt' }))).toBeVisible();
  await expect(cells).toHaveCount(3);

  await pane.getByRole('button', { name: t('list.rename', { column: 'words' }) }).click();
  await expect(pane.getByRole('textbox', { name: t('list.headerOf', { column: 'words' }) })).toBeFocused();
  await page.keyboard.type('prompt');
  await page.keyboard.press('Enter');
  await expect(headers.nth(3)).toContainText('prompt');
  await expect(cells.nth(2)).toHaveText('Old words');
  await expect(page.getByText(t('start.noDefects'))).toBeVisible();

  const undo = page.getByRole('button', { name: t('common.undoStep', { done: '' }) });
  await undo.click();
  await expect(headers.nth(3)).toContainText('words');
  await undo.click();
  await expect(cells).toHaveCount(4);
  await grid.getByRole('button', { name: 'Column words' }).click();
  await page.getByRole('menuitem', { name: t('list.removeColumn') }).click();
  await expect(headers).toHaveCount(4);
  await expect(headers.nth(3)).toContainText('prompt');
});
