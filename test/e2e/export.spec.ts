import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import {
  chooseFolder,
  chooseList,
  csvFile,
  goTo,
  openProject,
  settled,
  showSettings,
  startBatch,
} from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('selects are copied into a folder, or not at all where a file is gone, which is said', async ({ app, page }) => {
  await app.open();
  const project = await openProject(app, page);
  const rows = ['010', '020'].map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt'], ...rows]));
  await startBatch(page);
  await settled(page, 2);
  await goTo(page, t('place.review'));
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();

  const selects = app.path('selects');
  mkdirSync(selects);
  const dialog = page.getByRole('dialog', { name: t('review.exportSelects') });
  const exportAll = async () => {
    await page.keyboard.press('e');
    await dialog.getByRole('radio', { name: t('review.selectsShown') }).check();
    await dialog.getByRole('button', { name: t('review.chooseFolder') }).click();
    await chooseFolder(page, selects, 'Export to “selects”');
  };
  await exportAll();
  await expect(page.getByText('Copied 2 files and selects.csv to')).toBeVisible();
  await expect(dialog).toBeHidden();
  expect(readdirSync(selects).sort()).toEqual(['010_t1.png', '020_t1.png', 'selects.csv']);

  if (!isDesktop) {
    // Its answers do not come while this is looked at.
    await page.route('**/rpc/takes/export', () => undefined);
    await exportAll();
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('alert')).toHaveText(t('common.stopExport'));
    await expect(dialog.getByRole('button', { name: t('common.goOn') })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('alert')).toBeHidden();
    await dialog.getByRole('button', { name: t('common.stop') }).click();
    await expect(page.getByText(t('review.exportStopped'))).toBeVisible();
    await page.unroute('**/rpc/takes/export');
    await dialog.getByRole('button', { name: t('common.cancel') }).click();
  }

  rmSync(`${project}/stills/020_t1.png`);
  await exportAll();
  await expect(dialog.getByRole('alert')).toContainText('The takes could not be copied');
  expect(readdirSync(selects)).toHaveLength(3);

  // Proposed is the project's own folder, until another one is set.
  const expectProposed = async (folder: string) => {
    if (isDesktop) return;
    await dialog.getByRole('button', { name: t('review.chooseFolder') }).click();
    await expect(page.getByRole('listbox', { name: `Folders in ${folder}`, exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
  };
  await expectProposed(project);
  await dialog.getByRole('button', { name: t('common.cancel') }).click();
  await showSettings(page, t('settings.folders'));
  const field = page.getByLabel(t('settings.exportedSelects'), { exact: true });
  await field.fill(selects);
  await field.press('Enter');
  await expect(page.getByText('Changed “Exported selects”.')).toBeVisible();
  await goTo(page, t('place.review'));
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();
  await page.keyboard.press('e');
  await dialog.getByRole('radio', { name: t('review.selectsShown') }).check();
  await expectProposed(selects);
});
