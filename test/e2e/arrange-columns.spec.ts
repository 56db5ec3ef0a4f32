import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, openProject } from './support/window.ts';

const list = csvFile('day.csv', [
  ['shot', 'model', 'prompt', 'duration', 'scene', 'notes'],
  ['010', 'vgen-2.0-nt', 'A pier', '4', 'Harbour', 'Early'],
  ['020', 'vgen-2.0-nt', 'A boat', '4', 'Harbour', 'Late'],
]);

test('columns are moved by their menu and hidden by keyboard, kept over a reload, and put back by Undo', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(page, list);
  const headers = grid.getByRole('columnheader');
  const titles = () => headers.evaluateAll((all) => all.slice(1).map((each) => each.getAttribute('title')));
  const choose = async (column: string, entry: string): Promise<void> => {
    await grid.getByRole('button', { name: t('list.columnMenu', { column }) }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await choose('scene', t('list.moveLeft'));
  await expect.poll(titles).toEqual(['shot', 'model', 'prompt', 'scene', 'duration', 'notes']);
  await page.keyboard.press('Control+k');
  await page.keyboard.type(t('list.columns'));
  await page.keyboard.press('Enter');
  const pane = page.getByRole('complementary', { name: t('list.columns') });
  await expectAccessible(page);
  await pane.getByRole('button', { name: t('list.showColumn', { column: 'model' }) }).focus();
  await page.keyboard.press('Space');
  await expect.poll(titles).toEqual(['shot', 'prompt', 'scene', 'duration', 'notes']);

  await page.reload();
  await expect(page.getByRole('grid')).toBeVisible();
  await expect.poll(titles).toEqual(['shot', 'prompt', 'scene', 'duration', 'notes']);
  await expect(grid.getByRole('row').nth(1).getByRole('gridcell').nth(2)).toHaveText('Harbour');

  await choose('scene', t('list.hideColumn'));
  await expect.poll(titles).toEqual(['shot', 'prompt', 'duration', 'notes']);
  await page
    .getByText(t('list.columnHidden', { column: 'scene' }))
    .locator('xpath=ancestor::li')
    .getByRole('button', { name: t('menu.role.undo') })
    .click();
  await expect.poll(titles).toEqual(['shot', 'prompt', 'scene', 'duration', 'notes']);
  await choose('scene', t('list.columnSettings'));
  await pane.getByRole('button', { name: t('common.restoreOrder') }).click();
  await expect.poll(titles).toEqual(['shot', 'model', 'prompt', 'duration', 'scene', 'notes']);
});

test('the undo key takes back cells, columns and views in the order in which they were changed', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(page, list);
  const titles = () =>
    grid.getByRole('columnheader').evaluateAll((all) => all.slice(1).map((each) => each.getAttribute('title')));
  const prompt = grid
    .getByRole('row')
    .nth(1)
    .getByRole('gridcell', { name: /pier|quay/ });
  await prompt.click();
  await page.keyboard.type('A quay');
  await page.keyboard.press('Enter');
  await expect(prompt).toHaveText('A quay');
  await grid.getByRole('button', { name: t('list.columnMenu', { column: 'scene' }) }).click();
  await page.getByRole('menuitem', { name: t('list.hideColumn') }).click();
  await expect.poll(titles).not.toContain('scene');
  await page.keyboard.press('Escape');
  await grid.focus();
  // Undo still works when the message has gone.
  await page.getByText(t('list.columnHidden', { column: 'scene' })).waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+z');
  await expect.poll(titles).toContain('scene');
  await expect(prompt).toHaveText('A quay');
  await page.keyboard.press('Control+z');
  await expect(prompt).toHaveText('A pier');
});

test('a header is dragged to another place, and frozen columns stay in sight', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(page, list);
  const header = (column: string) => grid.getByRole('columnheader', { name: column });
  const titles = () =>
    grid.getByRole('columnheader').evaluateAll((all) => all.slice(1).map((each) => each.getAttribute('title')));
  await header('notes').dragTo(header('model'), { sourcePosition: { x: 10, y: 10 }, targetPosition: { x: 10, y: 10 } });
  await expect.poll(titles).toEqual(['shot', 'notes', 'model', 'prompt', 'duration', 'scene']);

  await grid.getByRole('button', { name: t('list.columnMenu', { column: 'notes' }) }).click();
  await page.getByRole('menuitem', { name: t('list.freezeHere') }).click();
  await page.setViewportSize({ width: 900, height: 640 });
  const before = await header('notes').boundingBox();
  await grid.locator('xpath=..').evaluate((scroller) => (scroller.scrollLeft = 400));
  await expect.poll(async () => (await header('notes').boundingBox())?.x).toBe(before?.x);
  const cell = grid.getByRole('row').nth(1).getByRole('gridcell').nth(1);
  await expect(cell).toHaveText('Early');
  await expect.poll(async () => (await cell.boundingBox())?.x).toBe(before?.x);
});

test('the next defect leads into a column that is hidden', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const rows = [
    ['shot', 'model', 'prompt', 'duration'],
    ['010', 'vgen-2.0-nt', 'A pier', 'long'],
  ];
  const grid = await chooseList(page, csvFile('day.csv', rows));
  await grid.getByRole('button', { name: t('list.columnMenu', { column: 'duration' }) }).click();
  await page.getByRole('menuitem', { name: t('list.hideColumn') }).click();
  await expect(grid.getByRole('columnheader', { name: 'duration' })).toBeHidden();
  await page.keyboard.press('F8');
  await expect(grid.getByRole('columnheader', { name: 'duration' })).toBeVisible();
  await expect(grid.getByRole('gridcell', { name: 'long' })).toHaveAttribute('aria-invalid', 'true');
});
