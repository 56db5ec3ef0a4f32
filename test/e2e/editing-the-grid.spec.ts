import type { Locator } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  button,
  cellAt,
  choose,
  chooseList,
  csvFile,
  enter,
  openInProject,
  press,
  runCommand,
} from './support/window.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const header = (grid: Locator, column: string): Locator => grid.getByRole('columnheader', { name: column });

const titles = (grid: Locator) => () =>
  grid.getByRole('columnheader').evaluateAll((all) => all.slice(1).map((each) => each.getAttribute('title')));

const columnMenu = (grid: Locator, column: string, entry: string): Promise<void> =>
  choose(button(grid, t('list.columnMenu', { column })), entry, 'menuitem');

test('cells are edited in blocks, in one column at once and by search, each as one step @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  let grid = await chooseList(
    page,
    csvFile('blocks.csv', [
      ['shot', 'kind', 'model', 'prompt', 'duration'],
      ['010', 'video', 'vgen-2.0-nt', 'A harbour', '4'],
      ['020', 'video', 'vgen-2.0-nt', '', '4'],
      ['030', 'video', 'vgen-2.0-nt', 'A pier', '4'],
    ]),
  );
  await expect(grid).toBeFocused();

  await test.step('they are pasted beyond the end, copied, and taken back in one step', async () => {
    const text = 'A boat\t5\nA gull\t6\nA lamp\t7\n';
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await cellAt(grid, 3, 3).click();
    await page.keyboard.press('ControlOrMeta+v');
    await expect(grid.getByRole('row')).toHaveCount(6);
    await expect(cellAt(grid, 3, 3)).toHaveText('A boat');
    await expect(cellAt(grid, 5, 4)).toHaveText('7');
    await page.keyboard.press('ControlOrMeta+c');
    await expect.poll(() => app.clipboard()).toBe(text);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(grid.getByRole('row')).toHaveCount(4);
    await expect(cellAt(grid, 3, 3)).toHaveText('A pier');
    await page.keyboard.press('ControlOrMeta+y');
    await expect(grid.getByRole('row')).toHaveCount(6);
  });

  grid = await chooseList(
    page,
    csvFile('day.csv', [
      ['shot', 'model', 'prompt', 'duration', 'notes'],
      ['010', 'vgen-2.0-nt', 'A pier; the pier is wet', '4', 'pier'],
      ['020', 'vgen-2.0-nt', 'The Pier at night', '5', 'Late'],
      ['030', 'vgen-2.0-nt', 'A boat', '6', ''],
    ]),
  );
  const prompt = (row: number): Locator => cellAt(grid, row, 2);

  await test.step('a change of many rows is seen before it is applied', async () => {
    const dialog = page.getByRole('dialog', { name: t('list.bulkTitle', { count: 2 }) });
    const text = dialog.getByRole('textbox', { name: t('common.text') });
    await cellAt(grid, 1, 3).click();
    await press(page, 'Shift+ArrowDown', 'Control+Shift+e');
    // As it opens there is nothing to apply: no cell is emptied by an Enter.
    await expect(text).toBeFocused();
    await expect(button(dialog, t('list.bulkApply', { count: 0 }))).toBeDisabled();
    const column = dialog.getByLabel(t('list.bulkColumn'));
    await expect(column).toContainText('duration');
    await page.keyboard.type('long');
    await expect(dialog.getByRole('row', { name: /010/ })).toContainText('long');
    await expectAccessible(page);
    await text.fill('5');
    await expect(dialog.getByText(t('list.bulkCount', { changed: 1, count: 2 }))).toBeVisible();

    await choose(column, 'prompt');
    await choose(dialog.getByLabel(t('list.bulkAction')), t('list.bulkAppend'));
    await text.fill(', 35 mm');
    await button(dialog, t('list.bulkApply', { count: 2 })).click();
    await expect(prompt(1)).toHaveText('A pier; the pier is wet, 35 mm');
    await expect(prompt(2)).toHaveText('The Pier at night, 35 mm');
    await expect(prompt(3)).toHaveText('A boat');
    await expect(page.getByText(t('list.replaced', { count: 2 }))).toBeVisible();
    await page.keyboard.press('Control+z');
    await expect(prompt(1)).toHaveText('A pier; the pier is wet');
    await expect(prompt(2)).toHaveText('The Pier at night');
  });

  const bar = page.getByRole('search', { name: t('list.findInList') });
  await test.step('a text is replaced in one column, after its cells were counted', async () => {
    const found = (times: number, cells: number) =>
      expect(bar.getByText(t('list.foundTimes', { times, cells }))).toBeVisible();
    await page.keyboard.press('Control+h');
    const find = bar.getByRole('textbox', { name: t('list.find'), exact: true });
    await expect(find).toBeFocused();
    await page.keyboard.type('pier');
    await found(4, 3);
    await expectAccessible(page);
    await choose(bar.getByLabel(t('list.filterColumn')), 'prompt');
    await found(3, 2);
    await find.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.type('quay');
    await page.keyboard.press('Tab');
    await expect(button(bar, t('list.replace'))).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(button(bar, t('list.replaceCells', { cells: 2 }))).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(prompt(1)).toHaveText('A quay; the quay is wet');
    await expect(prompt(2)).toHaveText('The quay at night');
    await expect(cellAt(grid, 1, 4)).toHaveText('pier');
    await expect(bar.getByText(t('list.notFound'))).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(bar).toBeHidden();
    await expect(grid).toBeFocused();
    await page.keyboard.press('Control+z');
    await expect(prompt(1)).toHaveText('A pier; the pier is wet');
    await expect(prompt(2)).toHaveText('The Pier at night');
  });

  await test.step('Escape closes the bar from a button and from the grid, and open choices first', async () => {
    await page.keyboard.press('Control+f');
    await button(bar, t('list.wholeCell')).focus();
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
  });
});

test('columns are named, moved, frozen and hidden, and the undo key goes back through all of it @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  let grid = await chooseList(
    page,
    csvFile('day.csv', [
      ['shot', 'model', 'prompt', 'duration', 'scene', 'notes'],
      ['010', 'vgen-2.0-nt', 'A pier', '4', 'Harbour', 'Early'],
      ['020', 'vgen-2.0-nt', 'A boat', '4', 'Harbour', 'Late'],
    ]),
  );

  await test.step('the undo key takes back cells, columns and views in the order in which they were changed', async () => {
    const prompt = cellAt(grid, 1, 2);
    await prompt.click();
    await enter(page, 'A quay');
    await expect(prompt).toHaveText('A quay');
    await columnMenu(grid, 'scene', t('list.hideColumn'));
    await expect.poll(titles(grid)).not.toContain('scene');
    await page.keyboard.press('Escape');
    await grid.focus();
    // Undo still works when the message has gone.
    await page.getByText(t('list.columnHidden', { column: 'scene' })).waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+z');
    await expect.poll(titles(grid)).toContain('scene');
    await expect(prompt).toHaveText('A quay');
    await page.keyboard.press('Control+z');
    await expect(prompt).toHaveText('A pier');
  });

  const arranged = ['shot', 'scene', 'prompt', 'duration', 'notes'];
  const pane = page.getByRole('complementary', { name: t('list.columns') });
  await test.step('they are moved by their menu, and hidden by keyboard in the pane', async () => {
    for (const order of [
      ['shot', 'model', 'prompt', 'scene', 'duration', 'notes'],
      ['shot', 'model', 'scene', 'prompt', 'duration', 'notes'],
    ]) {
      await columnMenu(grid, 'scene', t('list.moveLeft'));
      await expect.poll(titles(grid)).toEqual(order);
    }
    await runCommand(page, t('list.columns'));
    await expect(pane).toBeVisible();
    await expectAccessible(page);
    await button(pane, t('list.showColumn', { column: 'model' })).focus();
    await page.keyboard.press('Space');
    await expect.poll(titles(grid)).toEqual(arranged);
  });

  await test.step('what was arranged outlives a reload, and a hidden column comes back by Undo', async () => {
    await page.reload();
    await expect.poll(titles(grid)).toEqual(arranged);
    await expect(cellAt(grid, 1, 1)).toHaveText('Harbour');
    await columnMenu(grid, 'scene', t('list.hideColumn'));
    await expect.poll(titles(grid)).not.toContain('scene');
    const told = page.getByRole('listitem').filter({ hasText: t('list.columnHidden', { column: 'scene' }) });
    await button(told, t('menu.role.undo')).click();
    await expect.poll(titles(grid)).toEqual(arranged);
  });

  await test.step('a header is dragged to another place, and frozen columns stay in sight', async () => {
    const near = { x: 10, y: 10 };
    await header(grid, 'notes').dragTo(header(grid, 'scene'), { sourcePosition: near, targetPosition: near });
    await expect.poll(titles(grid)).toEqual(['shot', 'notes', 'scene', 'prompt', 'duration']);
    await columnMenu(grid, 'notes', t('list.freezeHere'));
    await page.setViewportSize({ width: 900, height: 640 });
    const before = await header(grid, 'notes').boundingBox();
    await grid.locator('xpath=..').evaluate((scroller) => (scroller.scrollLeft = 400));
    await expect.poll(async () => (await header(grid, 'notes').boundingBox())?.x).toBe(before?.x);
    await expect(cellAt(grid, 1, 1)).toHaveText('Early');
    await expect.poll(async () => (await cellAt(grid, 1, 1).boundingBox())?.x).toBe(before?.x);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await test.step('the order of the list comes back from the pane', async () => {
    await columnMenu(grid, 'scene', t('list.columnSettings'));
    await button(pane, t('common.restoreOrder')).click();
    await expect.poll(titles(grid)).toEqual(['shot', 'model', 'prompt', 'duration', 'scene', 'notes']);
  });

  grid = await chooseList(
    page,
    csvFile('words.csv', [
      ['shot', 'model', 'words', 'Zeit', 'prompt'],
      ['010', 'vgen-2.0-nt', 'Old words', '5', ''],
    ]),
  );
  const priced = page.getByText(/^1 new take, 5 s of video/);

  await test.step('a column goes away with its cells, another gets its name, and both are taken back', async () => {
    await button(page, t('list.columns')).click();
    await button(pane, 'Remove “prompt”').click();
    await expect(page.getByText(t('list.columnRemoved', { column: 'prompt' }))).toBeVisible();
    await expect.poll(titles(grid)).toEqual(['shot', 'model', 'words', 'Zeit']);
    await button(pane, t('list.rename', { column: 'words' })).click();
    await expect(pane.getByRole('textbox', { name: t('list.headerOf', { column: 'words' }) })).toBeFocused();
    await enter(page, 'prompt');
    await expect.poll(titles(grid)).toEqual(['shot', 'model', 'prompt', 'Zeit']);
    await expect(cellAt(grid, 1, 2)).toHaveText('Old words');

    const undo = page.getByRole('button', { name: t('common.undoStep', { done: '' }) });
    await undo.click();
    await expect.poll(titles(grid)).toContain('words');
    await undo.click();
    await expect.poll(titles(grid)).toEqual(['shot', 'model', 'words', 'Zeit', 'prompt']);
    await columnMenu(grid, 'prompt', t('list.removeColumn'));
    await expect.poll(titles(grid)).toEqual(['shot', 'model', 'words', 'Zeit']);
  });

  await test.step('a column of one’s own is renamed from its header, to another name or to a known column', async () => {
    const rename = async (from: string, to: string): Promise<void> => {
      await columnMenu(grid, from, t('list.renameColumn'));
      await expect(page.getByRole('textbox', { name: t('list.headerOf', { column: from }) })).toBeFocused();
      await enter(page, to);
      await expect(header(grid, to)).toBeVisible();
      await expect(grid).toBeFocused();
    };
    await rename('words', 'prompt');
    await rename('Zeit', 'Tempo');
    await rename('Tempo', 'duration');
    await expect(priced).toBeVisible();
    // A known column has no such entry.
    await button(grid, t('list.columnMenu', { column: 'duration' })).click();
    await expect(page.getByRole('menuitem', { name: t('list.columnSettings') })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: t('list.renameColumn') })).toHaveCount(0);
    await press(page, 'Escape', 'ControlOrMeta+z');
    await expect(header(grid, 'Tempo')).toBeVisible();
    // A choice says beside its name which kinds have it.
    const meaning = pane.getByRole('combobox', { name: t('list.meaningOf', { column: 'Tempo' }) });
    await choose(meaning, new RegExp(`^${t('column.duration')}`));
    await expect(priced).toBeVisible();
  });

  await test.step('the next defect leads into a column that is hidden', async () => {
    await cellAt(grid, 1, 3).click();
    await enter(page, 'long');
    await expect(cellAt(grid, 1, 3)).toHaveAttribute('aria-invalid', 'true');
    await columnMenu(grid, 'Tempo', t('list.hideColumn'));
    await expect(header(grid, 'Tempo')).toBeHidden();
    await page.keyboard.press('F8');
    await expect(header(grid, 'Tempo')).toBeVisible();
    await expect(grid.getByRole('gridcell', { name: 'long' })).toHaveAttribute('aria-invalid', 'true');
  });

  await test.step('what is brought into sight scrolls its own list, and nothing out of the window', async () => {
    const notes = Array.from({ length: 30 }, (_none, index) => `note ${index}`);
    const row = ['010', 'vgen-2.0-nt', 'A pier', ...notes];
    grid = await chooseList(page, csvFile('wide.csv', [['shot', 'model', 'prompt', ...notes], row]));
    await grid.focus();
    await page.keyboard.press('End');
    await columnMenu(grid, 'note 29', t('list.columnSettings'));
    await expect(button(pane, t('list.rename', { column: 'note 29' }))).toBeInViewport();
    await expect(button(page, t('common.allBatches'))).toBeInViewport();
  });
});

test('a row is edited in a form beside the grid, which follows the cursor and is undone as cells are @night', async ({
  app,
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 640 });
  await openInProject(app, page);
  const grid = await chooseList(
    page,
    csvFile('day.csv', [
      ['shot', 'model', 'prompt', 'duration', 'scene'],
      ['010', 'vgen-2.0-nt', 'A pier', '4', 'Harbour'],
      ['020', 'vgen-2.0-nt', 'A boat', 'long', ''],
    ]),
  );
  const form = page.getByRole('group', { name: t('list.rowForm') });
  const prompt = form.getByRole('textbox', { name: t('common.prompt') });

  await test.step('a key leads into it, and Escape back', async () => {
    await cellAt(grid, 1, 2).click();
    await page.keyboard.press('ControlOrMeta+i');
    await expect(prompt).toBeFocused();
    await expect(prompt).toHaveValue('A pier');
    await prompt.fill('A pier at dawn');
    await page.keyboard.press('Escape');
    await expect(grid).toBeFocused();
    await expect(cellAt(grid, 1, 2)).toHaveText('A pier at dawn');
    await page.keyboard.press('Control+z');
    await expect(cellAt(grid, 1, 2)).toHaveText('A pier');
  });

  await test.step('it says what is wrong in its field, and announces what typing brings about', async () => {
    await page.keyboard.press('ArrowDown');
    await expect(prompt).toHaveValue('A boat');
    const duration = form.getByLabel(t('column.duration'));
    await expect(duration).toHaveAccessibleDescription(/does not fit/);
    await expect(form.getByRole('alert')).toHaveCount(0);
    await expectAccessible(page);
    const enter = async (text: string) => {
      await duration.fill(text);
      await page.keyboard.press('Enter');
      await expect(cellAt(grid, 2, 3)).toHaveText(text);
    };
    await enter('5');
    await expect(duration).not.toHaveAccessibleDescription(/does not fit/);
    await enter('soon');
    await expect(form.getByRole('alert')).toHaveText(/does not fit/);
    await enter('5');
    await expect(duration).not.toHaveAccessibleDescription(/does not fit/);
  });

  await test.step('it adds a column that the list lacks, goes from row to row, and stays open for this list', async () => {
    const notes = form.getByLabel(t('column.notes'));
    await form.getByLabel('scene').fill('Sea');
    await form.getByText(t('menu.more'), { exact: true }).click();
    await notes.fill('Twice');
    await page.keyboard.press('Alt+ArrowUp');
    await expect(notes).toBeFocused();
    await expect(notes).toHaveValue('');
    await expect(cellAt(grid, 2, 4)).toHaveText('Sea');
    await expect(cellAt(grid, 2, 5)).toHaveText('Twice');
    await page.reload();
    await expect(prompt).toHaveValue('A pier');
    await expect(grid).toBeFocused();
  });
});

test('rows of a list stand under headings, which select them, and edits keep them there @night', async ({
  app,
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 640 });
  await openInProject(app, page);
  const scenes = ['Sea', 'Pier', 'Sea', '', 'Pier'];
  const rows = scenes.map((scene, at) => [`0${at}0`, 'image', 'image-demo', at === 2 ? '' : `Still ${at}`, scene]);
  const grid = await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt', 'Scene'], ...rows]));
  await choose(
    page.getByRole('combobox', { name: t('common.groups') }),
    t('review.groupByColumn', { column: 'Scene' }),
  );
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
  const [pier, sea] = ['Pier 2 rows', `Sea 2 rows ${t('list.groupProblems', { count: 1 })}`];
  const without = `${t('review.groupWithoutColumn', { column: 'Scene' })} 1 row`;
  const heading = (name: string) => grid.locator('[role="gridcell"][aria-colspan]').filter({ hasText: name });
  const expectRows = (name: string, count: number) => expect(heading(name)).toContainText(t('common.rows', { count }));

  await test.step('keys go from row to row, a click on a heading selects its rows, and a new row is in its group', async () => {
    await expectLines(pier, '010', '040', sea, '000', '020', without, '030');
    await expectAccessible(page);
    await grid.getByRole('gridcell', { name: '010', exact: true }).click();
    await press(page, 'ArrowDown', 'ArrowDown');
    await expect(grid.locator('[data-row="2"][aria-selected="false"] .active')).toHaveText('000');
    await heading('Pier').click();
    await expect(grid).toBeFocused();
    await expect(grid.locator('[data-row][aria-selected="true"]')).toHaveCount(2);
    await expect(heading('Pier')).toHaveAttribute('aria-selected', 'true');
    await press(page, 'ControlOrMeta+Enter');
    await expectRows('Pier', 3);
    await page.keyboard.press('ControlOrMeta+z');
    await expectRows('Pier', 2);
  });

  await test.step('a row whose scene is another one goes there, and undo brings it back', async () => {
    await grid.getByRole('gridcell', { name: 'Still 4' }).click();
    await page.keyboard.press('End');
    await enter(page, 'Sea');
    await expectRows('Pier', 1);
    await expectRows('Sea', 3);
    await page.keyboard.press('ControlOrMeta+z');
    await expectRows('Pier', 2);
  });

  await test.step('what the list is grouped by is kept', async () => {
    await page.reload();
    await expectRows('Sea', 2);
  });
});
