import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, startBatch } from './support/window.ts';

test.skip(isDesktop, 'a second window of one list is opened in a browser only');

const list = csvFile('day.csv', [
  ['shot', 'kind', 'model', 'prompt', 'duration'],
  ...['010', '020', '030'].map((shot) => [shot, 'video', 'vgen-2.0-nt', `Shot ${shot}`, '4']),
]);
const PROMPT = 3;

const gridOf = (page: Page) => page.getByRole('grid');
const cell = (page: Page, row: number, column = PROMPT) =>
  gridOf(page).getByRole('row').nth(row).getByRole('gridcell').nth(column);

async function type(page: Page, row: number, text: string): Promise<void> {
  await cell(page, row).click();
  await page.keyboard.type(text);
}

/** The same list in another window. */
async function secondWindow(page: Page): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(cell(other, 3)).toHaveText('Shot 030');
  return other;
}

const notSaved = (page: Page) => page.getByRole('alert').filter({ hasText: 'Not saved: 1 change' });

test('two windows edit one list, each follows the other, and no text lands in a row that moved @night', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);

  await type(page, 1, 'A harbour');
  await page.keyboard.press('Enter');
  await expect(cell(other, 1)).toHaveText('A harbour');
  await type(other, 2, 'A pier');
  await other.keyboard.press('Enter');
  await expect(cell(page, 2)).toHaveText('A pier');

  await type(page, 3, 'A gull');
  await cell(other, 1).click();
  await other.keyboard.press('ControlOrMeta+Enter');
  await expect(gridOf(other).getByRole('row')).toHaveCount(5);
  await page.keyboard.press('Enter');
  await expect(notSaved(page)).toContainText(t('failure.listChanged'));
  await page.reload();
  await notSaved(page)
    .getByRole('button', { name: t('list.discardText') })
    .click();
  await expect(gridOf(page).getByRole('row')).toHaveCount(5);
  await expect(cell(page, 4)).toHaveText('Shot 030');
});

test('a list that another window has discarded says so, and leads on @night', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);
  await other.getByRole('button', { name: t('menu.more') }).click();
  await other.getByRole('menuitem', { name: t('list.discard') }).click();
  await expect(page.getByText(t('list.discarded'))).toBeVisible();
  await expect(page.getByRole('button', { name: t('common.tryAgain') })).toBeHidden();
  await page
    .getByRole('button', { name: t('common.allBatches') })
    .last()
    .click();
  await expect(page.getByRole('button', { name: t('batch.chooseList') })).toBeVisible();
});

test('a list that another window started leads to its batch @night', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);
  await startBatch(other);
  await expect(page.getByText(t('list.startedElsewhere'))).toBeVisible();
  await page.getByRole('button', { name: t('list.showBatch') }).click();
  await expect(page.getByRole('grid', { name: t('batch.shotsOf', { name: 'day' }) })).toContainText('010');
});

test('what is typed while Dailies is away stays in its cells, outlives a reload and is sent when it is back @night', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  await expect(cell(page, 3)).toHaveText('Shot 030');

  await app.kill();
  await type(page, 1, 'A harbour');
  await page.keyboard.press('Enter');
  const waits = page.getByText(t('list.away', { count: 1 }));
  await expect(waits).toBeVisible();
  await expect(cell(page, 1)).toHaveText('A harbour');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByText(t('list.notDone'))).toBeVisible();
  await app.start();
  await (await page.context().newPage()).goto(app.entry);
  await expect(waits).toBeHidden();
  await expect(cell(page, 1)).toHaveText('A harbour');

  await type(page, 2, 'Half a pi');
  await page.reload();
  await expect(cell(page, 2)).toHaveText('Half a pi');
  await expect(cell(page, 1)).toHaveText('A harbour');
  await goTo(page, t('place.queue'));
  await goTo(page, t('place.batch'));
});
