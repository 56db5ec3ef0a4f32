import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessibleInBothThemes, test } from './support/app.ts';
import { chooseFolder, dropFile, goTo, openProject, settled, startBatch } from './support/window.ts';

const quick = { videoMs: 100, imageMs: 100, musicMs: 100, textMs: 100, speechMs: 100, presenterMs: 100, assetMs: 50 };
test.use({
  demo: { speed: { ...quick, jitter: 0 } },
  permissions: ['clipboard-read', 'clipboard-write'],
});

const script = [
  'One line about a lighthouse',
  'A woman reads the line aloud',
  'A hand, wet, on a "cold" rail',
  '',
  'The host speaks',
  'The light comes on',
  'Slow cello',
  '=1+1 <img src=x onerror=alert(1)>',
  'The tram leaves.',
].join('\n');

/** What a person adds to the shots of the script. */
const added = [
  ['kind', 'model', 'voice', 'avatar', 'audio', 'first_frame', 'operation'],
  ['text', 'chat-demo', '', '', '', '', ''],
  ['speech', 'speech-demo', 'alto', '', '', '', ''],
  ['image', 'image-demo', '', '', '', '', ''],
  ['presenter', 'presenter-demo', '', 'Shot://030', 'Shot://020', '', ''],
  ['video', 'vgen-2.0-nt', '', '', '', 'Shot://030', ''],
  ['music', 'music-demo', '', '', '', '', ''],
  ['image', 'image-demo', '', '', '', '', 'imagine'],
];

async function queueIn(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: t('review.queueTake') }).click();
  await expect(dialog).toBeHidden();
}

/** Makes a list of the script by keyboard, without its last shot. Gives the grid. */
async function shotsOfScript(page: Page): Promise<Locator> {
  await goTo(page, t('place.batch'));
  await expect(page.getByRole('button', { name: t('tools.scriptToShots') })).toBeVisible();
  await page.keyboard.press('s');
  const field = page.getByRole('textbox', { name: t('tools.script') });
  await expect(field).toBeFocused();
  await dropFile(page, '[role="dialog"] textarea', 'script.txt', script);
  await expect(field).toHaveValue(script);
  await page.getByRole('combobox', { name: t('tools.textModel') }).fill('chat-demo');
  await expect(page.getByText('1 call, 0.02 USD')).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Enter');
  const changes = page.getByRole('listbox', { name: t('tools.changes') });
  await expect(changes).toBeFocused();
  await expect(changes.getByRole('option', { selected: true })).toHaveCount(8);
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('End');
  await page.keyboard.press('Space');
  await page.keyboard.press('ControlOrMeta+Enter');
  const grid = page.getByRole('grid');
  await expect(grid.getByRole('row')).toHaveCount(8);
  for (const line of script.split('\n').filter(Boolean).slice(0, 7)) {
    await expect(grid.getByText(line, { exact: true })).toBeVisible();
  }
  await expect(grid.getByText('The tram leaves.')).toHaveCount(0);
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
  await page.keyboard.press('F8');
  await expect(page.getByRole('button', { name: t('list.chooseModel') })).toBeVisible();
  return grid;
}

/** Adds the columns that the script says nothing about, and pastes their cells. */
async function fillIn(page: Page, grid: Locator): Promise<void> {
  const [headers = [], ...rows] = added;
  const columns = page.getByRole('button', { name: t('list.columns'), exact: true });
  await columns.click();
  const another = page.getByRole('textbox', { name: t('list.addColumn') });
  for (const header of headers) {
    await another.fill(header);
    await another.press('Enter');
    // The grid shows the columns that have room, the pane all of them.
    await expect(page.getByRole('button', { name: `Remove ${header}`, exact: true })).toBeVisible();
  }
  await columns.click();
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(rows.map((row) => row.join('\t')).join('\n'))})`);
  const cell = (row: number, column: number) => grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);
  await cell(1, 4).click();
  await page.keyboard.press('ControlOrMeta+v');
  await expect(cell(7, 5)).toHaveText('image-demo');
  await cell(2, 1).click();
  await page.keyboard.type('Shot://010');
  await page.keyboard.press('Enter');
  await expect(cell(2, 1)).toHaveText('Shot://010');
  await expect(page.getByText(/^No problems$|^\d+ warnings?$/)).toBeVisible();
}

test('a film goes from a script over its texts, voices and stills to films, a larger print, a longer theme and the export', async ({
  app,
  page,
}) => {
  const prices = [{ model: 'chat-*', per: 'take', price: 0.02 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ currency: 'USD', prices, appearance: 'system' }));
  await app.open();
  await openProject(app, page);
  await fillIn(page, await shotsOfScript(page));
  await startBatch(page);
  await settled(page, 7);

  await goTo(page, t('place.review'));
  const recipe = page.getByRole('complementary', { name: t('review.recipe') });
  const takes = page.getByRole('grid', { name: t('group.takes') });
  await takes.getByRole('gridcell', { name: '040 take 1' }).click();
  await expect(recipe.getByRole('button', { name: 'From 020 · take 1' })).toBeVisible();
  await expect(recipe.getByRole('button', { name: 'From 030 · take 1' })).toBeVisible();
  await recipe.getByRole('button', { name: 'From 020 · take 1' }).click();
  await expect(recipe.getByRole('button', { name: 'From 010 · take 1' })).toBeVisible();

  const toGrid = page.getByRole('button', { name: t('review.backToGrid') });
  await toGrid.click();
  await takes.getByRole('gridcell', { name: '060 take 1' }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: t('review.continueHere') }).click();
  await queueIn(page.getByRole('dialog', { name: /^Continue from 0:00/ }));
  await toGrid.click();
  // The tiles behind it move on when it comes, and a click may be on its way.
  await expect(takes.getByRole('gridcell', { name: '060 take 2' })).toBeVisible({ timeout: 30_000 });
  await takes.getByRole('gridcell', { name: '070 take 1' }).click();
  await page.keyboard.press('Enter');
  await page
    .getByRole('toolbar', { name: t('review.takeButtons') })
    .getByRole('button', { name: 'U1' })
    .click();
  await queueIn(page.getByRole('dialog', { name: 'Press U1' }));
  await toGrid.click();
  await expect(takes.getByRole('gridcell', { name: '070 take 2' })).toBeVisible({ timeout: 30_000 });
  await takes.getByRole('gridcell', { name: '060 take 2' }).click();
  await expect(recipe.getByRole('button', { name: 'From take 1', exact: true })).toBeVisible();

  const selects = app.path('selects');
  mkdirSync(selects);
  await page.keyboard.press('e');
  const exported = page.getByRole('dialog', { name: t('review.exportSelects') });
  await exported.getByRole('radio', { name: t('review.selectsShown') }).check();
  await exported.getByRole('button', { name: t('review.chooseFolder') }).click();
  await chooseFolder(page, selects, 'Export to “selects”');
  await expect(page.getByText('Copied 9 files and selects.csv to')).toBeVisible();
  expect(readdirSync(selects).sort()).toEqual([
    '010_t1.md',
    '020_t1.mp3',
    '030_t1.png',
    '040_t1.mp4',
    '050_t1.mp4',
    '060_t1.mp3',
    '060_t2.mp3',
    '070_t1.png',
    '070_t2.png',
    'selects.csv',
  ]);
  // Nine takes and the script.
  expect(app.service.ledger.commits).toBe(10);
});
