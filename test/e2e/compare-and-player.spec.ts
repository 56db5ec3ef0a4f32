import { writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test, type App } from './support/app.ts';
import {
  button,
  choose,
  chooseList,
  csvFile,
  openInProject,
  press,
  settled,
  showTakes,
  startBatch,
} from './support/window.ts';

test.use({ demo: { media: 'real' } });
// The browser plays films by its own clock, and drops frames when the machine is busy.
test.describe.configure({ retries: 1 });

const tile = (page: Page, name: string): Locator =>
  page.getByRole('grid', { name: t('group.takes') }).getByRole('gridcell', { name, exact: false });
const inPlayer = (media: Locator, property: string) =>
  media.evaluate((element, name) => Reflect.get(element, name) as unknown, property);
const playerOf = (page: Page): Locator => page.getByRole('toolbar', { name: t('group.player') });
const positionIn = (page: Page): Locator => page.getByRole('slider', { name: t('review.position') });

/** Two films of one shot, long enough to be stepped through, two stills and a line of speech. */
async function review(app: App, page: Page): Promise<void> {
  await openInProject(app, page);
  await chooseList(
    page,
    csvFile('mixed.csv', [
      ['shot', 'kind', 'model', 'prompt', 'duration', 'size', 'takes', 'voice'],
      ['010', 'video', 'vgen-2.0-nt', 'A wave breaks over the rocks', '4', '480p', '2', ''],
      ['P01', 'image', 'image-demo', 'A poster', '', '512x512', '2', ''],
      ['V01', 'speech', 'speech-demo', 'Keep the light on.', '', '', '1', 'alto'],
    ]),
  );
  await startBatch(page);
  await settled(page, 5);
  await showTakes(page);
}

test('a film is played, stepped, looped, heard and enlarged with keys and buttons @night', async ({ app, page }) => {
  await review(app, page);
  const video = page.locator('video');
  const player = playerOf(page);
  const position = positionIn(page);

  await test.step('the pointer on a tile shows the film', async () => {
    const film = tile(page, '010 take 1');
    await film.hover();
    await film.hover({ position: { x: 20, y: 40 } });
    await expect(film.locator('video')).toBeVisible();
    await tile(page, 'P01 take 1').hover();
    await expect(film.locator('video')).toHaveCount(0);
  });

  await test.step('it is stepped by frames and by tens', async () => {
    await press(page, 'Home', 'Enter');
    await expect(position).toHaveAttribute('aria-valuetext', '00:00:00:00');
    await expect(position).toHaveAttribute('aria-valuemax', /^[1-9]/);
    for (const [key, time] of [
      ['Shift+>', '00:00:00:10'],
      ['.', '00:00:00:11'],
      [',', '00:00:00:10'],
    ] as const) {
      await page.keyboard.press(key);
      await expect(position).toHaveAttribute('aria-valuetext', time);
    }
  });

  await test.step('it is played between in and out, round and round', async () => {
    await press(page, 'i', 'Shift+>', 'o');
    // Twelve frames a second.
    await expect(position).toHaveAttribute('aria-valuetext', '00:00:01:08');
    await page.keyboard.press('l');
    await expect(button(player, t('common.pause'))).toBeVisible();
    await expect.poll(() => inPlayer(video, 'currentTime')).toBeLessThan(1.2);
    await page.keyboard.press('k');
    await expect(button(player, t('review.play'))).toBeVisible();
    expect(Number(await inPlayer(video, 'currentTime'))).toBeGreaterThan(0.8);
    await page.keyboard.press('Shift+o');
  });

  await test.step('its speed and its sound have controls, and a key mutes it', async () => {
    await choose(button(player, 'Speed 1×'), '0.5×', 'menuitem');
    await expect.poll(() => inPlayer(video, 'playbackRate')).toBe(0.5);
    await player.getByRole('slider', { name: t('review.volume') }).focus();
    await page.keyboard.press('Home');
    await expect.poll(() => inPlayer(video, 'volume')).toBe(0);
    await page.keyboard.press('End');
    await expect.poll(() => inPlayer(video, 'volume')).toBe(1);
    await page.keyboard.press('Escape');
    await tile(page, '010 take 1').dblclick();
    await page.keyboard.press('m');
    await expect.poll(() => inPlayer(video, 'muted')).toBe(true);
    await page.keyboard.press('m');
  });

  await test.step('a click goes to its place; keys enlarge it and fill the screen', async () => {
    await position.click({ position: { x: 200, y: 12 } });
    await expect(position).not.toHaveAttribute('aria-valuetext', '00:00:00:00');
    await page.keyboard.press('z');
    await expect(button(page, /^\d+%$/)).toBeVisible();
    await page.keyboard.press('z');
    await expect(button(page, /^Fit/)).toBeVisible();
    await page.keyboard.press('f');
    await expect.poll(() => page.evaluate('document.fullscreenElement !== null')).toBe(true);
    await page.keyboard.press('f');
    await expect.poll(() => page.evaluate('document.fullscreenElement')).toBeNull();
  });
});

test('takes are compared: played, stepped, enlarged and moved as one, stills wiped, and a line of speech is heard @night', async ({
  app,
  page,
}) => {
  await review(app, page);
  const films = page.locator('video');
  const edge = page.getByRole('slider', { name: t('review.wipeEdge') });
  const comparing = page.getByText(t('review.comparing', { count: 2 }));

  await test.step('films are stepped and played as one', async () => {
    await page.keyboard.press('c');
    await expect(comparing).toBeVisible();
    await expect(films).toHaveCount(2);
    await expect(positionIn(page)).toHaveAttribute('aria-valuemax', /^[1-9]/);
    await page.keyboard.press('Shift+>');
    const times = () =>
      films.evaluateAll((all) => all.map((each) => (each as unknown as { currentTime: number }).currentTime));
    await expect.poll(async () => new Set((await times()).map((time) => time.toFixed(2))).size).toBe(1);
    await page.keyboard.press('l');
    await expect.poll(async () => Math.min(...(await times()))).toBeGreaterThan(0.8);
    await page.keyboard.press('k');
    await expect
      .poll(async () => {
        const [one = 0, other = 1] = await times();
        return Math.abs(one - other);
      })
      .toBeLessThan(0.02);
  });

  await test.step('they are enlarged and moved as one', async () => {
    interface Shown {
      readonly parentElement: { readonly style: { readonly transform: string } };
    }
    const shown = () =>
      films.evaluateAll((all) => all.map((each) => (each as unknown as Shown).parentElement.style.transform));
    await page.keyboard.press('+');
    await expect.poll(async () => (await shown())[0]).toContain('scale(1.5)');
    await expect.poll(async () => new Set(await shown()).size).toBe(1);
    await films.first().hover();
    await page.mouse.down();
    await page.mouse.move(500, 420, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await shown())[0]).not.toContain('translate(0px, 0px)');
    await expect.poll(async () => new Set(await shown()).size).toBe(1);
  });

  await test.step('a verdict is for the one with the focus, and one is wiped over the other', async () => {
    await press(page, 'ArrowRight', 'p');
    const second = page.getByRole('region', { name: '010 · take 2' });
    await expect(second).toContainText(t('review.picked'));
    await expect(page.getByText(t('review.sameRecipe'))).toBeVisible();
    await page.keyboard.press('w');
    await expect(edge).toHaveAttribute('aria-valuenow', '50');
    await expect(films).toHaveCount(2);
    await press(page, 'w', 'Escape');
  });

  await test.step('the edge between two stills is moved by keys and dragged', async () => {
    await tile(page, 'P01 take 1').click();
    await page.keyboard.press('c');
    await expect(comparing).toBeVisible();
    await page.keyboard.press('w');
    await expect(edge).toHaveAttribute('aria-valuenow', '50');
    await edge.focus();
    await page.keyboard.press('ArrowRight');
    await expect(edge).toHaveAttribute('aria-valuenow', '52');
    // The pictures take their size as they load, which moves the edge away from under a drag.
    await expect(async () => {
      const box = await edge.boundingBox();
      await page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) + 200);
      await page.mouse.down();
      await page.mouse.move((box?.x ?? 0) - 200, (box?.y ?? 0) + 200, { steps: 5 });
      await page.mouse.up();
      expect(Number(await edge.getAttribute('aria-valuenow'))).toBeLessThan(40);
    }).toPass({ timeout: 45_000 });
    await page.keyboard.press('w');
    await expect(edge).toBeHidden();
    await page.keyboard.press('Escape');
  });

  await test.step('a line of speech is heard', async () => {
    await tile(page, 'V01 take 1').dblclick();
    const sound = page.locator('audio');
    await expect.poll(() => inPlayer(sound, 'duration')).toBeGreaterThan(0.5);
    await page.keyboard.press('l');
    await expect.poll(() => inPlayer(sound, 'currentTime')).toBeGreaterThan(0.1);
  });
});

test('a take leads to another: music goes on from where it is played, a picture by its buttons and its words @night', async ({
  app,
  page,
}) => {
  const prices = [{ model: 'typo', per: 'take', price: 0.03 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ currency: 'USD', prices }));
  await openInProject(app, page);
  await chooseList(
    page,
    csvFile('songs.csv', [
      ['shot', 'kind', 'model', 'prompt', 'custom_mode', 'lyrics', 'operation'],
      ['M01', 'music', 'music-demo', 'Low brass in waves', '', '', ''],
      ['M02', 'music', 'music-demo', '', 'TRUE', 'Keep a light', ''],
      ['P01', 'image', 'image-demo', 'A harbour', '', '', 'imagine'],
    ]),
  );
  await startBatch(page);
  await settled(page, 3);
  await showTakes(page);
  const commits = () => app.service.ledger.billableCommits();
  const open = async (name: string): Promise<void> => {
    await tile(page, name).click();
    await page.keyboard.press('Enter');
  };
  /** Queues what a dialog describes, and waits until it is sent. */
  const queueIn = async (dialog: Locator): Promise<unknown> => {
    const before = commits().length;
    await button(dialog, t('review.queueTake')).click();
    await expect(dialog).toBeHidden();
    await expect.poll(() => commits().length).toBe(before + 1);
    return commits().at(-1)?.body;
  };
  /** The tiles behind a take move on when a new one comes, and a click may be on its way. */
  const backTo = async (name: string): Promise<void> => {
    await page.keyboard.press('Escape');
    await expect(tile(page, name)).toBeVisible();
  };
  const continued = page.getByRole('dialog', { name: /^Continue from 0:0\d\.\d$/ });

  await test.step('a piece of music is continued from where it is played, after its price is shown', async () => {
    await open('M01 take 1');
    await expect(positionIn(page)).toHaveAttribute('aria-valuemax', /^[1-9]/);
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('Shift+>');
    await button(page, t('review.continueHere')).click();
    await expect(continued).toContainText('1 take,');
    await continued.getByRole('textbox', { name: t('common.prompt') }).fill('The brass climbs');
    expect(await queueIn(continued)).toMatchObject({
      prompt: 'The brass climbs',
      task_id: expect.stringMatching(/^task_/),
      continue_at: expect.any(Number),
    });
    await backTo('M01 take 2');
  });

  await test.step('a song goes on with other words: it has lyrics in the place of a prompt', async () => {
    await open('M02 take 1');
    await button(page, t('review.continueHere')).click();
    const lyrics = continued.getByRole('textbox', { name: t('column.lyrics') });
    await expect(lyrics).toHaveValue('Keep a light');
    await expect(continued.getByRole('textbox', { name: t('common.prompt') })).toHaveValue('');
    await lyrics.fill('Keep it for others');
    expect(await queueIn(continued)).toMatchObject({
      prompt: 'Keep it for others',
      customMode: true,
      continue_at: expect.any(Number),
    });
    await backTo('M02 take 2');
  });

  await test.step('a button of a picture makes a take from it', async () => {
    await open('P01 take 1');
    await expect(button(page, t('review.continueHere'))).toHaveCount(0);
    const buttons = page.getByRole('toolbar', { name: t('review.takeButtons') });
    await expect(buttons.getByRole('button')).toHaveCount(9);
    await button(buttons, 'U1').click();
    const press = page.getByRole('dialog', { name: 'Press U1' });
    await expect(press).toContainText('1 take, price unknown');
    expect(await queueIn(press)).toMatchObject({
      customId: expect.stringContaining('upscale-1'),
      taskId: expect.stringMatching(/^task_/),
    });
  });

  const changes = page.getByRole('dialog', { name: t('review.newTakeTitle', { shot: 'P01' }) });
  const prompt = changes.getByRole('textbox', { name: t('common.prompt') });
  await test.step('its final prompt begins a new one', async () => {
    await button(page, t('review.useInNewTake')).first().click();
    await expect(prompt).toHaveValue('A harbour, natural light, fine detail');
    await page.keyboard.press('Escape');
  });

  await test.step('it is described in words that begin a new one, at a price that is said', async () => {
    await button(page.getByRole('banner'), /Search or run/).click();
    await page.getByRole('combobox', { name: t('window.searchCommands') }).fill(t('review.describePicture'));
    await page.keyboard.press('Enter');
    const describing = page.getByRole('dialog', { name: 'Describe P01 · take 1' });
    const byTypography = button(describing, t('review.describeTypo'));
    await expect(byTypography).toHaveAccessibleDescription('1 call to typo, 0.03 USD');
    const byJob = button(describing, t('review.describeJob'));
    await expect(byJob).toHaveAccessibleDescription(/^1 call to jobimg, price unknown/);
    await byJob.click();
    const words = describing.getByRole('paragraph').filter({ hasText: /^A .+, / });
    await expect(words).toHaveCount(1, { timeout: 30_000 });
    const described = await words.innerText();
    await button(describing, t('review.useInNewTake')).click();
    await expect(prompt).toHaveValue(described);
  });
});
