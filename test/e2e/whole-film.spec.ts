import { mkdirSync, readdirSync } from 'node:fs';
import type { Locator } from '@playwright/test';
import { expect, test } from './support/app.ts';
import { chooseFolder, goTo, openProject, settled, startBatch } from './support/window.ts';

const quick = { videoMs: 100, imageMs: 100, musicMs: 100, textMs: 100, speechMs: 100, presenterMs: 100, assetMs: 50 };
test.use({ demo: { speed: { ...quick, jitter: 0 } } });

const film = [
  ['shot', 'kind', 'model', 'prompt', 'voice', 'avatar', 'audio', 'first_frame', 'operation'],
  ['line', 'text', 'chat-demo', 'One line about a lighthouse', '', '', '', '', ''],
  ['voice', 'speech', 'speech-demo', 'Shot://line', 'alto', '', '', '', ''],
  ['still', 'image', 'image-demo', 'A lighthouse at dusk', '', '', '', '', ''],
  ['host', 'presenter', 'presenter-demo', '', '', 'Shot://still', 'Shot://voice', '', ''],
  ['move', 'video', 'vgen-2.0-nt', 'The light comes on', '', '', '', 'Shot://still', ''],
  ['theme', 'music', 'music-demo', 'Slow cello', '', '', '', '', ''],
  ['print', 'image', 'image-demo', 'A woodcut of the lighthouse', '', '', '', '', 'imagine'],
];

async function queueIn(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Queue the take' }).click();
  await expect(dialog).toBeHidden();
}

test('a film goes from a list over its texts, voices and stills to films, a larger print, a longer theme and the export', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, 'Batch');
  await page.getByRole('button', { name: 'Paste a list' }).click();
  const paste = page.getByRole('dialog', { name: 'Paste a list' });
  await paste.getByRole('textbox', { name: 'The list' }).fill(film.map((row) => row.join('\t')).join('\n'));
  await paste.getByRole('button', { name: 'Open the list' }).click();
  await expect(page.getByText(/^no defects$|^\d+ warnings?$/)).toBeVisible();
  await startBatch(page);
  await settled(page, '7 / 7 takes');

  await goTo(page, 'Review');
  const recipe = page.getByRole('complementary', { name: 'Recipe' });
  const takes = page.getByRole('grid', { name: 'Takes' });
  await takes.getByRole('gridcell', { name: 'host take 1' }).click();
  await expect(recipe.getByRole('button', { name: 'From voice · take 1' })).toBeVisible();
  await expect(recipe.getByRole('button', { name: 'From still · take 1' })).toBeVisible();
  await recipe.getByRole('button', { name: 'From voice · take 1' }).click();
  await expect(recipe.getByRole('button', { name: 'From line · take 1' })).toBeVisible();

  const toGrid = page.getByRole('button', { name: 'Back to the grid' });
  await toGrid.click();
  await takes.getByRole('gridcell', { name: 'theme take 1' }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Continue from here' }).click();
  await queueIn(page.getByRole('dialog', { name: /^Continue from 0:00/ }));
  await toGrid.click();
  // The tiles behind it move on when it comes, and a click may be on its way.
  await expect(takes.getByRole('gridcell', { name: 'theme take 2' })).toBeVisible({ timeout: 30_000 });
  await takes.getByRole('gridcell', { name: 'print take 1' }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('toolbar', { name: 'Made from this take' }).getByRole('button', { name: 'U1' }).click();
  await queueIn(page.getByRole('dialog', { name: 'Press U1' }));
  await toGrid.click();
  await expect(takes.getByRole('gridcell', { name: 'print take 2' })).toBeVisible({ timeout: 30_000 });
  await takes.getByRole('gridcell', { name: 'theme take 2' }).click();
  await expect(recipe.getByRole('button', { name: 'From take 1', exact: true })).toBeVisible();

  const selects = app.path('selects');
  mkdirSync(selects);
  await page.keyboard.press('e');
  const exported = page.getByRole('dialog', { name: 'Export selects' });
  await exported.getByRole('radio', { name: 'All that are shown' }).check();
  await exported.getByRole('button', { name: 'Choose a folder' }).click();
  await chooseFolder(page, selects, 'Export to “selects”');
  await expect(page.getByText('Copied 9 files and selects.csv to')).toBeVisible();
  expect(readdirSync(selects).sort()).toEqual([
    'host_t1.mp4',
    'line_t1.md',
    'move_t1.mp4',
    'print_t1.png',
    'print_t2.png',
    'selects.csv',
    'still_t1.png',
    'theme_t1.wav',
    'theme_t2.wav',
    'voice_t1.mp3',
  ]);
  expect(app.service.ledger.commits).toBe(9);
});
