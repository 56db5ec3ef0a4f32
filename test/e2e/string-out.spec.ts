import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test, type App } from './support/app.ts';
import { button, chooseList, csvFile, openInProject, press, settled, showTakes, startBatch } from './support/window.ts';

test.use({ demo: { media: 'real' } });
// The browser plays films by its own clock.
test.describe.configure({ retries: 1 });

const clips = (page: Page) => page.getByRole('group', { name: t('stringOut.clips') }).getByRole('button');
const atFrame = (page: Page, time: string) =>
  expect(page.getByRole('slider', { name: t('review.position') })).toHaveAttribute('aria-valuetext', time);

/** Two films with a third between them, whose file is gone; all three are picks. */
async function pickShots(app: App, page: Page): Promise<void> {
  const folder = await openInProject(app, page);
  const film = (shot: string) => [shot, 'video', 'vgen-2.0-nt', `Wave ${shot} breaks`, '4', '480p'];
  const columns = ['shot', 'kind', 'model', 'prompt', 'duration', 'size'];
  await chooseList(page, csvFile('film.csv', [columns, film('010'), film('020'), film('030')]));
  await startBatch(page);
  await settled(page, 3);
  await showTakes(page);
  await press(page, 'Control+a', 'p');
  await expect(page.getByText(t('review.tally', { picked: 3, alternates: 0, rejected: 0, open: 0 }))).toBeVisible();
  const [file = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) =>
    /020[^/]*\.mp4$/.test(each),
  );
  rmSync(join(folder, file));
}

test('picks play in a row over a missing file, and are trimmed, moved and brought back by key @night', async ({
  app,
  page,
}) => {
  await pickShots(app, page);
  await test.step('the first frame is there, and nothing is saved', async () => {
    await press(page, 'v');
    await expect(clips(page)).toHaveCount(3);
    await expect(clips(page).nth(1)).toHaveAccessibleName(/File missing.*020.*00:00:02:00/);
    await expect(page.getByText(t('stringOut.notSaved'))).toBeVisible();
    await atFrame(page, '00:00:00:00');
    await expect(page.locator('video').filter({ visible: true })).toHaveCount(1);
  });
  await test.step('it plays over both cuts to its end', async () => {
    await press(page, 'Shift+l', 'l', 'l', 'l');
    await atFrame(page, '00:00:09:11');
    await expect(clips(page).nth(2)).toHaveAttribute('aria-current', 'true');
  });
  await test.step('a clip is trimmed at the frame that is shown, and that is undone', async () => {
    await press(page, 'Home', 'Shift+>', 'i');
    await expect(clips(page).first()).toHaveAccessibleName(/00:00:03:02/);
    await expect(page.getByText(t('stringOut.notSaved'))).toHaveCount(0);
    await press(page, 'Control+z');
    await expect(clips(page).first()).toHaveAccessibleName(/00:00:04:00/);
  });
  await test.step('a clip is moved, and another one switched off', async () => {
    await press(page, 'Home', 'Alt+ArrowRight');
    await expect(clips(page).first()).toHaveAccessibleName(/020/);
    await expect(clips(page).nth(1)).toHaveAccessibleName(/010/);
    await press(page, 'ArrowDown', 'Shift+D');
    await expect(clips(page).nth(2)).toHaveAccessibleName(/Off.*030/);
    await expectAccessible(page);
  });
  await test.step('a take plays between its neighbours, and Escape goes back to it', async () => {
    await press(page, 'Escape');
    await press(page, 'Home', 'Enter', 'b');
    await expect(page.getByText(t('stringOut.aroundOf', { take: '010 · take 1' }))).toBeVisible();
    // The one behind it is switched off.
    await expect(clips(page)).toHaveCount(2);
    await press(page, 'Escape');
    await expect(button(page, t('review.backToGrid'))).toBeVisible();
  });
});
