import { readFileSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import writeWorkbook from 'write-excel-file/node';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, test } from './support/app.ts';
import {
  button,
  cellAt,
  choose,
  chooseFiles,
  chooseList,
  csvFile,
  dropFile,
  enter,
  filesUnder,
  goTo,
  makeTakes,
  openInProject,
  runCommand,
  settled,
  startBatch,
} from './support/window.ts';

const header = ['shot', 'kind', 'model', 'prompt', 'duration'];
const shot = (key: string, prompt: string): string[] => [key, 'video', 'vgen-2.0-nt', prompt, '4'];
const rows = [header, shot('010', 'A harbour'), shot('020', 'A pier')];
const asText = (text: string) => ({ name: 'day.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

const noDefects = (page: Page): Locator => page.getByText(t('start.noDefects'), { exact: true });
const allBatches = (page: Page): Locator => button(page, t('common.allBatches'));

/** Opens one of the panes beside the list that is open. */
async function openPane(page: Page, name: string): Promise<Locator> {
  await button(page, name).click();
  return page.getByRole('complementary', { name });
}

async function saveList(page: Page): Promise<string> {
  const saved = page.waitForEvent('download');
  await page.getByRole('grid').press('ControlOrMeta+s');
  return readFileSync(await (await saved).path(), 'utf8').replace(/^\uFEFF/, '');
}

test('a list comes in by paste, by drop, from a template and from nothing, and goes out as a file @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  await goTo(page, t('place.batch'));
  const grid = page.getByRole('grid');

  await test.step('by paste, and out as a file', async () => {
    await button(page, t('batch.pasteList')).click();
    const dialog = page.getByRole('dialog', { name: t('batch.pasteList') });
    await dialog.getByRole('textbox', { name: t('place.batch') }).fill(rows.map((row) => row.join('\t')).join('\n'));
    await button(dialog, t('common.open')).click();
    await expect(grid.getByRole('row')).toHaveCount(3);
    await expect(noDefects(page)).toBeVisible();
    expect((await saveList(page)).trim()).toBe(rows.map((row) => row.join(',')).join('\r\n'));
  });

  await test.step('by drop', async () => {
    await allBatches(page).click();
    const place = `aside[aria-label="${t('common.startBatch')}"]`;
    await dropFile(page, place, 'dropped.csv', rows.map((row) => row.join(',')).join('\n'));
    await expect(page.getByRole('heading', { name: 'dropped.csv' })).toBeVisible();
    await expect(grid.getByRole('row')).toHaveCount(3);
  });

  await test.step('from a template, and from nothing', async () => {
    await allBatches(page).click();
    const template = page.waitForEvent('download');
    const kind = t('batch.kindTemplate', { kind: t('common.video') });
    await choose(button(page, t('batch.getTemplate')), kind, 'menuitem');
    const downloaded = await template;
    expect(downloaded.suggestedFilename()).toMatch(/\.csv$/);
    expect(readFileSync(await downloaded.path(), 'utf8')).toContain('prompt');
    await choose(button(page, t('batch.emptyList')), t('batch.kindShots', { kind: t('kind.music') }), 'menuitem');
    await expect(grid.getByRole('columnheader', { name: 'custom_mode' })).toBeAttached();
    await expect(page.getByText(t('common.shots', { count: 1 }), { exact: true })).toBeVisible();
  });
});

test('what a list was read as is changed in one place, and each defect with a known remedy has it as a button @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  let grid = await chooseList(page, asText('shot;model;prompt,long\n010;vgen-2.0-nt;A boat, at sea\n'));

  await test.step('how it is read is out of sight, and says that edits are lost', async () => {
    await expect(grid.getByRole('columnheader')).toHaveCount(4);
    await expect(page.getByText('UTF-8')).toHaveCount(0);
    await choose(button(page, t('menu.more')), withDots('list.importSettings'), 'menuitem');
    const dialog = page.getByRole('dialog', { name: t('list.importSettings') });
    const again = button(dialog, t('list.reread'));
    await expect(again).toBeDisabled();
    await expect(dialog.getByText(t('list.rereadHint'))).toHaveCount(0);
    await expectAccessible(page);
    await choose(dialog.getByRole('combobox', { name: t('list.delimiter') }), t('list.comma'));
    await again.click();
    await expect(grid.getByRole('columnheader')).toHaveCount(3);

    await cellAt(grid, 1, 1).click();
    await enter(page, 'edited');
    await runCommand(page, t('list.importSettings'));
    await expect(dialog.getByText(t('list.rereadHint'))).toBeVisible();
    await choose(dialog.getByRole('combobox', { name: t('list.delimiter') }), t('list.semicolon'));
    await again.click();
    await expect(grid.getByRole('columnheader')).toHaveCount(4);
    await expect(grid.getByText('edited')).toHaveCount(0);
  });

  await test.step('the kind of rows that say none is one of its defaults', async () => {
    await chooseList(page, asText('shot,model,prompt\n010,own-model,A boat\n'));
    await button(page, t('list.defaults')).click();
    const kind = page.getByRole('combobox', { name: t('list.defaultKind') });
    await choose(kind, t('common.video'));
    await expect(page.getByText(/^1 new take/)).toBeVisible();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(kind).toContainText(t('list.kindByModel'));
    await button(page, t('list.defaults')).click();
  });

  grid = await chooseList(
    page,
    csvFile('day.csv', [
      ['shot', 'prompt', 'model', 'aspect_ration', 'kind'],
      ['010', '{hero} on a pier', '', '16:9', 'video'],
      ['020', 'A boat', 'vgen-2.0-nt', '', 'video'],
      ['030', 'A gull', '', '', 'video'],
    ]),
  );
  const defects = await openPane(page, t('list.defects'));

  await test.step('a model is chosen for the rows that have none', async () => {
    await expect(defects.getByRole('listitem')).toHaveCount(3);
    await expectAccessible(page);
    await button(defects, t('list.chooseModel')).click();
    await expect(page.getByRole('menuitem', { name: 'vgen-2.0-nt', exact: true })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'image-demo', exact: true })).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole('menuitem', { name: 'vgen-2.0-cl', exact: true }).click();
    for (const [row, model] of ['vgen-2.0-cl', 'vgen-2.0-nt', 'vgen-2.0-cl'].entries())
      await expect(cellAt(grid, row + 1, 2)).toHaveText(model);
  });

  await test.step('a column is renamed, which undo takes back', async () => {
    const rename = button(defects, t('list.renameTo', { name: 'aspect_ratio' }));
    await rename.click();
    await expect(grid.getByRole('columnheader', { name: 'aspect_ratio' })).toBeVisible();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(grid.getByRole('columnheader', { name: 'aspect_ration' })).toBeVisible();
    await rename.click();
  });

  await test.step('a name in a prompt gets its text, from the line above the grid too', async () => {
    await cellAt(grid, 1, 1).click();
    await button(page, t('list.addVariable')).first().click();
    const library = page.getByRole('dialog', { name: t('list.promptLibrary') });
    await expect(library.getByRole('textbox', { name: t('common.name') })).toHaveValue('hero');
    await expect(library.getByRole('textbox', { name: t('common.text') })).toBeFocused();
    await page.keyboard.type('A tall woman');
    await button(library, t('list.addVariable')).click();
    await expect(library.getByRole('listitem')).toContainText(['A tall woman']);
    await page.keyboard.press('Escape');
    await expect(noDefects(page)).toBeVisible();
  });
});

const good = {
  shot: '',
  kind: 'video',
  model: 'vgen-2.0-cl-fast',
  prompt: 'The sea',
  takes: 1,
  duration: 5,
  aspect_ratio: '16:9',
  size: '480p',
  generate_audio: 'TRUE',
  priority: 0,
  skip: 'FALSE',
};
type Column = keyof typeof good;
const columns = Object.keys(good) as Column[];

/** One row each: the cell, what is wrong in it, and what puts it right. */
const planted: readonly (readonly [Column, string | number, string])[] = [
  ['kind', 'vidoe', 'video'],
  ['kind', 'hologram', 'video'],
  ['model', '', 'vgen-2.0-cl-fast'],
  ['prompt', '', 'Waves'],
  ['takes', 'two', '1'],
  ['takes', 0, '1'],
  ['takes', 1.5, '1'],
  ['takes', 101, '1'],
  ['duration', 'long', '5'],
  ['duration', 2, '4'],
  ['duration', 99, '15'],
  ['duration', '5 m', '5'],
  ['duration', '1,000', '5'],
  ['aspect_ratio', 'wide', '16:9'],
  ['size', '1080p', '720p'],
  ['size', '8k', '480p'],
  ['generate_audio', 'maybe', 'FALSE'],
  ['priority', 'soon', '1'],
  ['priority', 1.5, '2'],
  ['skip', 'perhaps', 'FALSE'],
];

test.describe('on a wide screen, where every column is drawn,', () => {
  test.use({ viewport: { width: 1920, height: 1000 } });

  test('a workbook with twenty planted defects is corrected in the grid by keyboard alone, then runs to its end', async ({
    app,
    page,
  }) => {
    const buffer = await writeWorkbook([
      columns.map((value) => ({ value })),
      ...planted.map(([planted, wrong], index) => {
        const row = { ...good, shot: `D${index + 10}`, [planted]: wrong };
        return columns.map((column) => ({ value: row[column] }));
      }),
    ]).toBuffer();
    const folder = await openInProject(app, page);
    const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const grid = await chooseList(page, { name: 'planted.xlsx', mimeType, buffer });
    const start = button(page, t('start.start'));

    await expect(button(page, '20 errors')).toBeVisible();
    await expect(grid.locator('[role="gridcell"][aria-invalid="true"]')).toHaveCount(20);
    await expect(start).toBeDisabled();
    await expect(grid).toBeFocused();
    for (const [index, [column, , right]] of planted.entries()) {
      await page.keyboard.press('F8');
      const place = new RegExp(`-${index}-${columns.indexOf(column)}$`);
      await expect(grid).toHaveAttribute('aria-activedescendant', place);
      await page.keyboard.type(right);
      await page.keyboard.press('Tab');
      if (index < 19) await expect(start).toBeDisabled();
    }
    await expect(noDefects(page)).toBeVisible();
    await expect(grid.locator('[role="gridcell"][aria-invalid="true"]')).toHaveCount(0);
    await startBatch(page);
    await settled(page, 20);
    await expect.poll(() => filesUnder(folder, '.mp4').length).toBe(20);
    expect(app.service.ledger.commits).toBe(20);
  });
});

test('what rows do not say is said once, and a row that says nothing is no shot @night', async ({ app, page }) => {
  await openInProject(app, page);
  const grid = await chooseList(page, asText('shot,prompt,duration\n010,A gull,\n020,A pier,6\n'));
  const defaults = page.getByRole('group', { name: t('list.defaultsFor') });
  const model = defaults.getByLabel(t('common.model'), { exact: true });
  const duration = defaults.getByLabel(t('column.duration'));
  const undo = page.getByRole('button', { name: t('common.undoStep', { done: '' }) });

  await test.step('it is seen in the empty cells, and undone', async () => {
    await expect(button(page, /error/)).toBeVisible();
    await button(page, t('list.defaults')).click();
    await model.fill('vgen-2.0-nt');
    await duration.fill('5');
    await duration.press('Tab');
    await expect(noDefects(page)).toBeVisible();
    await expect(cellAt(grid, 1, 2)).toHaveText('5');
    await expect(cellAt(grid, 2, 2)).toHaveText('6');
    await expect(page.getByText(/^2 new takes, 11 s of video/)).toBeVisible();
    await undo.click();
    await expect(duration).toHaveValue('');
    await expect(cellAt(grid, 1, 2)).toHaveText('');
  });

  await test.step('what a slow engine has not taken yet is given once, and undone in one step', async () => {
    // The calls of a browser alone can be held.
    if (isDesktop) return;
    const left = Promise.withResolvers<undefined>();
    await page.route('**/rpc/drafts/edit', async (route) => {
      await left.promise;
      await route.continue();
    });
    const given = page.waitForRequest('**/rpc/drafts/edit');
    await duration.fill('7');
    await given;
    await duration.press('Tab');
    left.resolve(undefined);
    await expect(cellAt(grid, 1, 2)).toHaveText('7');
    await undo.click();
    await expect(duration).toHaveValue('');
    await expect(cellAt(grid, 1, 2)).toHaveText('');
    await duration.fill('5');
    await duration.press('Tab');
  });

  await test.step('it outlives a reload, and is saved with the list and its batch', async () => {
    await expect(cellAt(grid, 1, 2)).toHaveText('5');
    await page.reload();
    await expect(cellAt(grid, 1, 2)).toHaveText('5');
    expect(await saveList(page)).toContain('010,A gull,5,vgen-2.0-nt');
    await startBatch(page);
    await settled(page, 2);
    await button(page, t('batch.editAgain')).click();
    await button(page, t('list.defaults')).click();
    await expect(model).toHaveValue('vgen-2.0-nt');
    await expect(duration).toHaveValue('5');
  });

  await test.step('an empty row is no shot of its batch, and moves the numbers of no others', async () => {
    const text = 'kind,model,prompt,duration\nvideo,vgen-2.0-nt,A lamp,5\nvideo,vgen-2.0-nt,A tram,5\n';
    await chooseList(page, { ...asText(text), name: 'blank.csv' });
    await expect(page.getByText(/^2 new takes/)).toBeVisible();
    await grid.press('ControlOrMeta+Enter');
    await expect(grid.getByRole('row')).toHaveCount(4);
    await page.keyboard.press('Escape');
    await startBatch(page);
    const shots = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'blank' }) });
    await expect(shots.getByRole('row')).toHaveCount(3);
    await expect(shots.getByRole('row').nth(2)).toContainText('0002');
    await expect(shots.getByRole('row').nth(2)).toContainText(t('state.saved'));
  });
});

test('a list says how far it is read, what of it is missing, and what of it was made before @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  const grid = page.getByRole('grid');

  await test.step('it is edited once it is read', async () => {
    const { promise: waited, resolve: goOn } = Promise.withResolvers<undefined>();
    await page.route('**/rpc/drafts/rows', async (route) => {
      await waited;
      await route.continue();
    });
    await goTo(page, t('place.batch'));
    await chooseFiles(button(page, t('batch.chooseList')), [csvFile('slow.csv', rows)]);
    const loading = t('list.loading', { share: t('common.percent', { percent: 0 }) });
    await expect(page.getByRole('status').filter({ hasText: loading })).toBeVisible();
    await expect(grid).toBeHidden();
    goOn(undefined);
    await expect(grid).toBeFocused();
    await page.unroute('**/rpc/drafts/rows');
    await page.keyboard.press('End');
    await enter(page, '12');
    await expect(cellAt(grid, 1, 3)).toHaveText('A harbour');
    await expect(cellAt(grid, 1, 4)).toHaveText('12');
    await expect(cellAt(grid, 2, 4)).toHaveText('4');
  });

  await test.step('a file that falls beside every place for files does not take the window away', async () => {
    for (const event of ['dragover', 'drop']) {
      const isLeftToTheBrowser = await page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['x'], 'film.mp4', { type: 'video/mp4' }));
        const dragged = new DragEvent('${event}', { dataTransfer, bubbles: true, cancelable: true });
        return document.querySelector('[role="grid"]').dispatchEvent(dragged);
      })()`);
      expect(isLeftToTheBrowser).toBe(false);
    }
  });

  await test.step('a file that was missing counts as soon as a person asks to look again', async () => {
    const edit = [
      ['shot', 'kind', 'model', 'prompt', 'operation', 'image', 'Durration'],
      ['010', 'image', 'image-demo', 'A quay', 'edit', 'ref.png', '5'],
    ];
    await chooseList(page, csvFile('stills.csv', edit));
    await expect(page.getByRole('columnheader', { name: `Durration ${t('list.warning')}` })).toBeVisible();
    const pane = await openPane(page, t('list.defects'));
    await expect(pane).toContainText('Relative paths start at');
    const missing = pane.getByText('was not found');
    await expect(missing).toBeVisible();
    const file = /The file (.*ref\.png) was not found\./.exec(await pane.innerText())?.[1] ?? '';
    writeFileSync(file, 'BM, a small picture');
    await button(pane, t('list.checkAgain')).click();
    await expect(missing).toHaveCount(0);
  });

  await test.step('imported again, it shows what is new, and takes of other rows are made only when asked for', async () => {
    await makeTakes(page, csvFile('day.csv', rows), 2);
    await allBatches(page).click();
    await chooseList(
      page,
      csvFile('day.csv', [...rows.slice(0, 2), shot('020', 'A pier at night'), shot('030', 'A gull')]),
    );
    const differences = '1 new, 1 changed, 1 unchanged';
    await expect(page.getByText(t('start.comparedWith', { batch: 'day', differences }))).toBeVisible();
    await button(page, t('start.start')).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText(t('start.changed', { count: 1 }));
    await dialog.getByText(t('start.added', { count: 1 })).click();
    await expect(dialog.getByText('030', { exact: true })).toBeVisible();
    await dialog.getByRole('switch', { name: t('start.newTakesOfUnchanged') }).click();
    await button(dialog, t('start.startTakes', { count: 3 })).click();
    await settled(page, 5);
    expect(app.service.ledger.commits).toBe(5);
  });
});
