import { say } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('takes stand together by a column of the list, with counts, and by their verdicts as these are given', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const rows = ['10', '2', '', '2', '10'].map((scene, index) => [
    `S${index}`,
    'image',
    'image-demo',
    `A still of ${index}`,
    scene,
  ]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt', 'Scene'], ...rows]));
  await startBatch(page);
  await settled(page, 5);
  await goTo(page, 'Review');
  const takes = page.getByRole('grid', { name: say('group.takes') });
  await expect(takes).toBeFocused();

  const grouping = page.getByRole('combobox', { name: say('review.grouping') });
  await grouping.click();
  await page.getByRole('option', { name: say('review.groupByColumn', { column: 'Scene' }) }).click();
  const cells = takes.getByRole('gridcell');
  const headings = async () => (await cells.allTextContents()).filter((text) => / takes?$/.test(text.trim()));
  const expectHeadings = (...wanted: string[]) =>
    expect.poll(async () => (await headings()).map((text) => text.replace(/\s+/g, ' ').trim())).toEqual(wanted);
  await expectHeadings('2 2 takes', '10 2 takes', 'Without Scene 1 take');
  await expect(takes.getByRole('gridcell', { name: /S\d Take/ })).toContainText(['S1', 'S3', 'S0', 'S4', 'S2']);

  await page.reload();
  await expectHeadings('2 2 takes', '10 2 takes', 'Without Scene 1 take');

  await grouping.click();
  await page.getByRole('option', { name: say('review.groupBy', { by: 'verdict' }) }).click();
  await expectHeadings('No flag 5 takes');
  await takes.getByRole('gridcell', { name: 'S4 take 1' }).click();
  await page.keyboard.press('p');
  await expectHeadings('Picked 1 take', 'No flag 4 takes');
  await expect(takes.getByRole('gridcell', { name: /S\d Take/ }).first()).toContainText('S4');

  // A key puts them together by shot, and apart again.
  await page.keyboard.press('s');
  await expect(grouping).toHaveText(say('review.groupBy', { by: 'shot' }));
  await page.keyboard.press('s');
  await expect(grouping).toHaveText(say('review.notGrouped'));
  await expectHeadings();
});

test('the queue puts takes under the scene that their list says', async ({ app, page }) => {
  await page.setViewportSize({ width: 1024, height: 640 });
  await app.open();
  await openProject(app, page);
  const rows = ['Pier', 'Sea', 'Pier', ''].map((scene, at) => [`0${at}0`, 'image', 'image-demo', `Still ${at}`, scene]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt', 'Scene'], ...rows]));
  await startBatch(page);
  await settled(page, 4);
  await goTo(page, 'Queue');
  await page.getByRole('combobox', { name: say('queue.projectShown') }).click();
  await page.getByRole('option', { name: 'Film' }).click();
  await page.getByRole('tab', { name: /^Done/ }).click();
  await page.getByRole('combobox', { name: say('review.grouping') }).click();
  await page.getByRole('option', { name: say('review.groupByColumn', { column: 'Scene' }) }).click();
  const grid = page.getByRole('grid', { name: say('queue.groupDone') });
  await expect(grid.getByRole('row', { name: 'Pier 2 takes' })).toBeVisible();
  await expect(grid.getByRole('row', { name: 'Sea 1 take' })).toBeVisible();
  await expect(grid.getByRole('row', { name: say('review.groupWithoutColumn', { column: 'Scene' }) })).toBeVisible();
  await expectAccessible(page);
  // The keyboard passes over the headings.
  await grid.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(grid.locator('[aria-selected="true"]')).toContainText('010');
  await page.reload();
  await expect(grid.getByRole('row', { name: 'Pier 2 takes' })).toBeVisible();
});
