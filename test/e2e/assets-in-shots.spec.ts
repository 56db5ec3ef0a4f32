import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  chooseFiles,
  chooseList,
  csvFile,
  dropFile,
  goTo,
  openProject,
  settled,
  startBatch,
} from './support/window.ts';

const picture = (shade: number) =>
  sharp({ create: { width: 320, height: 240, channels: 3, background: { r: shade, g: 90, b: 140 } } })
    .png()
    .toBuffer();

async function upload(page: Page, names: readonly string[]): Promise<void> {
  const files = names.map(async (name, index) => ({ name, mimeType: 'image/png', buffer: await picture(index * 40) }));
  await chooseFiles(page.getByRole('button', { name: t('library.uploadFiles') }), await Promise.all(files));
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('library.upload'), exact: true })
    .click();
  await expect(page.getByRole('region', { name: t('library.uploads') })).toContainText(`${names.length} done`);
}

type Well = 'column.firstFrame' | 'column.referenceImages';
const empty = (column: Well): string => `${t('media.chooseOrDrop')} ${t(column)}`;
const chooseFor = (column: Well): string => t('media.chooseFor', { column: t(column) });

const list = csvFile('shots.csv', [
  ['shot', 'kind', 'model', 'prompt', 'duration', 'first_frame', 'reference_images'],
  ['010', 'video', 'vgen-2.0-nt', 'The harbour at dawn', '4', '', ''],
  ['020', 'video', 'vgen-2.0-nt', 'The pier at noon', '4', '', ''],
]);

test('media are chosen for cells by keys and by a button, and shots of the list are suggested', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.library'));
  await upload(page, ['harbour.png', 'pier.png', 'keeper.png']);
  const grid = await chooseList(page, list);
  await expect(grid).toBeFocused();
  const cells = grid.getByRole('row').nth(1).getByRole('gridcell');

  await page.keyboard.press('End');
  await page.keyboard.press('Alt+ArrowDown');
  const several = page.getByRole('dialog', { name: chooseFor('column.referenceImages') });
  const field = several.getByRole('combobox', { name: t('library.findAssets') });
  await expect(field).toBeFocused();
  await expect(several.getByRole('option')).toHaveCount(3);
  await field.fill('pier');
  await expect(several.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await field.fill('keeper');
  await expect(several.getByRole('option', { name: /^keeper/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(several.getByRole('option', { checked: true })).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(grid).toBeFocused();
  await expect(cells.last()).toHaveText(/^Asset:\/\/\S+; Asset:\/\/\S+$/);
  await expect(cells.last().locator('img')).toHaveCount(2);
  // Larger pictures of what the active cell names, and none where it names nothing.
  const card = page.locator('[aria-hidden="true"].fixed img');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowRight');
  await expect(card).toHaveCount(2);
  await page.keyboard.press('ArrowLeft');
  await expect(card).toHaveCount(0);
  await expectAccessible(page);

  await page.getByRole('button', { name: t('list.chooseAsset') }).click();
  await page
    .getByRole('dialog', { name: chooseFor('column.firstFrame') })
    .getByRole('option', { name: /^pier/ })
    .click();
  await expect(cells.nth(5)).toHaveText(/^Asset:\/\/\S+$/);
  await cells.nth(3).click();
  await page.keyboard.press('ControlOrMeta+Shift+l');
  await expect(page.getByText(t('list.notMedia', { column: 'prompt' }))).toBeVisible();

  // Names of shots are offered once they are meant; in a list of media, one joins what is there.
  await cells.last().click();
  await page.keyboard.press('F2');
  await page.keyboard.type('; sho');
  await expect(page.getByRole('option')).toHaveCount(0);
  await page.keyboard.type('t://0');
  await expect(page.getByRole('option')).toHaveText(['Shot://020']);
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(cells.last()).toHaveText(/^Asset:\/\/\S+; Asset:\/\/\S+; Shot:\/\/020$/);
});

test('an asset is dragged from the library through the views into a cell', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(page, list);
  await goTo(page, t('place.library'));
  await upload(page, ['harbour.png']);
  await page.getByRole('row').filter({ hasText: 'harbour' }).hover();
  await page.mouse.down();
  const views = page.getByRole('navigation', { name: t('window.views') });
  await views.getByRole('button', { name: t('place.batch') }).hover();
  await views.getByRole('button', { name: t('place.batch') }).hover();
  const open = page.getByRole('button', { name: 'shots', exact: true });
  await open.hover();
  await open.hover();
  const cell = grid.getByRole('row').nth(1).getByRole('gridcell').nth(5);
  await cell.hover();
  await cell.hover();
  await page.mouse.up();
  await expect(cell).toHaveText(/^Asset:\/\/\S+$/);
});

test('a described shot takes its media from the library, from takes and from dropped files, by keys alone @night', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.library'));
  await upload(page, ['harbour.png', 'pier.png']);
  const stills = [
    ['shot', 'kind', 'model', 'prompt'],
    ['010', 'image', 'image-demo', 'A lighthouse'],
  ];
  await chooseList(page, csvFile('stills.csv', stills));
  await startBatch(page);
  await settled(page, 1);
  await goTo(page, t('place.batch'));
  await goTo(page, t('place.batch'));
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: t('batch.describeShot') });
  const well = (name: string) => dialog.getByRole('group', { name, exact: true });
  await dialog.getByRole('combobox', { name: t('common.model') }).fill('vgen-2.0-nt');

  // Several of the library: chosen again, one is left out.
  await dialog.getByRole('button', { name: empty('column.referenceImages') }).focus();
  await page.keyboard.press('Enter');
  const several = page.getByRole('dialog', { name: chooseFor('column.referenceImages') });
  await expect(several.getByRole('option')).toHaveCount(2);
  await expectAccessible(page);
  await page.keyboard.type('pier');
  await expect(several.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(several.getByRole('option', { checked: true })).toHaveCount(1);
  await several.getByRole('combobox').fill('');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(several).toBeHidden();
  await expect(well(t('column.referenceImages')).locator('img')).toHaveCount(1);
  await expect(dialog.getByRole('button', { name: 'pier.png', exact: true })).toBeFocused();

  // One of the takes, with its picture.
  await dialog.getByRole('button', { name: empty('column.firstFrame') }).focus();
  await page.keyboard.press('Enter');
  const takes = page.getByRole('dialog', { name: chooseFor('column.firstFrame') });
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowRight');
  await expect(takes.getByRole('option', { name: /^010/ }).locator('img')).toBeVisible();
  await expect(takes.getByRole('option', { name: /^010/ })).toContainText(t('media.thisFile'));
  await expectAccessible(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(takes).toBeHidden();
  await expect(well(t('column.firstFrame')).locator('img')).toBeVisible();

  // A browser keeps the place of a dropped file to itself, so the file goes to the library; only images go here.
  const place = `[data-field="last_frame"] [role="group"]`;
  await dropFile(page, place, 'shots.csv', 'shot');
  await expect(page.getByText(t('media.otherType', { type: 'image' }))).toBeVisible();
  await dropFile(page, place, 'keeper.png', await picture(200), 'image/png');
  await expect(dialog.getByRole('button', { name: 'keeper.png', exact: true }).locator('img')).toBeVisible();
  await dialog.getByRole('button', { name: t('media.remove', { name: 'pier.png' }) }).press('Enter');
  await expect(dialog.getByRole('button', { name: empty('column.referenceImages') })).toBeFocused();

  // The file of the take is the project's own: nobody is asked about it.
  await dialog.getByRole('button', { name: 'Queue 1 take' }).click();
  const asset: unknown = expect.stringMatching(/^Asset:/);
  const sent = () => app.service.ledger.billableCommits().at(-1)?.body;
  await expect.poll(sent, { timeout: 30_000 }).toMatchObject({ first_frame_url: asset, last_frame_url: asset });
});
