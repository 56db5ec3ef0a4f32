import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import {
  chooseFiles,
  chooseList,
  dropFile,
  csvFile,
  goTo,
  openProject,
  settled,
  startBatch,
} from './support/window.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const header = ['shot', 'kind', 'model', 'prompt', 'duration'];
const shot = (key: string, prompt: string): string[] => [key, 'video', 'vgen-2.0-nt', prompt, '4'];

const toClipboard = (page: Page, text: string) =>
  page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);

test('a list comes in by paste, by drop, from a template and from nothing, and goes out as a file', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.batch'));
  const rows = [header, shot('010', 'A harbour'), shot('020', 'A pier')];
  const back = page.getByRole('button', { name: t('common.allBatches') });
  const grid = page.getByRole('grid');

  await page.getByRole('button', { name: t('batch.pasteList') }).click();
  const dialog = page.getByRole('dialog', { name: t('batch.pasteList') });
  await dialog.getByRole('textbox', { name: t('place.batch') }).fill(rows.map((row) => row.join('\t')).join('\n'));
  await dialog.getByRole('button', { name: t('common.open') }).click();
  await expect(grid.getByRole('row')).toHaveCount(3);
  await expect(page.getByText(t('start.noDefects'))).toBeVisible();
  const saved = page.waitForEvent('download');
  await grid.press('ControlOrMeta+s');
  expect(
    readFileSync(await (await saved).path(), 'utf8')
      .replace(/^\uFEFF/, '')
      .trim(),
  ).toBe(rows.map((row) => row.join(',')).join('\r\n'));

  await back.click();
  await dropFile(
    page,
    `aside[aria-label="${t('common.startBatch')}"]`,
    'dropped.csv',
    rows.map((row) => row.join(',')).join('\n'),
  );
  await expect(page.getByRole('heading', { name: 'dropped.csv' })).toBeVisible();
  await expect(grid.getByRole('row')).toHaveCount(3);

  await back.click();
  const template = page.waitForEvent('download');
  await page.getByRole('button', { name: t('batch.getTemplate') }).click();
  await page.getByRole('menuitem', { name: t('batch.kindTemplate', { kind: t('common.video') }) }).click();
  const downloaded = await template;
  expect(downloaded.suggestedFilename()).toMatch(/\.csv$/);
  expect(readFileSync(await downloaded.path(), 'utf8')).toContain('prompt');

  await page.getByRole('button', { name: t('batch.emptyList') }).click();
  await page.getByRole('menuitem', { name: t('batch.kindShots', { kind: t('kind.music') }) }).click();
  await expect(grid.getByRole('columnheader', { name: 'custom_mode' })).toBeAttached();
  await expect(page.getByText(t('common.shots', { count: 1 }), { exact: true })).toBeVisible();
});

test('blocks of cells are filled, pasted beyond the end, taken back in one step and walked by their edges @night', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const list = [header, shot('010', 'A harbour'), shot('020', ''), shot('030', 'A pier')];
  const grid = await chooseList(page, csvFile('blocks.csv', list));
  await expect(grid).toBeFocused();
  const cell = (row: number, column: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);
  const standsAt = (row: number, column: number) =>
    expect(grid).toHaveAttribute('aria-activedescendant', new RegExp(`-${row}-${column}$`));

  await page.keyboard.press('ControlOrMeta+ArrowDown');
  await standsAt(2, 0);
  await page.keyboard.press('ControlOrMeta+Home');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ControlOrMeta+ArrowDown');
  await standsAt(2, 3);
  await page.keyboard.press('ControlOrMeta+ArrowUp');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ControlOrMeta+d');
  await expect(cell(2, 3)).toHaveText('A harbour');

  await toClipboard(page, 'A boat\t5\nA gull\t6\nA lamp\t7\n');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ControlOrMeta+v');
  await expect(grid.getByRole('row')).toHaveCount(6);
  await expect(cell(3, 3)).toHaveText('A boat');
  await expect(cell(5, 4)).toHaveText('7');
  await page.keyboard.press('ControlOrMeta+c');
  await expect.poll(() => app.clipboard()).toBe('A boat\t5\nA gull\t6\nA lamp\t7\n');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(grid.getByRole('row')).toHaveCount(4);
  await expect(cell(3, 3)).toHaveText('A pier');
  await page.keyboard.press('ControlOrMeta+y');
  await expect(grid.getByRole('row')).toHaveCount(6);
});

test('a list says how far it is read, and is edited once it is @night', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const { promise: waited, resolve: goOn } = Promise.withResolvers<undefined>();
  await page.route('**/rpc/drafts/rows', async (route) => {
    await waited;
    await route.continue();
  });
  await goTo(page, t('place.batch'));
  const file = csvFile('slow.csv', [header, shot('010', 'A harbour'), shot('020', 'A pier')]);
  await chooseFiles(page.getByRole('button', { name: t('batch.chooseList') }), [file]);
  const loading = t('list.loading', { share: t('common.percent', { percent: 0 }) });
  await expect(page.getByRole('status').filter({ hasText: loading })).toBeVisible();
  const grid = page.getByRole('grid');
  await expect(grid).toBeHidden();
  goOn(undefined);
  await expect(grid).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.type('12');
  await page.keyboard.press('Enter');
  await expect(grid.getByRole('row').nth(1)).toContainText('A harbour');
  await expect(grid.getByRole('row').nth(1).getByRole('gridcell').last()).toHaveText('12');
  await expect(grid.getByRole('row').nth(2).getByRole('gridcell').last()).toHaveText('4');

  // A file that falls beside every place for files does not take the window away.
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

test('a list that is imported again shows what is new, and makes takes of the other rows only when asked to @night', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, csvFile('day.csv', [header, shot('010', 'A harbour'), shot('020', 'A pier')]));
  await startBatch(page);
  await settled(page, 2);
  const running = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'day' }) });
  for (const row of [1, 2]) await expect(running.getByRole('row').nth(row)).toContainText(t('state.saved'));
  await running.focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('ControlOrMeta+c');
  await expect.poll(() => app.clipboard()).toMatch(/^010\tSaved\t1 \/ 1\t1\tA harbour\t.*\n020\tSaved/);

  await page.getByRole('button', { name: t('common.allBatches') }).click();
  const again = [header, shot('010', 'A harbour'), shot('020', 'A pier at night'), shot('030', 'A gull')];
  await chooseList(page, csvFile('day.csv', again));
  await expect(
    page.getByText(t('start.comparedWith', { batch: 'day', differences: '1 new, 1 changed, 1 unchanged' })),
  ).toBeVisible();
  await page.getByRole('button', { name: t('start.start') }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(t('start.changed', { count: 1 }));
  await dialog.getByText(t('start.added', { count: 1 })).click();
  await expect(dialog.getByText('030', { exact: true })).toBeVisible();
  await dialog.getByRole('switch', { name: t('start.newTakesOfUnchanged') }).click();
  await dialog.getByRole('button', { name: t('start.startTakes', { count: 3 }) }).click();
  await settled(page, 5);
  expect(app.service.ledger.commits).toBe(5);
});

test('one shot is described without a list, with what does not fit said at its field @night', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.batch'));
  await expect(page.getByRole('button', { name: t('batch.describeShot') })).toBeVisible();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: t('batch.describeShot') });
  // The number is there once the estimate is.
  const queueIt = new RegExp(`^(${t('batch.queueShot')}|${t('batch.queueTakes', { count: 1 })})$`);
  await expect(dialog.getByRole('textbox', { name: t('common.prompt') })).toBeFocused();
  await dialog.getByRole('button', { name: queueIt }).click();
  await expect(dialog.getByText(t('defect.noPrompt'), { exact: false })).toBeVisible();
  await dialog.getByRole('textbox', { name: t('common.prompt') }).fill('A lamp in the fog');
  const model = dialog.getByRole('combobox', { name: t('common.model') });
  const offered = dialog.getByRole('listbox', { name: 'Model: choices' });
  await model.fill('2.0-nt');
  const choice = offered.getByRole('option', { name: 'vgen-2.0-nt', exact: true });
  await expect(choice).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(offered).toBeHidden();
  await expect(dialog).toBeVisible();
  await model.fill('2.0-n');
  await choice.click();
  await expect(model).toHaveValue('vgen-2.0-nt');
  await dialog.getByRole('textbox', { name: t('column.duration') }).fill('4');
  await dialog.getByRole('button', { name: queueIt }).click();
  await expect(dialog).toBeHidden();
  await settled(page, 1);
  expect(app.service.ledger.billableCommits()[0]?.body).toMatchObject({ prompt: 'A lamp in the fog', duration: 4 });
});
