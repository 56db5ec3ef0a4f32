import { t } from '../../src/contract/messages/words.ts';
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
  await goTo(page, t('place.review'));
  const takes = page.getByRole('grid', { name: t('group.takes') });
  await expect(takes).toBeFocused();

  const grouping = page.getByRole('combobox', { name: t('common.groups') });
  await grouping.click();
  await page.getByRole('option', { name: t('review.groupByColumn', { column: 'Scene' }) }).click();
  const cells = takes.getByRole('gridcell');
  const headings = async () => (await cells.allTextContents()).filter((text) => / takes?$/.test(text.trim()));
  const expectHeadings = (...wanted: string[]) =>
    expect.poll(async () => (await headings()).map((text) => text.replace(/\s+/g, ' ').trim())).toEqual(wanted);
  await expectHeadings('10 2 takes', '2 2 takes', 'Without Scene 1 take');
  await expect(takes.getByRole('gridcell', { name: /S\d Take/ })).toContainText(['S0', 'S4', 'S1', 'S3', 'S2']);

  await page.reload();
  await expectHeadings('10 2 takes', '2 2 takes', 'Without Scene 1 take');

  await grouping.click();
  await page.getByRole('option', { name: t('review.groupBy', { by: 'verdict' }) }).click();
  await expectHeadings('No flag 5 takes');
  await takes.getByRole('gridcell', { name: 'S4 take 1' }).click();
  await page.keyboard.press('p');
  await expectHeadings('Picked 1 take', 'No flag 4 takes');
  await expect(takes.getByRole('gridcell', { name: /S\d Take/ }).first()).toContainText('S4');

  // A key puts them together by shot, and apart again.
  await page.keyboard.press('s');
  await expect(grouping).toHaveText(t('review.groupBy', { by: 'shot' }));
  await page.keyboard.press('s');
  await expect(grouping).toHaveText(t('review.notGrouped'));
  await expectHeadings();
});

test('a batch puts takes under the scene that its list says, and the queue under their batch', async ({
  app,
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 640 });
  await app.open();
  await openProject(app, page);
  const rows = ['Pier', 'Sea', 'Pier', ''].map((scene, at) => [`0${at}0`, 'image', 'image-demo', `Still ${at}`, scene]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt', 'Scene'], ...rows]));
  await startBatch(page);
  await settled(page, 4);
  await goTo(page, t('place.queue'));
  await expect(page.getByRole('combobox', { name: t('queue.projectShown') })).toHaveText(t('common.allProjects'));
  await page.getByRole('tab', { name: /^Done/ }).click();
  await page.getByRole('combobox', { name: t('common.groups') }).click();
  await page.getByRole('option', { name: t('review.groupBy', { by: 'batch' }) }).click();
  const grid = page.getByRole('grid', { name: t('queue.groupDone') });
  const heading = grid.getByRole('row', { name: 'Film · stills 4 takes' });
  await expect(heading).toBeVisible();
  await expectAccessible(page);
  // The keyboard passes over the headings.
  await grid.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(grid.locator('[aria-selected="true"]')).toContainText(/0[1-3]0/);
  await page.reload();
  await expect(heading).toBeVisible();
});

test('rows of a list stand under headings that fold, by mouse and keyboard, and edits keep them there', async ({
  app,
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 640 });
  await app.open();
  await openProject(app, page);
  const scenes = ['Sea', 'Pier', 'Sea', '', 'Pier'];
  const rows = scenes.map((scene, at) => [`0${at}0`, 'image', 'image-demo', at === 2 ? '' : `Still ${at}`, scene]);
  const grid = await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt', 'Scene'], ...rows]));
  await page.getByRole('combobox', { name: t('common.groups') }).click();
  await page.getByRole('option', { name: t('review.groupByColumn', { column: 'Scene' }) }).click();
  const lines = async () =>
    await grid.locator('[aria-rowindex]').evaluateAll((all) =>
      all
        .map(
          (line) => [Number(line.getAttribute('aria-rowindex')), line.querySelectorAll('[role="gridcell"]')] as const,
        )
        .filter(([, cells]) => cells.length > 0)
        .sort(([one], [other]) => one - other)
        .map(([, cells]) => cells[0]?.textContent.replaceAll(/\s+/g, ' ').trim() ?? ''),
    );
  const expectLines = (...wanted: readonly string[]) => expect.poll(lines).toEqual(wanted);
  const problems = t('list.groupProblems', { count: 1 });
  const [pier, sea] = ['Pier 2 rows', `Sea 2 rows ${problems}`];
  const without = `${t('review.groupWithoutColumn', { column: 'Scene' })} 1 row`;
  await expectLines(pier, '010', '040', sea, '000', '020', without, '030');
  await expectAccessible(page);

  // Folded by a click, opened by a key; arrows go over the headings.
  const heading = (name: string) => grid.locator('[role="gridcell"][aria-expanded]').filter({ hasText: name });
  await heading('Pier').click();
  await expect(heading('Pier')).toHaveAttribute('aria-expanded', 'false');
  await expectLines(pier, sea, '000', '020', without, '030');
  await page.keyboard.press('ArrowRight');
  await expectLines(pier, '010', '040', sea, '000', '020', without, '030');
  for (let at = 0; at < 3; at += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  await expectLines(pier, '010', '040', sea, without, '030');

  // A defect, and what is looked for, open the group that they are in.
  await page.keyboard.press('F8');
  await expectLines(pier, '010', '040', sea, '000', '020', without, '030');
  await page.keyboard.press('Alt+Shift+ArrowLeft');
  await expectLines(pier, '010', '040', sea, without, '030');
  await page.keyboard.press('ControlOrMeta+f');
  await page.keyboard.type('Still 0');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expectLines(pier, '010', '040', sea, '000', '020', without, '030');

  // A new row is one of the group; the whole of it is selected and copied by its heading.
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.keyboard.type('005');
  await page.keyboard.press('Enter');
  await expect(grid.getByRole('row').filter({ hasText: '005' })).toContainText('Sea');
  await heading('Pier').click({ button: 'right' });
  await page.getByRole('menuitem', { name: t('list.clear') }).hover();
  await page.keyboard.press('Escape');
  await expect(heading('Pier')).toHaveAttribute('aria-selected', 'true');

  // What is pasted beyond the last row in sight is of its group.
  const withoutScene = heading(t('review.groupWithoutColumn', { column: 'Scene' }));
  await withoutScene.click();
  await grid.getByRole('gridcell', { name: '010' }).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('ControlOrMeta+c');
  await grid.getByRole('gridcell', { name: '020' }).click();
  await page.keyboard.press('ControlOrMeta+v');
  await expect(heading('Sea')).toContainText(t('common.rows', { count: 4 }));
  await page.keyboard.press('ControlOrMeta+z');
  await expect(heading('Sea')).toContainText(t('common.rows', { count: 3 }));
  await withoutScene.click();

  // A row whose scene is another one goes there; undo brings it back.
  await grid.getByRole('gridcell', { name: 'Still 4' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type('Sea');
  await page.keyboard.press('Enter');
  await expect(heading('Pier')).toContainText('1 row');
  await expect(heading('Sea')).toContainText('4 rows');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(heading('Pier')).toContainText('2 rows');

  // All at once; what the list is grouped by is kept.
  await page.getByRole('button', { name: t('list.foldAll') }).click();
  await expect(grid.locator('[role="gridcell"][aria-expanded="false"]')).toHaveCount(3);
  await page.getByRole('button', { name: t('list.openAll') }).click();
  await page.reload();
  await expect(heading('Sea')).toHaveAttribute('aria-expanded', 'true');
});
