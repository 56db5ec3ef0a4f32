import { writeFileSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled } from './support/window.ts';

test('a described shot says how many takes it asks for, how long they are and what they cost before it is queued', async ({
  app,
  page,
}) => {
  const prices = [{ model: 'vgen-2.0-nt', per: 'second', price: 0.5 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ currency: 'EUR', prices }));
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.batch'));
  await page.getByRole('button', { name: t('batch.describeShot') }).click();
  const dialog = page.getByRole('dialog', { name: t('batch.describeShot') });
  await expect(dialog.getByRole('button', { name: t('batch.queueShot') })).toBeVisible();
  await dialog.getByRole('textbox', { name: t('common.prompt') }).fill('A pier in the rain');
  await dialog.getByRole('combobox', { name: t('common.model') }).fill('vgen-2.0-nt');
  await dialog.getByLabel(t('column.duration')).fill('5');
  await expect(dialog.getByText('1 take, 5 s, 2.50 EUR')).toBeVisible();
  await dialog.getByText(t('menu.more'), { exact: true }).click();
  await dialog.getByLabel(t('column.takes')).fill('3');
  await expect(dialog.getByText('3 takes, 15 s, 7.50 EUR')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Queue 3 takes' }).click();
  await settled(page, 3);
});

test('the row of a list is edited in a form beside the grid, which follows the cursor and is undone as cells are', async ({
  app,
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 640 });
  await app.open();
  await openProject(app, page);
  const rows = [
    ['shot', 'model', 'prompt', 'duration', 'scene'],
    ['010', 'vgen-2.0-nt', 'A pier', '4', 'Harbour'],
    ['020', 'vgen-2.0-nt', 'A boat', 'long', ''],
  ];
  const grid = await chooseList(page, csvFile('day.csv', rows));
  const cell = (row: number, column: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);
  await cell(1, 2).click();
  await page.keyboard.press('ControlOrMeta+i');
  const form = page.getByRole('group', { name: t('list.rowForm') });
  const prompt = form.getByRole('textbox', { name: t('common.prompt') });
  await expect(prompt).toBeFocused();
  await expect(prompt).toHaveValue('A pier');
  await prompt.fill('A pier at dawn');
  await page.keyboard.press('Escape');
  await expect(grid).toBeFocused();
  await expect(cell(1, 2)).toHaveText('A pier at dawn');
  await page.keyboard.press('Control+z');
  await expect(cell(1, 2)).toHaveText('A pier');

  // It follows the cursor, says what is wrong in its field, and adds a column that the list lacks.
  await page.keyboard.press('ArrowDown');
  await expect(prompt).toHaveValue('A boat');
  const duration = form.getByLabel(t('column.duration'));
  await expect(duration).toHaveAccessibleDescription(/not a number/);
  // What the row had before is read in its field; what typing has brought about is announced.
  await expect(form.getByRole('alert')).toHaveCount(0);
  await expectAccessible(page);
  const enter = async (text: string) => {
    await duration.fill(text);
    await page.keyboard.press('Enter');
    await expect(cell(2, 3)).toHaveText(text);
  };
  await enter('5');
  await expect(duration).not.toHaveAccessibleDescription(/not a number/);
  await enter('soon');
  await expect(form.getByRole('alert')).toHaveText(/not a number/);
  await enter('5');
  await expect(duration).not.toHaveAccessibleDescription(/not a number/);
  await form.getByLabel('scene').fill('Sea');
  await form.getByText(t('menu.more'), { exact: true }).click();
  await form.getByLabel(t('column.notes')).fill('Twice');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(form.getByLabel(t('column.notes'))).toBeFocused();
  await expect(form.getByLabel(t('column.notes'))).toHaveValue('');
  await expect(cell(2, 4)).toHaveText('Sea');
  await expect(cell(2, 5)).toHaveText('Twice');

  // Kept open for this list.
  await page.reload();
  await expect(prompt).toHaveValue('A pier');
  await expect(grid).toBeFocused();
});
