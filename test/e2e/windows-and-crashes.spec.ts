import { createServer, type IncomingMessage } from 'node:http';
import type { Locator, Page, Request } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { holdTasks } from '../support/held-tasks.ts';
import { expect, isDesktop, test } from './support/app.ts';
import {
  anotherWindow,
  button,
  cellAt,
  chooseList,
  csvFile,
  filesUnder,
  goTo,
  openInProject,
  settled,
  startBatch,
  videoList,
} from './support/window.ts';

test.skip(isDesktop, 'There the window is one, and comes and goes with the app.');

const banner = (page: Page): Locator => page.getByRole('banner');
/** What opened the run before opens nothing any more. Once a new window is there, the one that was open goes on. */
async function letIn(page: Page, entry: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(entry);
}

test('a window is let in by the address it was given, and leaves nothing of that in the address or the history', async ({
  app,
  page,
  browser,
}) => {
  await app.open();
  await expect(page.getByRole('main', { name: t('place.projects') })).toBeVisible();
  expect(page.url()).not.toContain('enter');
  await goTo(page, t('place.settings'));
  await page.goBack();
  await expect(page.getByRole('main', { name: t('place.projects') })).toBeVisible();
  expect(page.url()).not.toContain('enter');
  // A reload goes on, and so does another tab.
  const other = await page.context().newPage();
  for (const each of [page, other]) {
    await each.goto(new URL(page.url()).origin);
    await expect(each.getByRole('main', { name: t('place.projects') })).toBeVisible();
  }
  // The same address lets nobody in a second time: a browser that was not let in says what to do.
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(app.entry);
  await expect(stranger.getByRole('heading', { name: t('window.lockedOut') })).toBeVisible();
  await expect(stranger.getByText('dailies serve --open')).toBeVisible();
  await stranger.context().close();
  expect(await page.evaluate('document.cookie')).toBe('');
  // An address that is no text leads to the projects, in a window that was open and in a fresh one.
  await page.goto(`${page.url().replace(/#.*/, '')}#/%E0%A4%A`);
  await expect(page.getByRole('main', { name: t('place.projects') })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('main', { name: t('place.projects') })).toBeVisible();
});

const SENT = 5;
const WAITING = 8;
const ALL = SENT + WAITING;

test('a batch that is paused when the server is killed stays so after a restart, goes on when told, and pays for nothing twice', async ({
  app,
  page,
}) => {
  const { ledger } = app.service;
  // Tasks are at work at the service as long as nobody follows them.
  const release = holdTasks(app.service);
  const folder = await openInProject(app, page);
  await chooseList(page, videoList(SENT));
  await startBatch(page);
  // Nothing is under way when the server is killed: what became of that would be for a person to decide.
  await expect.poll(() => ledger.commits).toBe(SENT);
  await expect.poll(() => ledger.posts().filter(({ ending }) => ending === 'pending')).toEqual([]);
  await button(page, t('queue.pause')).click();
  const resume = button(banner(page), t('queue.resume'));
  await expect(resume).toBeVisible();
  await chooseList(page, { ...videoList(WAITING, (shot) => `Night ${shot}`), name: 'night.csv' });
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await expect(page.getByText(t('queue.pausedHint'))).toBeVisible();

  await app.kill();
  // At the top, and in the list when it asks just then.
  const away = page.getByText(t('window.noAnswer'), { exact: true }).first();
  await expect(away).toBeVisible();

  await app.start();
  await expect(page.getByText(t('window.restarted'), { exact: true }).first()).toBeVisible();
  await letIn(page, app.entry);
  release();
  const progress = t('window.progress', { done: SENT, total: ALL, failed: 0 });
  await expect(banner(page).getByText(progress, { exact: true })).toBeVisible({ timeout: 120_000 });
  expect(ledger.commits).toBe(SENT);
  await expect(page.getByText(t('queue.pausedHint'))).toBeVisible();
  await resume.click();
  await settled(page, ALL);
  await expect(page.getByText(/^Finished$|takes finished$/).first()).toBeVisible();

  const paid = ledger.billableCommits().map(({ body }) => (body as { prompt: string }).prompt);
  expect(new Set(paid).size).toBe(ALL);
  expect(paid).toHaveLength(ALL);
  expect(filesUnder(folder, '.mp4')).toHaveLength(ALL);
});

const list = csvFile('day.csv', [
  ['shot', 'kind', 'model', 'prompt', 'duration'],
  ...['010', '020', '030'].map((shot) => [shot, 'video', 'vgen-2.0-nt', `Shot ${shot}`, '4']),
]);
const PROMPT = 3;

const gridOf = (page: Page) => page.getByRole('grid');
const cell = (page: Page, row: number) => cellAt(gridOf(page), row, PROMPT);

async function type(page: Page, row: number, text: string): Promise<void> {
  await cell(page, row).click();
  await page.keyboard.type(text);
}

/** The same list in another window. */
async function secondWindow(page: Page): Promise<Page> {
  const other = await anotherWindow(page);
  await expect(cell(other, 3)).toHaveText('Shot 030');
  return other;
}

const notSaved = (page: Page) => page.getByRole('alert').filter({ hasText: 'Not saved: 1 change' });

test('two windows edit one list, each follows the other, and no text lands in a row that moved @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);

  await test.step('what is written in one is shown in the other', async () => {
    await type(page, 1, 'A harbour');
    await page.keyboard.press('Enter');
    await expect(cell(other, 1)).toHaveText('A harbour');
    await type(other, 2, 'A pier');
    await other.keyboard.press('Enter');
    await expect(cell(page, 2)).toHaveText('A pier');
  });

  await test.step('what is being written while rows move is kept until it is discarded', async () => {
    await type(page, 3, 'A gull');
    await cell(other, 1).click();
    await other.keyboard.press('ControlOrMeta+Enter');
    await expect(gridOf(other).getByRole('row')).toHaveCount(5);
    await page.keyboard.press('Enter');
    await expect(notSaved(page)).toContainText(t('failure.listChanged'));
    await page.reload();
    await button(notSaved(page), t('list.discardText')).click();
    await expect(gridOf(page).getByRole('row')).toHaveCount(5);
    await expect(cell(page, 4)).toHaveText('Shot 030');
  });
});

test('a list that another window discarded or started says so, and leads on @night', async ({ app, page }) => {
  await openInProject(app, page);
  await chooseList(page, list);
  const other = await secondWindow(page);

  await test.step('discarded, it leads to all lists', async () => {
    await button(other, t('menu.more')).click();
    await other.getByRole('menuitem', { name: t('list.discard') }).click();
    await expect(page.getByText(t('list.discarded'))).toBeVisible();
    await expect(button(page, t('common.tryAgain'))).toBeHidden();
    await button(page, t('common.allBatches')).last().click();
    await expect(button(page, t('batch.chooseList'))).toBeVisible();
  });

  await test.step('started, it leads to its batch', async () => {
    await chooseList(page, list);
    await other.goto(page.url());
    await expect(cell(other, 3)).toHaveText('Shot 030');
    await startBatch(other);
    await expect(page.getByText(t('list.startedElsewhere'))).toBeVisible();
    await button(page, t('list.showBatch')).click();
    await expect(page.getByRole('grid', { name: t('batch.shotsOf', { name: 'day' }) })).toContainText('010');
  });
});

test('what is typed while Dailies is away stays in its cells, outlives a reload and is sent when it is back @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
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
  await letIn(page, app.entry);
  await expect(waits).toBeHidden();
  await expect(cell(page, 1)).toHaveText('A harbour');

  await type(page, 2, 'Half a pi');
  await page.reload();
  await expect(cell(page, 2)).toHaveText('Half a pi');
  await expect(cell(page, 1)).toHaveText('A harbour');
  await goTo(page, t('place.queue'));
  await goTo(page, t('place.batch'));
});

test('a stranger who takes the port of a server that was killed hears nothing from the open window @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  const { port } = new URL(page.url());
  // A browser repeats a running request when the connection breaks, so none may be running.
  await untilQuiet(page);
  const pass = await page.evaluate<string>("localStorage.getItem('dailies-pass')");
  const heard: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const stranger = createServer((request, answer) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      heard.push({ line: `${request.method} ${request.url?.split('?')[0]}`, headers: request.headers, body });
      answer.end('yes');
    });
  });
  await app.kill();
  await new Promise<void>((listening) => stranger.listen(Number(port), '127.0.0.1', listening));
  try {
    await expect(page.getByText(t('window.restarted'), { exact: true })).toBeVisible();
    // What a person tries in the window goes no further either.
    await button(page.getByRole('navigation', { name: t('window.views') }), t('place.queue')).click();
    await button(banner(page), t('queue.pause')).click();
    await expect.poll(() => heard.length).toBeGreaterThan(2);
  } finally {
    stranger.closeAllConnections();
    stranger.close();
  }
  // Nor is any code taken from it. The icon is the browser's own affair.
  const asked = heard.filter(({ line }) => line !== 'GET /icon.svg');
  expect(new Set(asked.map(({ line, body }) => `${line} ${body}`))).toEqual(new Set(['POST /prove ']));
  expect(JSON.stringify(heard)).not.toContain(pass);
  expect(asked.filter(({ headers }) => 'cookie' in headers || 'authorization' in headers)).toEqual([]);
});

/** Waits until a window has asked for nothing for two seconds, and nothing but the stream of changes is open. */
async function untilQuiet(page: Page): Promise<void> {
  const open = new Set<Request>();
  let changedAt = Date.now();
  const begin = (request: Request) => {
    open.add(request);
    changedAt = Date.now();
  };
  const end = (request: Request) => {
    open.delete(request);
    changedAt = Date.now();
  };
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await expect.poll(() => open.size === 0 && Date.now() - changedAt > 2000).toBe(true);
}
