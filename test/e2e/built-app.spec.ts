import { test as base, expect } from '@playwright/test';
import { isDesktop } from './support/app.ts';
import { BuiltApp } from './support/built-app.ts';
import { chooseList, goTo, openProjectButton, settled, startBatch, videoList } from './support/window.ts';
import { t } from '../../src/contract/messages/words.ts';

const test = base.extend<{ app: BuiltApp }>({
  app: async ({ page }, use) => {
    const app = await BuiltApp.open(page);
    await use(app);
    await app.close();
  },
});
test.skip(isDesktop, 'The real app is driven by the other tests.');

/** Loads the film of the first picture that is shown, to its end. */
const FIRST_FILM = `new Promise((resolve) => {
  const look = () => {
    const picture = [...document.images].find(({ src }) => src.includes('/thumb/'));
    if (!picture) return requestAnimationFrame(look);
    const film = document.createElement('video');
    film.src = new URL(picture.src).pathname.replace('/thumb/', '/media/');
    film.onerror = () => resolve({ error: film.error.message });
    film.onloadeddata = () => (film.currentTime = film.duration - 0.1);
    film.onseeked = () => resolve({ error: null, seconds: film.duration });
  };
  look();
})`;

/** Resolves when the window has said it, were it for a moment. */
const SAYS_AWAY = `new Promise((resolve) => {
  const look = () => document.body.innerText.includes('Dailies is not responding.') && resolve();
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
})`;

test('the built app runs a list in its window, plays a film by its own scheme, outlives its engine, and quits', async ({
  app,
  page,
}) => {
  const wrong: string[] = [];
  let engineDied = false;
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => {
    // Requests that ran when the engine died are cut off, and the browser reports them.
    const isCutOff = engineDied && message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isCutOff) wrong.push(message.text());
  });
  // A click before the page knows that the system has a dialogue for folders waits until it does.
  await openProjectButton(page).click();
  app.answerAbilities();
  await expect(page.getByRole('heading', { name: 'Film', exact: true })).toBeVisible();
  await chooseList(page, videoList(2));
  await startBatch(page);
  await settled(page, 2);

  // A film, through the scheme's handler and the engine's host, in ranges.
  await goTo(page, t('place.review'));
  expect(await page.evaluate(FIRST_FILM)).toMatchObject({ error: null });

  // The engine dies: the window says so, and goes on by itself.
  // The frame says so, and what was being read in the view.
  const away = page.getByText(t('window.noAnswer'), { exact: true }).first();
  const saidAway = page.evaluate(SAYS_AWAY);
  engineDied = true;
  app.tell({ type: 'kill engine' });
  await saidAway;
  await expect(away).toBeHidden();
  await goTo(page, t('place.projects'));
  await expect(page.getByRole('heading', { name: 'Film', exact: true })).toBeVisible();

  // A page that is loaded again gets a port again.
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Film', exact: true })).toBeVisible();
  await expect(away).toBeHidden();

  expect(wrong).toEqual([]);
  expect(await app.quit()).toBe(0);
});
