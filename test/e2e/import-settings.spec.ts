import { t, withDots } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, openProject } from './support/window.ts';

test('how a list is read is out of sight, and changed in one place, which says that edits are lost', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const text = 'shot;model;prompt,long\n010;vgen-2.0-nt;A boat, at sea\n';
  const grid = await chooseList(page, { name: 'day.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await expect(grid.getByRole('columnheader')).toHaveCount(4);
  await expect(page.getByText('UTF-8')).toHaveCount(0);
  await page.getByRole('button', { name: t('menu.more') }).click();
  await page.getByRole('menuitem', { name: withDots('list.importSettings') }).click();
  const dialog = page.getByRole('dialog', { name: t('list.importSettings') });
  const again = dialog.getByRole('button', { name: t('list.reread') });
  await expect(again).toBeDisabled();
  await expect(dialog.getByText(t('list.rereadHint'))).toHaveCount(0);
  await expectAccessible(page);
  await dialog.getByRole('combobox', { name: t('list.delimiter') }).click();
  await page.getByRole('option', { name: t('list.comma') }).click();
  await again.click();
  await expect(grid.getByRole('columnheader')).toHaveCount(3);

  await grid.getByRole('row').nth(1).getByRole('gridcell').nth(1).click();
  await page.keyboard.type('edited');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+k');
  await page.keyboard.type(t('list.importSettings'));
  await page.keyboard.press('Enter');
  await expect(dialog.getByText(t('list.rereadHint'))).toBeVisible();
  await dialog.getByRole('combobox', { name: t('list.delimiter') }).click();
  await page.getByRole('option', { name: t('list.semicolon') }).click();
  await again.click();
  await expect(grid.getByRole('columnheader')).toHaveCount(4);
  await expect(grid.getByText('edited')).toHaveCount(0);
});

test('the kind of rows that say none is one of the defaults of a list', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const text = 'shot,model,prompt\n010,own-model,A boat\n';
  await chooseList(page, { name: 'day.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: t('list.defaults'), exact: true }).click();
  await page.getByRole('combobox', { name: t('list.defaultKind') }).click();
  await page.getByRole('option', { name: t('common.video') }).click();
  await expect(page.getByText(/^1 new take/)).toBeVisible();
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByRole('combobox', { name: t('list.defaultKind') })).toContainText(t('list.kindByModel'));
});
