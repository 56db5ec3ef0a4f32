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

test('a column of one’s own is renamed from its header, to another name or to a known column', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const rows = [
    ['shot', 'model', 'Zeit', 'prompt'],
    ['010', 'vgen-2.0-nt', '5', 'A boat'],
  ];
  const grid = await chooseList(page, csvFile('day.csv', rows));
  const rename = async (from: string, to: string): Promise<void> => {
    await grid.getByRole('button', { name: `Column ${from}` }).click();
    await page.getByRole('menuitem', { name: t('list.renameColumn') }).click();
    await expect(page.getByRole('textbox', { name: t('list.headerOf', { column: from }) })).toBeFocused();
    await page.keyboard.type(to);
    await page.keyboard.press('Enter');
    await expect(grid.getByRole('columnheader', { name: to })).toBeVisible();
    await expect(grid).toBeFocused();
  };
  await rename('Zeit', 'Tempo');
  await rename('Tempo', 'duration');
  await expect(page.getByText(/^1 new take, 5 s of video/)).toBeVisible();
  // A known column has no such entry.
  await grid.getByRole('button', { name: 'Column duration' }).click();
  await expect(page.getByRole('menuitem', { name: t('list.columnSettings') })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: t('list.renameColumn') })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(grid.getByRole('columnheader', { name: 'Tempo' })).toBeVisible();
  const pane = page.getByRole('complementary', { name: t('list.columns') });
  await pane.getByRole('combobox', { name: t('list.meaningOf', { column: 'Tempo' }) }).click();
  await page.getByRole('option', { name: t('column.duration') }).click();
  await expect(page.getByText(/^1 new take, 5 s of video/)).toBeVisible();
});
