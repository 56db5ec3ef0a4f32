import { test as base, expect, type Page } from '@playwright/test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from '../../src/contract/messages/words.ts';
import { expectAccessible, isDesktop, watchPage } from './support/app.ts';
import { AppWindow } from './support/app-window.ts';
import { BuiltApp } from './support/built-app.ts';
import {
  button,
  goTo,
  chooseList,
  openProjectButton,
  settled,
  showSettings,
  showTakes,
  startBatch,
  stillList,
  videoList,
} from './support/window.ts';

const test = base.extend<{ app: AppWindow; built: BuiltApp }>({
  app: async ({ page }, use) => {
    const wrong: string[] = [];
    watchPage(page, wrong);
    const app = await AppWindow.open(page);
    await use(app);
    await app.close();
    expect(wrong).toEqual([]);
  },
  built: async ({ page }, use) => {
    const built = await BuiltApp.open(page);
    await use(built);
    await built.close();
  },
});
test.skip(isDesktop, 'The real app is driven by the other tests.');

test('the window of the app opens what comes from outside, and carries takes out', async ({ app, page }) => {
  // A list that is opened with Dailies, before there is any project.
  const film = app.makeFolder('Film');
  const list = app.path('stills.csv');
  writeFileSync(list, stillList(['S1', 'S2', 'S3']).buffer);
  await expect(openProjectButton(page)).toBeVisible();
  app.tell({ type: 'open', what: 'list', path: list });
  await expect(page.getByText('Open or create a project for “stills.csv”')).toBeVisible();

  // The system's own dialogue stands in for the window's, and a project brings the list up.
  app.chosen = film;
  await openProjectButton(page).click();
  await expect(page.getByRole('main', { name: t('place.batch') })).toBeVisible();
  await expect(page.getByRole('grid')).toContainText('A still of S1');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(app.folderRequests).toEqual([{ title: t('projects.openOrCreateProject'), action: t('common.open') }]);
  expect(existsSync(join(film, '.dailies', 'project.json'))).toBe(true);

  await startBatch(page);
  await settled(page, 3);
  await showTakes(page);

  // One take, then the two that are selected.
  const tile = (shot: string) => page.getByRole('gridcell', { name: `${shot} take 1` });
  const drag = async (shot: string): Promise<void> => {
    // Where it lies once nothing above it moves any more.
    await tile(shot).hover({ position: { x: 40, y: 40 } });
    const box = await tile(shot).boundingBox();
    if (!box) throw new Error('the take is not to be seen');
    await page.mouse.move(box.x + 40, box.y + 40);
    app.prepared = [];
    await page.mouse.down();
    await expect.poll(() => app.prepared).not.toEqual([]);
    await page.mouse.move(box.x + 80, box.y + 80, { steps: 5 });
    await page.mouse.up();
  };
  const file = (shot: string) => join(film, 'stills', `${shot}_t1.png`);
  await drag('S3');
  await expect.poll(() => app.dragged).toEqual([[file('S3')]]);
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();
  await tile('S1').click();
  await tile('S2').click({ modifiers: ['ControlOrMeta'] });
  await drag('S1');
  await expect.poll(() => app.dragged.at(-1)).toEqual([file('S1'), file('S2')]);
  // Pressed and let go without a drag, it is the one that is meant.
  await tile('S1').click();
  await expect(tile('S2')).toHaveAttribute('aria-selected', 'false');
  await page.keyboard.press('Shift+R');
  await expect.poll(() => app.revealed).toEqual([file('S1')]);

  await page.keyboard.press('Enter');
  const handle = page.getByRole('img', { name: t('review.dragFiles') });
  await expectAccessible(page);
  app.prepared = [];
  await handle.hover();
  await page.mouse.down();
  await expect.poll(() => app.prepared).not.toEqual([]);
  await page.getByRole('complementary', { name: t('common.details') }).hover();
  await page.mouse.up();
  await expect.poll(() => app.dragged.at(-1)).toEqual([file('S1')]);
  await button(page, 'Show in Finder').click();
  await expect.poll(() => app.revealed).toHaveLength(2);
});

test('the window of the app goes by the menus, the folders and the updates of its system @night', async ({
  app,
  page,
}) => {
  await test.step('menus are as the palette is, and do what they say', async () => {
    const menuOf = (id: string) => app.menu.find((command) => command.id === id);
    await expect
      .poll(() => menuOf('go-queue'))
      .toMatchObject({ title: t('window.goTo', { place: t('place.queue') }), group: 'Go', keys: 'g q' });
    await expect.poll(() => menuOf('open-project')?.enabled).toBe(true);
    app.tell({ type: 'command', id: 'go-queue' });
    await expect(page.getByRole('main', { name: t('place.queue') })).toBeVisible();
    await expect.poll(() => menuOf('open-project')).toBeUndefined();
    await expect.poll(() => menuOf('queue-retry')?.enabled).toBe(false);
    app.tell({ type: 'show', view: 'review', projectId: null, detail: {} });
    await expect(page.getByRole('main', { name: t('place.review') })).toBeVisible();
    // What makes no sense just now is not done, even when a menu that was slow to know offers it.
    app.tell({ type: 'command', id: 'queue-retry' });
    app.tell({ type: 'command', id: 'go-settings' });
    await expect(page.getByRole('main', { name: t('place.settings') })).toBeVisible();
  });

  await test.step('the system’s own dialogue chooses a folder for the settings, and begins there from then on', async () => {
    await showSettings(page, t('settings.folders'));
    app.chosen = app.makeFolder('films');
    await button(page, t('settings.chooseFolder', { folder: t('settings.newProjects') })).click();
    await expect(page.getByLabel(t('settings.newProjects'), { exact: true })).toHaveValue(app.chosen);
    app.chosen = null;
    await goTo(page, t('place.projects'));
    await openProjectButton(page).click();
    await expect
      .poll(() => app.folderRequests)
      .toEqual([
        {
          title: t('settings.chooseFolder', { folder: t('settings.newProjects') }),
          action: t('settings.useFolder'),
        },
        { title: t('projects.openOrCreateProject'), action: t('common.open'), start: app.path('films') },
      ]);
  });

  await test.step('a new version waits for the person, and for the queue', async () => {
    app.tell({ type: 'update', update: { state: 'ready', version: '9.9.9' } });
    const note = page.getByRole('status').filter({ hasText: 'Version 9.9.9 is ready.' });
    await button(note, t('window.restartWhenIdle')).click();
    await expect.poll(() => app.choices).toEqual(['when_idle']);
    app.tell({ type: 'update', update: { state: 'awaited', version: '9.9.9' } });
    await expect(note).toContainText(t('window.updateWhenIdle'));
    await expectAccessible(page);
    await button(note, t('window.later')).click();
    await expect(note).toHaveCount(0);
    await expect.poll(() => app.choices).toEqual(['when_idle', 'later']);

    await showSettings(page, t('settings.app'));
    await expect(page.getByRole('switch', { name: t('settings.keepRunning') })).toBeInViewport();
    await page.getByRole('switch', { name: t('settings.keepRunning') }).click();
    await expect(page.getByRole('switch', { name: t('settings.updates') })).toBeChecked();
    await expect.poll(() => app.settings.keepRunning).toBe(true);
    await expectAccessible(page);
  });
});

test('a project folder that is opened or dropped is opened, and a dropped list keeps its folder @night', async ({
  app,
  page,
}) => {
  app.tell({ type: 'open', what: 'project', path: app.makeFolder('Reel') });
  await expect(page.getByRole('heading', { name: 'Reel', exact: true })).toBeVisible();

  // Of a folder that is none yet, the person says whether it should be one.
  const trailer = app.makeFolder('Trailer');
  app.tell({ type: 'open', what: 'folder', path: trailer });
  await expect(page.getByText('“Trailer” is not a project yet.')).toBeVisible();
  expect(existsSync(join(trailer, '.dailies'))).toBe(false);
  await button(page, t('window.makeProject')).click();
  await expect(page.getByRole('heading', { name: 'Trailer', exact: true })).toBeVisible();

  const lists = app.makeFolder('lists');
  writeFileSync(join(lists, 'pier.png'), 'BM, a small picture');
  const list = join(lists, 'shots.csv');
  writeFileSync(list, 'shot,model,prompt,first_frame,duration\nS1,vgen-2.0-nt,A pier,pier.png,5\n');
  await goTo(page, t('place.batch'));
  await drop(page, [list]);
  await expect(page.getByRole('grid')).toContainText('pier.png');
  // Were it looked for in the project folder, it would not be there.
  await expect(
    page
      .getByText(t('batch.readyToStart'))
      .or(page.getByText(t('start.noDefects')))
      .first(),
  ).toBeVisible();

  // Pictures become a list of their own, a row each, in the order of their names.
  for (const name of ['2.png', '10.png']) writeFileSync(join(lists, name), 'BM, a small picture');
  writeFileSync(join(lists, '2.txt'), 'A pier at dawn');
  await goTo(page, t('place.batch'));
  await drop(page, [join(lists, '10.png'), join(lists, '2.png'), join(lists, '2.txt')]);
  await expect(page.getByRole('grid')).toContainText('A pier at dawn');
  await expect(page.getByRole('row').nth(2)).toContainText('10.png');
});

/** What a drop on *Shot list* hands over, with the paths that the app knows of the files. */
async function drop(page: Page, files: readonly string[]): Promise<void> {
  await expect(page.getByText('Drop a shot list here')).toBeVisible();
  await page.evaluate(`
    const dataTransfer = new DataTransfer();
    for (const name of ${JSON.stringify(files.map((file) => file.replaceAll('/', '~')))}) {
      dataTransfer.items.add(new File(['not read'], name, { type: name.endsWith('.png') ? 'image/png' : '' }));
    }
    const target = document.querySelector('main aside');
    for (const type of ['dragover', 'drop']) {
      target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  `);
}

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
  built,
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
  built.answerAbilities();
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
  built.tell({ type: 'kill engine' });
  await saidAway;
  await expect(away).toBeHidden();
  await goTo(page, t('place.projects'));
  await expect(page.getByRole('heading', { name: 'Film', exact: true })).toBeVisible();

  // A page that is loaded again gets a port again.
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Film', exact: true })).toBeVisible();
  await expect(away).toBeHidden();

  expect(wrong).toEqual([]);
  expect(await built.quit()).toBe(0);
});
