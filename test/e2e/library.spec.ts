import { t } from '../../src/contract/messages/words.ts';
import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseFiles, chooseList, csvFile, filesUnder, goTo, openProject, startBatch } from './support/window.ts';

/** Lets files fall onto the library as from the desktop. */
async function dropFile(page: Page, name: string, bytes: Buffer): Promise<void> {
  const content = JSON.stringify(bytes.toString('base64'));
  // As text, because what it names exists in the browser only.
  const transfer = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    const content = Uint8Array.from(atob(${content}), (letter) => letter.charCodeAt(0));
    carried.items.add(new File([content], ${JSON.stringify(name)}, { type: 'image/png' }));
    return carried;
  })()`);
  const place = page.getByRole('button', { name: t('library.uploadFiles') });
  await place.dispatchEvent('dragenter', { dataTransfer: transfer });
  await expect(page.getByText(t('library.dropIntoLibrary'))).toBeVisible();
  await place.dispatchEvent('drop', { dataTransfer: transfer });
}

test('a picture dropped onto the library is uploaded, and a shot uses it by its reference', async ({ app, page }) => {
  const { ledger } = app.service;
  await app.open();
  const folder = await openProject(app, page);
  await goTo(page, t('place.library'));
  const background = { r: 40, g: 90, b: 140 };
  const picture = await sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .png()
    .toBuffer();
  await dropFile(page, 'harbour.png', picture);
  const dialog = page.getByRole('dialog', { name: 'Upload 1 file' });
  await expect(dialog.getByRole('list', { name: t('common.files') })).toContainText('harbour.png');
  await dialog.getByRole('button', { name: t('library.upload'), exact: true }).click();
  await expect(page.getByRole('region', { name: t('library.uploads') })).toContainText('1 done');
  const assets = page.getByRole('grid', { name: t('library.allAssets') });
  const row = assets.getByRole('row').filter({ hasText: 'harbour' });
  await expect(row).toContainText(t('library.ready'));
  await expectAccessible(page);
  const reference = /Asset:\/\/[\w-]+/.exec(await row.innerText())?.[0] ?? '';
  expect(reference).not.toBe('');

  const grid = await chooseList(
    page,
    csvFile('shots.csv', [
      ['shot', 'kind', 'model', 'prompt', 'duration', 'reference_images'],
      ['010', 'video', 'vgen-2.0-nt', 'The harbour at dawn', '4', ''],
    ]),
  );
  await expect(grid).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.type(reference);
  await page.keyboard.press('Enter');
  await expect(grid.getByText(reference)).toBeVisible();
  await startBatch(page);
  await expect.poll(() => filesUnder(folder, '.mp4')).toEqual(['shots/010_t1.mp4']);
  const [paid] = ledger.billableCommits();
  expect(JSON.stringify(paid?.body)).toContain(reference);

  await goTo(page, t('place.library'));
  await row.click();
  await expect(page.getByRole('complementary').getByText('010')).toBeVisible();
});

test('assets are shown as tiles, which the keys move through, also after a reload', async ({ app, page }) => {
  await app.open();
  await goTo(page, t('place.library'));
  const files = Array.from({ length: 12 }, async (_, index) => ({
    name: `storm-${String(index + 1).padStart(2, '0')}.png`,
    mimeType: 'image/png',
    buffer: await sharp({ create: { width: 64 + index, height: 48, channels: 3, background: '#4c545c' } })
      .png()
      .toBuffer(),
  }));
  await chooseFiles(page.getByRole('button', { name: t('library.uploadFiles') }), await Promise.all(files));
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('library.upload'), exact: true })
    .click();
  await expect(page.getByRole('region', { name: t('library.uploads') })).toContainText('12 done');
  await page.getByRole('button', { name: t('library.clearFinished') }).click();
  await page.getByRole('combobox', { name: t('common.order') }).click();
  await page.getByRole('option', { name: t('library.byName') }).click();

  const assets = page.getByRole('grid', { name: t('library.allAssets') });
  await page.getByRole('radio', { name: t('library.grid') }).press('Space');
  const tiles = assets.getByRole('gridcell');
  await expect(tiles.first()).toContainText(t('library.ready'));
  await expect(tiles.first().locator('img')).toHaveAttribute('src', /^\/asset-thumb\//);
  const active = assets.getByRole('gridcell', { selected: true });
  const details = page.getByRole('complementary');
  await tiles.first().click();
  await expect(details.getByRole('heading', { name: 'storm-01.png' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(active).toContainText('storm-02');
  const inLine = Number(await assets.getAttribute('aria-colcount'));
  expect(inLine).toBeGreaterThan(1);
  await page.keyboard.press('ArrowDown');
  await expect(active).toContainText(`storm-${String(inLine + 2).padStart(2, '0')}`);
  await page.keyboard.press('End');
  await expect(active).toContainText('storm-12');
  await expect(active).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(details.getByRole('region', { name: t('library.facts') })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(active).toHaveCount(0);
  await expect(assets).toBeFocused();

  await page.reload();
  await expect(page.getByRole('radio', { name: t('library.grid') })).toBeChecked();
  await expect(assets.getByRole('gridcell').first()).toBeVisible();
  await expect(assets).toHaveAttribute(
    'aria-rowcount',
    String(Math.ceil(12 / Number(await assets.getAttribute('aria-colcount')))),
  );
  await page.keyboard.press('v');
  await expect(assets.getByRole('row').nth(1)).toContainText('Asset://');
});
