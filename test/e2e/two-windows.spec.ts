import type { Page } from '@playwright/test';
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

test('a text goes into the row it was typed for, whatever another window puts in above', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);

  await type(page, 2, 'A pier at dawn');
  await cell(other, 1).click();
  await other.keyboard.press('ControlOrMeta+Enter');
  await expect(gridOf(other).getByRole('row')).toHaveCount(5);
  await page.keyboard.press('Enter');

  for (const each of [page, other]) {
    await expect(gridOf(each).getByRole('row')).toHaveCount(5);
    await expect(cell(each, 3, 0)).toHaveText('020');
    await expect(cell(each, 3)).toHaveText('A pier at dawn');
    await expect(cell(each, 2)).toHaveText('');
  }
});

test('edits of different cells are both kept, and a text for a cell that another window wrote into waits there', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);

  await type(page, 1, 'A harbour');
  await type(other, 2, 'A pier');
  await other.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  for (const each of [page, other]) {
    await expect(cell(each, 1)).toHaveText('A harbour');
    await expect(cell(each, 2)).toHaveText('A pier');
  }

  await type(page, 3, 'A lamp');
  await type(other, 3, 'A gull');
  await other.keyboard.press('Enter');
  await expect(other.getByText('no defects')).toBeVisible();
  await page.keyboard.press('Enter');
  const notKept = page.getByRole('alert').filter({ hasText: 'Not kept for 030 · prompt: “A lamp”' });
  await expect(notKept).toContainText('The list has “A gull” there.');
  await expect(cell(page, 3)).toHaveText('A lamp');
  await expect(page.getByRole('button', { name: 'Start…' })).toBeDisabled();

  await notKept.getByRole('button', { name: 'Leave the list as it is' }).click();
  await expect(notKept).toBeHidden();
  await expect(cell(page, 3)).toHaveText('A gull');

  await type(page, 3, 'A lamp');
  await type(other, 3, 'A buoy');
  await other.keyboard.press('Enter');
  await expect(other.getByText('no defects')).toBeVisible();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Write my text' }).click();
  await expect(cell(other, 3)).toHaveText('A lamp');
});

test('undo takes back what was done in this window, and of another only when told to', async ({ app, page }) => {
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

  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByText('The last change in this list is not of this window', { exact: false })).toBeVisible();
  await expect(cell(page, 2)).toHaveText('A pier');
  await page.getByRole('button', { name: 'Undo it here' }).click();
  await expect(cell(other, 2)).toHaveText('Shot 020');
  await gridOf(page).focus();
  await page.keyboard.press('ControlOrMeta+z');
  await expect(cell(other, 1)).toHaveText('Shot 010');
});

test('a list that another window has discarded says so, and leads on', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);
  await other.getByRole('button', { name: 'More' }).click();
  await other.getByRole('menuitem', { name: 'Discard this list' }).click();
  await expect(page.getByText('This list was discarded.')).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
  await page.getByRole('button', { name: 'All batches' }).last().click();
  await expect(page.getByRole('button', { name: 'Choose a list' })).toBeVisible();
});

test('a text for a row that another window took out can be copied, and a list that it started leads to its batch', async ({
  app,
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);

  await type(page, 2, 'A pier at dawn');
  await cell(other, 2).click();
  await other.keyboard.press('ControlOrMeta+Backspace');
  await expect(gridOf(other).getByRole('row')).toHaveCount(3);
  await page.keyboard.press('Enter');
  const notKept = page.getByRole('alert').filter({ hasText: 'Not kept: “A pier at dawn”.' });
  await notKept.getByRole('button', { name: 'Copy my text' }).click();
  await expect.poll(() => app.clipboard()).toBe('A pier at dawn');
  await notKept.getByRole('button', { name: 'Let go of it' }).click();
  await expect(notKept).toBeHidden();
  await expect(cell(page, 2, 0)).toHaveText('030');

  await startBatch(other);
  await expect(page.getByText('This list was started in another window.', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Show the batch' }).click();
  await expect(page.getByRole('grid', { name: /^Shots of day/ })).toContainText('010');
});

test('what is typed while Dailies is away stays in its cells, outlives a reload and is sent when it is back', async ({
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
  const waits = page.getByText('1 change of this list waits in its cell', { exact: false });
  await expect(waits).toBeVisible();
  await expect(cell(page, 1)).toHaveText('A harbour');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByText('Dailies does not answer, so that was not done.', { exact: false })).toBeVisible();
  await app.start();
  await (await page.context().newPage()).goto(app.entry);
  await expect(waits).toBeHidden({ timeout: 30_000 });
  await expect(cell(page, 1)).toHaveText('A harbour');

  await type(page, 2, 'Half a pi');
  await page.reload();
  await expect(cell(page, 2)).toHaveText('Half a pi');
  await expect(cell(page, 1)).toHaveText('A harbour');
  await goTo(page, 'Queue');
  await goTo(page, 'Batch');
});
