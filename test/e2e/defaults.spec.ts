import { readFileSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import { chooseList, csvFile, openProject, settled, startBatch } from './support/window.ts';

test('what rows do not say is said once, seen in their empty cells, saved with them and remembered', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const rows = [
    ['shot', 'prompt', 'duration'],
    ['010', 'A gull', ''],
    ['020', 'A pier', '6'],
  ];
  const grid = await chooseList(page, csvFile('day.csv', rows));
  const cell = (row: number, column: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);
  await expect(page.getByRole('button', { name: /error/ })).toBeVisible();

  await page.getByRole('button', { name: t('list.defaults'), exact: true }).click();
  const pane = page.getByRole('group', { name: t('list.defaultsFor') });
  await pane.getByLabel(t('common.model'), { exact: true }).fill('vgen-2.0-nt');
  await pane.getByLabel(t('column.duration')).fill('5');
  await pane.getByLabel(t('column.duration')).press('Tab');
  await expect(page.getByText(t('start.noDefects'))).toBeVisible();
  await expect(cell(1, 2)).toHaveText('5');
  await expect(cell(2, 2)).toHaveText('6');
  await expect(page.getByText(/^2 new takes, 11 s of video/)).toBeVisible();

  await page.getByRole('button', { name: t('common.undoStep', { done: '' }) }).click();
  await expect(pane.getByLabel(t('column.duration'))).toHaveValue('');
  await expect(cell(1, 2)).toHaveText('');
  await page.getByRole('button', { name: t('common.redoStep', { done: '' }) }).click();
  await page.reload();
  await expect(cell(1, 2)).toHaveText('5');

  const saved = page.waitForEvent('download');
  await grid.press('ControlOrMeta+s');
  expect(readFileSync(await (await saved).path(), 'utf8')).toContain('010,A gull,5,vgen-2.0-nt');
  await startBatch(page);
  await settled(page, 2);
  await page.getByRole('button', { name: t('batch.editAgain') }).click();
  await page.getByRole('button', { name: t('list.defaults'), exact: true }).click();
  await expect(pane.getByLabel(t('common.model'), { exact: true })).toHaveValue('vgen-2.0-nt');
  await expect(pane.getByLabel(t('column.duration'))).toHaveValue('5');
});

test('a default that a slow engine has not taken yet is given once, and undone in one step', async ({ app, page }) => {
  test.skip(isDesktop, 'the calls of a browser alone can be held');
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(
    page,
    csvFile('day.csv', [
      ['shot', 'prompt', 'duration'],
      ['010', 'A gull', ''],
    ]),
  );
  const cell = grid.getByRole('row').nth(1).getByRole('gridcell').nth(2);
  await page.getByRole('button', { name: t('list.defaults'), exact: true }).click();
  const duration = page.getByRole('group', { name: t('list.defaultsFor') }).getByLabel(t('column.duration'));
  const left = Promise.withResolvers<undefined>();
  await page.route('**/rpc/drafts/edit', async (route) => {
    await left.promise;
    await route.continue();
  });
  const given = page.waitForRequest('**/rpc/drafts/edit');
  await duration.fill('5');
  await given;
  await duration.press('Tab');
  left.resolve(undefined);
  await expect(cell).toHaveText('5');
  await page.getByRole('button', { name: t('common.undoStep', { done: '' }) }).click();
  await expect(duration).toHaveValue('');
  await expect(cell).toHaveText('');
});
