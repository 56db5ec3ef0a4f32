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

const followed = (page: Page) => page.getByText(t('list.editedElsewhere'));
const notSaved = (page: Page) => page.getByRole('alert').filter({ hasText: 'Not saved: 1 change' });
const takeOver = (page: Page) => page.getByRole('button', { name: t('list.takeOver'), exact: true }).click();

test('one window edits a list, another one follows it live, and may take it over', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);
  await expect(followed(other)).toBeVisible();
  await expect(followed(page)).toBeHidden();

  await type(page, 1, 'A harbour');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(gridOf(other).getByRole('row')).toHaveCount(5);
  await expect(cell(other, 1)).toHaveText('A harbour');
  await type(other, 2, 'x');
  const toasts = other.getByRole('region', { name: /^Notifications/ });
  await expect(toasts).toContainText(t('failure.editedElsewhere'));
  await expect(gridOf(other)).toHaveAttribute('aria-readonly', 'true');

  await takeOver(other);
  await expect(followed(page)).toBeVisible();
  await expect(other.getByText(t('list.tookOver'))).toBeVisible();
  await other.keyboard.press('ControlOrMeta+z');
  await expect(gridOf(page).getByRole('row')).toHaveCount(4);
  await type(other, 2, 'A pier');
  await other.keyboard.press('Enter');
  await expect(cell(page, 2)).toHaveText('A pier');
});

test('what was being written when another window took over is kept until it is saved, copied or discarded @night', async ({
  app,
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);

  await type(page, 3, 'A lamp');
  await takeOver(other);
  await expect(followed(page)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(notSaved(page)).toContainText('(“A lamp”). Another window is editing this list.');
  await expect(page.getByRole('button', { name: t('start.start') })).toBeDisabled();
  await page.reload();
  await notSaved(page)
    .getByRole('button', { name: t('list.copyText') })
    .click();
  await expect.poll(() => app.clipboard()).toBe('A lamp');
  await notSaved(page)
    .getByRole('button', { name: t('list.takeOverAndSave') })
    .click();
  await expect(cell(other, 3)).toHaveText('A lamp');
  await expect(notSaved(page)).toBeHidden();

  await type(page, 3, 'A gull');
  await takeOver(other);
  await cell(other, 1).click();
  await other.keyboard.press('ControlOrMeta+Enter');
  await expect(other.getByText(t('start.noDefects'))).toBeVisible();
  await page.keyboard.press('Enter');
  await notSaved(page)
    .getByRole('button', { name: t('list.takeOverAndSave') })
    .click();
  await expect(notSaved(page)).toContainText(t('failure.listChanged'));
  await notSaved(page)
    .getByRole('button', { name: t('list.discardText') })
    .click();
  await expect(gridOf(page).getByRole('row')).toHaveCount(5);
  await expect(cell(page, 4)).toHaveText('A lamp');
  await type(page, 4, 'A buoy');
  await page.keyboard.press('Enter');
  await expect(cell(other, 4)).toHaveText('A buoy');
});

test('a window that is loaded again goes on editing, and one that leaves the list or is closed sets it free @night', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);

  await page.reload();
  await expect(cell(page, 3)).toHaveText('Shot 030');
  await type(page, 1, 'A harbour');
  await page.keyboard.press('Enter');
  await expect(cell(other, 1)).toHaveText('A harbour');
  await expect(followed(other)).toBeVisible();

  await goTo(page, t('place.queue'));
  await expect(followed(other)).toBeHidden();
  await type(other, 2, 'A pier');
  await other.keyboard.press('Enter');
  await goTo(page, t('place.batch'));
  await expect(followed(page)).toBeVisible();
  await expect(cell(page, 2)).toHaveText('A pier');

  await other.close();
  await expect(followed(page)).toBeHidden();
  await type(page, 3, 'A gull');
  await page.keyboard.press('Enter');
  await expect(page.getByText(t('start.noDefects'))).toBeVisible();
  await expect(cell(page, 3)).toHaveText('A gull');
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

test('a list that another window took over and started leads to its batch @night', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);
  await takeOver(other);
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
