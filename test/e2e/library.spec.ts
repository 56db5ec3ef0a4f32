import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { button, choose, chooseFiles, goTo, uploadPictures } from './support/window.ts';

test('assets are shown as tiles, which the keys move through, and files that no shot can use are left out @night', async ({
  app,
  page,
}) => {
  await app.open();
  await goTo(page, t('place.library'));
  const assets = page.getByRole('grid', { name: t('library.allAssets') });
  const tiles = assets.getByRole('gridcell');
  const asTiles = page.getByRole('radio', { name: t('library.grid') });

  await test.step('a file that no shot can use is left out of an upload, unless it is asked for', async () => {
    await chooseFiles(button(page.getByRole('main'), t('library.upload')), [
      { name: 'shots400.csv', mimeType: 'text/csv', buffer: Buffer.from('shot,prompt\n1,A pier\n') },
      { name: 'pier.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a', 'hex') },
    ]);
    const dialog = page.getByRole('dialog', { name: 'Upload 1 file' });
    const list = dialog.getByRole('listitem').filter({ hasText: 'shots400.csv' });
    await expect(list).toContainText(t('library.notMediaLeftOut'));
    await expect(dialog).toContainText('8 B');
    await expectAccessible(page);
    await dialog.getByRole('switch', { name: t('library.uploadOthers', { count: 1 }) }).click();
    await expect(page.getByRole('dialog', { name: 'Upload 2 files' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  });

  await test.step('they are shown in order, with their pictures', async () => {
    await uploadPictures(
      page,
      Array.from({ length: 12 }, (_none, index) => `storm-${String(index + 1).padStart(2, '0')}.png`),
    );
    await button(page, t('library.clearFinished')).click();
    await choose(page.getByRole('combobox', { name: t('common.order') }), t('library.byName'));
    await asTiles.press('Space');
    await expect(tiles.first()).toContainText(t('library.ready'));
    await expect(tiles.first().locator('img')).toHaveAttribute('src', /^\/asset-thumb\//);
  });

  await test.step('keys move through them, into the details and back', async () => {
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
  });

  await test.step('they stay tiles after a reload, and a key makes rows of them', async () => {
    await page.reload();
    await expect(asTiles).toBeChecked();
    await expect(tiles.first()).toBeVisible();
    const lines = String(Math.ceil(12 / Number(await assets.getAttribute('aria-colcount'))));
    await expect(assets).toHaveAttribute('aria-rowcount', lines);
    await page.keyboard.press('v');
    await expect(assets.getByRole('row').nth(1)).toContainText('Asset://');
  });
});

test('the library of a service that has none says so, keeps out of the way, and comes back when there is one @night', async ({
  app,
  page,
}) => {
  const { faults } = app.service;
  for (const path of ['/v1/assets*', '/v1/asset-groups*']) {
    faults.add({ match: { path, times: 'always' }, do: { fault: 'status', status: 404, body: '404 page not found' } });
  }
  await app.open();
  await goTo(page, t('place.library'));
  await expect(page.getByText(t('library.notSynced'))).toBeVisible();
  await button(page, t('library.syncWithService')).click();
  const note = page.getByRole('alert').filter({ hasText: 'Not synced with the service' });
  await expect(note).toContainText('The list shows the last known state.');
  await expect(page.getByRole('button', { name: t('library.uploadFiles') })).toBeVisible();

  await page.keyboard.press('n');
  const group = page.getByRole('dialog', { name: t('library.createGroup') });
  await group.getByRole('textbox', { name: t('common.name') }).fill('Keeper');
  await button(group, t('library.createGroup')).click();
  await expect(group.getByRole('alert')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(group).toBeHidden();

  faults.clear();
  await button(note, t('common.tryAgain')).click();
  await expect(note).toBeHidden();
  await expect(page.getByText('synced just now')).toBeVisible();
});
