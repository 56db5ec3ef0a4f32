import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, openProject, settled, startBatch } from './support/window.ts';

const list = csvFile('day.csv', [
  ['shot', 'model', 'prompt', 'duration'],
  ['010', 'vgen-2.0-nt', '{hero} on a pier', '4'],
  ['020', 'vgen-2.0-nt', 'A {{boat}}', '5'],
]);

test('a name in a prompt is sent as its text, which is seen before, and a changed text makes the row a changed one', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(page, list);
  const cell = (row: number, column: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);
  await cell(1, 2).click();
  await expect(cell(1, 2)).toHaveClass(/error/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type(t('list.promptLibrary'));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: t('list.promptLibrary') });
  const name = dialog.getByRole('textbox', { name: t('common.name') });
  await expect(name).toBeFocused();
  await page.keyboard.type('{hero}');
  await dialog.getByRole('textbox', { name: t('common.text') }).fill('A tall woman');
  await dialog.getByRole('button', { name: t('list.addVariable') }).click();
  await expect(dialog.getByRole('listitem')).toContainText(['A tall woman']);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  // No defect any more, and the text as it is sent.
  await expect(page.getByText(t('list.sentAs', { text: 'A tall woman on a pier' }))).toBeVisible();
  await expect(page.getByText(t('start.noDefects'))).toBeVisible();
  await cell(1, 2).dblclick();
  await expect(page.getByText(t('list.promptLengthExpanded', { characters: 22, written: 16 }))).toBeVisible();
  await page.keyboard.press('Escape');
  await cell(2, 2).click();
  await expect(page.getByText(t('list.sentAs', { text: 'A {boat}' }))).toBeVisible();
  await startBatch(page);
  await settled(page, 2);
  const sent = app.service.ledger.entries.map(({ body }) => JSON.stringify(body));
  expect(sent.filter((body) => body.includes('A tall woman on a pier'))).toHaveLength(1);
  expect(sent.filter((body) => body.includes('"A {boat}"'))).toHaveLength(1);

  // The list is opened again as it was written.
  await page.getByRole('button', { name: t('batch.editAgain') }).click();
  await expect(cell(1, 2)).toHaveText('{hero} on a pier');
  await expect(cell(2, 2)).toHaveText('A {{boat}}');
  await expect(grid.getByRole('columnheader')).toHaveCount(5);
});

test('the settings of a row are kept under a name and given to others, as one step', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(page, list);
  const cell = (row: number, column: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);
  await cell(1, 3).click();
  const openPresets = async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(t('list.presets'));
    await page.keyboard.press('Enter');
  };
  await openPresets();
  const dialog = page.getByRole('dialog', { name: t('list.presets') });
  await dialog.getByRole('textbox', { name: t('list.presetOf', { shot: '010' }) }).fill('Four seconds');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('model vgen-2.0-nt, duration 4')).toHaveCount(2);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  await cell(2, 3).click();
  await openPresets();
  await dialog.getByRole('button', { name: t('list.applyPresetNamed', { name: 'Four seconds', count: 1 }) }).click();
  await expect(cell(2, 3)).toHaveText('4');
  await expect(cell(2, 2)).toHaveText('A {{boat}}');
  await page.keyboard.press('Control+z');
  await expect(cell(2, 3)).toHaveText('5');

  await openPresets();
  await dialog.getByRole('button', { name: t('list.removeNamed', { column: 'Four seconds' }) }).click();
  await expect(dialog.getByRole('list')).toBeHidden();
  await page.keyboard.press('Escape');
  await page
    .getByRole('button', { name: t('menu.role.undo') })
    .last()
    .click();
  await cell(2, 3).click();
  await openPresets();
  await expect(dialog.getByText('Four seconds')).toBeVisible();
});
