import type { Locator, Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

/** Two films of one shot, long enough to be stepped through, two stills, a piece of music and a line of speech. */
const list = csvFile('mixed.csv', [
  ['shot', 'kind', 'model', 'prompt', 'duration', 'size', 'takes', 'voice'],
  ['010', 'video', 'vgen-2.0-nt', 'A wave breaks over the rocks', '4', '480p', '2', ''],
  ['P01', 'image', 'image-demo', 'A poster', '', '512x512', '2', ''],
  ['M01', 'music', 'music-demo', 'Low brass in waves', '', '', '1', ''],
  ['V01', 'speech', 'speech-demo', 'Keep the light on.', '', '', '1', 'alto'],
]);

test.use({ demo: { media: 'real' } });
// The browser plays films by its own clock, and drops frames when the machine is busy.
test.describe.configure({ retries: 1 });

const tile = (page: Page, name: string) =>
  page.getByRole('grid', { name: t('group.takes') }).getByRole('gridcell', { name, exact: false });
const inPlayer = (media: Locator, property: string) =>
  media.evaluate((element, name) => Reflect.get(element, name) as unknown, property);

async function review({ app, page }: { app: Parameters<typeof openProject>[0]; page: Page }): Promise<void> {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  await startBatch(page);
  await settled(page, 6);
  await goTo(page, t('place.review'));
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();
}

test('a film is played, stepped, looped, heard and enlarged with keys and buttons @night', async ({ app, page }) => {
  await review({ app, page });
  const film = tile(page, '010 take 1');
  await film.hover();
  await film.hover({ position: { x: 20, y: 40 } });
  await expect(film.locator('video')).toBeVisible();
  await tile(page, 'P01 take 1').hover();
  await expect(film.locator('video')).toHaveCount(0);

  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  const video = page.locator('video');
  const player = page.getByRole('toolbar', { name: t('group.player') });
  const position = player.getByRole('slider', { name: t('review.position') });
  await expect(position).toHaveAttribute('aria-valuetext', '00:00:00');
  await expect(position).toHaveAttribute('aria-valuemax', /^[1-9]/);

  for (const [key, time] of [
    ['Shift+>', '00:00:10'],
    ['.', '00:00:11'],
    [',', '00:00:10'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(position).toHaveAttribute('aria-valuetext', time);
  }
  await page.keyboard.press('i');
  await page.keyboard.press('Shift+>');
  await page.keyboard.press('o');
  // Twelve frames a second.
  await expect(position).toHaveAttribute('aria-valuetext', '00:01:08');
  await page.keyboard.press('l');
  await expect(player.getByRole('button', { name: t('common.pause') })).toBeVisible();
  // Between in and out, round and round.
  await expect.poll(() => inPlayer(video, 'currentTime')).toBeLessThan(1.2);
  await page.keyboard.press('k');
  await expect(player.getByRole('button', { name: t('review.play') })).toBeVisible();
  expect(Number(await inPlayer(video, 'currentTime'))).toBeGreaterThan(0.8);
  await page.keyboard.press('Shift+o');

  await player.getByRole('button', { name: 'Speed 1×' }).click();
  await page.getByRole('menuitem', { name: '0.5×' }).click();
  await expect.poll(() => inPlayer(video, 'playbackRate')).toBe(0.5);
  await player.getByRole('slider', { name: t('review.volume') }).focus();
  await page.keyboard.press('Home');
  await expect.poll(() => inPlayer(video, 'volume')).toBe(0);
  await page.keyboard.press('End');
  await expect.poll(() => inPlayer(video, 'volume')).toBe(1);
  await page.keyboard.press('Escape');
  await tile(page, '010 take 1').dblclick();
  await page.keyboard.press('m');
  await expect.poll(() => inPlayer(page.locator('video'), 'muted')).toBe(true);
  await page.keyboard.press('m');

  await position.click({ position: { x: 200, y: 12 } });
  await expect(position).not.toHaveAttribute('aria-valuetext', '00:00:00');
  await page.keyboard.press('z');
  await expect(page.getByRole('button', { name: /^\d+%$/ })).toBeVisible();
  await page.keyboard.press('z');
  await expect(page.getByRole('button', { name: /^Fit/ })).toBeVisible();
  await page.keyboard.press('f');
  await expect.poll(() => page.evaluate('document.fullscreenElement !== null')).toBe(true);
  await page.keyboard.press('f');
  await expect.poll(() => page.evaluate('document.fullscreenElement')).toBeNull();
});

test('takes are compared: played, stepped, enlarged and moved as one, stills wiped, and a line of speech is heard @night', async ({
  app,
  page,
}) => {
  await review({ app, page });
  await page.keyboard.press('c');
  await expect(page.getByText(t('review.comparing', { count: 2 }))).toBeVisible();
  const films = page.locator('video');
  await expect(films).toHaveCount(2);
  const position = page.getByRole('slider', { name: t('review.position') });
  await expect(position).toHaveAttribute('aria-valuemax', /^[1-9]/);
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

  const shown = () =>
    films.evaluateAll((all) =>
      all.map(
        (each) =>
          (each as unknown as { parentElement: { style: { transform: string } } }).parentElement.style.transform,
      ),
    );
  await page.keyboard.press('+');
  await expect.poll(async () => (await shown())[0]).toContain('scale(1.5)');
  await expect.poll(async () => new Set(await shown()).size).toBe(1);
  await films.first().hover();
  await page.mouse.down();
  await page.mouse.move(500, 420, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await shown())[0]).not.toContain('translate(0px, 0px)');
  await expect.poll(async () => new Set(await shown()).size).toBe(1);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('p');
  await expect(page.getByRole('region', { name: '010 · take 2' })).toContainText(t('review.picked'));
  await expect(page.getByText(t('review.sameRecipe'))).toBeVisible();
  await page.keyboard.press('w');
  await expect(page.getByRole('slider', { name: t('review.wipeEdge') })).toHaveAttribute('aria-valuenow', '50');
  await expect(films).toHaveCount(2);
  await page.keyboard.press('w');

  await page.keyboard.press('Escape');
  await page.keyboard.press('End');
  await tile(page, 'P01 take 1').click();
  await page.keyboard.press('c');
  await expect(page.getByText(t('review.comparing', { count: 2 }))).toBeVisible();
  await page.keyboard.press('w');
  const edge = page.getByRole('slider', { name: t('review.wipeEdge') });
  await expect(edge).toHaveAttribute('aria-valuenow', '50');
  await edge.focus();
  await page.keyboard.press('ArrowRight');
  await expect(edge).toHaveAttribute('aria-valuenow', '52');
  // The films take their size as they load, which moves the edge away from under a drag.
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
  await tile(page, 'V01 take 1').dblclick();
  const sound = page.locator('audio');
  await expect.poll(() => inPlayer(sound, 'duration')).toBeGreaterThan(0.5);
  await page.keyboard.press('l');
  await expect.poll(() => inPlayer(sound, 'currentTime')).toBeGreaterThan(0.1);
});
