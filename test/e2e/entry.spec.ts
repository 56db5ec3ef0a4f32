import { t } from '../../src/contract/messages/words.ts';
import type { Page, Request } from '@playwright/test';
import { createServer, type IncomingMessage } from 'node:http';
import { expect, isDesktop, test } from './support/app.ts';
import { goTo, openProject } from './support/window.ts';

test.skip(isDesktop, 'the app has a page of its own, which nobody has to be let into');

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
});

test('a stranger who takes the port of a server that was killed hears nothing from the open window @night', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
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
    await page
      .getByRole('navigation', { name: t('window.views') })
      .getByRole('button', { name: t('place.queue') })
      .click();
    await page
      .getByRole('banner')
      .getByRole('button', { name: t('queue.pause') })
      .click();
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
