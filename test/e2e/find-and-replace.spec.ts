import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, openProject } from './support/window.ts';

test('a text is replaced in one column as one step, after its cells were counted', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const rows = [
    ['shot', 'model', 'prompt', 'duration', 'notes'],
    ['010', 'vgen-2.0-nt', 'A pier; the pier is wet', '4', 'pier'],
    ['020', 'vgen-2.0-nt', 'The Pier at night', '4', 'Late'],
    ['030', 'vgen-2.0-nt', 'A boat', '4', ''],
  ];
  const grid = await chooseList(page, csvFile('day.csv', rows));
  const prompt = (row: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(2);
  await page.keyboard.press('Control+h');
  const bar = page.getByRole('search', { name: t('list.findInList') });
  const find = bar.getByRole('textbox', { name: t('list.find'), exact: true });
  await expect(find).toBeFocused();
  await page.keyboard.type('pier');
  await expect(bar.getByText(t('list.foundTimes', { times: 4, cells: 3 }))).toBeVisible();
  await expectAccessible(page);
  await bar.getByLabel(t('list.filterColumn')).click();
  await page.getByRole('option', { name: 'prompt' }).click();
  await expect(bar.getByText(t('list.foundTimes', { times: 3, cells: 2 }))).toBeVisible();
  await bar.getByRole('button', { name: t('list.matchCase') }).click();
  await expect(bar.getByText(t('list.foundTimes', { times: 2, cells: 1 }))).toBeVisible();
  await bar.getByRole('button', { name: t('list.matchCase') }).click();

  await find.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.type('quay');
  await page.keyboard.press('Tab');
  await expect(bar.getByRole('button', { name: t('list.replace'), exact: true })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(bar.getByRole('button', { name: t('list.replaceCells', { cells: 2 }) })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(prompt(1)).toHaveText('A quay; the quay is wet');
  await expect(prompt(2)).toHaveText('The quay at night');
  await expect(grid.getByRole('row').nth(1).getByRole('gridcell').nth(4)).toHaveText('pier');
  await expect(bar.getByText(t('list.notFound'))).toBeVisible();

  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  await expect(grid).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(prompt(1)).toHaveText('A pier; the pier is wet');
  await expect(prompt(2)).toHaveText('The Pier at night');

  // From a button of the bar, from open choices only once they are closed, and from the grid.
  await page.keyboard.press('Control+f');
  await bar.getByRole('button', { name: t('list.wholeCell') }).focus();
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  await page.keyboard.press('Control+f');
  await bar.getByLabel(t('list.filterColumn')).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('option')).toHaveCount(0);
  await expect(bar).toBeVisible();
  await prompt(3).click();
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();

  // One after the other, by keyboard.
  await page.keyboard.press('Control+h');
  await page.keyboard.type('night');
  await page.keyboard.press('Enter');
  await bar.getByRole('textbox', { name: t('list.replaceWith') }).fill('dawn');
  await page.keyboard.press('Enter');
  await expect(prompt(2)).toHaveText('The Pier at dawn');
});
