import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, openProject } from './support/window.ts';

const list = csvFile('day.csv', [
  ['shot', 'prompt', 'model', 'aspect_ration', 'kind'],
  ['010', '{hero} on a pier', '', '16:9', 'video'],
  ['020', 'A boat', 'vgen-2.0-nt', '', 'video'],
  ['030', 'A gull', '', '', 'video'],
]);

test('each problem with a known remedy has it as a button, and undo takes it back', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(page, list);
  const cell = (row: number, column: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);
  await page.getByRole('button', { name: t('list.defects'), exact: true }).click();
  const pane = page.getByRole('complementary', { name: t('list.defects') });
  await expect(pane.getByRole('listitem')).toHaveCount(3);
  await expectAccessible(page);

  await pane.getByRole('button', { name: t('list.chooseModel') }).click();
  await expect(page.getByRole('menuitem', { name: 'vgen-2.0-nt', exact: true })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'image-demo', exact: true })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('menuitem', { name: 'vgen-2.0-cl', exact: true }).click();
  await expect(cell(1, 2)).toHaveText('vgen-2.0-cl');
  await expect(cell(2, 2)).toHaveText('vgen-2.0-nt');
  await expect(cell(3, 2)).toHaveText('vgen-2.0-cl');

  await pane.getByRole('button', { name: t('list.renameTo', { name: 'aspect_ratio' }) }).click();
  await expect(grid.getByRole('columnheader', { name: 'aspect_ratio' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+z');
  await expect(grid.getByRole('columnheader', { name: 'aspect_ration' })).toBeVisible();
  await pane.getByRole('button', { name: t('list.renameTo', { name: 'aspect_ratio' }) }).click();

  // At the line above the grid too.
  await cell(1, 1).click();
  await page
    .getByRole('button', { name: t('list.addVariable') })
    .first()
    .click();
  const library = page.getByRole('dialog', { name: t('list.promptLibrary') });
  await expect(library.getByRole('textbox', { name: t('common.name') })).toHaveValue('hero');
  await expect(library.getByRole('textbox', { name: t('common.text') })).toBeFocused();
  await page.keyboard.type('A tall woman');
  await library.getByRole('button', { name: t('list.addVariable') }).click();
  await expect(library.getByRole('listitem')).toContainText(['A tall woman']);
  await page.keyboard.press('Escape');
  await expect(page.getByText(t('start.noDefects'), { exact: true })).toBeVisible();
});

test('a list without a model column, such as that of a script, gets one with the chosen model', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(
    page,
    csvFile('script.csv', [
      ['shot', 'prompt'],
      ['010', 'A pier'],
      ['020', 'A boat'],
    ]),
  );
  await page.getByRole('button', { name: t('list.defects'), exact: true }).click();
  await page.getByRole('button', { name: t('list.chooseModel') }).click();
  await page.getByRole('menuitem', { name: 'vgen-2.0-nt', exact: true }).click();
  await expect(grid.getByRole('row').nth(2).getByRole('gridcell').nth(2)).toHaveText('vgen-2.0-nt');
  await expect(page.getByText(t('start.noDefects'), { exact: true })).toBeVisible();
});
