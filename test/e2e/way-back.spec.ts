import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch, narrow } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

const placeOf = (page: Page): string => new URL(page.url()).hash;

test('back leads out of a take, and every view comes back as it was left', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const rows = ['010', '020', '030'].map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt'], ...rows]));
  await startBatch(page);
  await settled(page, 3);
  const batch = placeOf(page);
  await goTo(page, t('place.review'));
  const takes = page.getByRole('grid', { name: t('group.takes') });
  await expect(takes).toBeFocused();
  await narrow(page, t('common.kind'), t('common.image'));
  await expect.poll(() => placeOf(page)).toContain('kind=image');
  const filtered = placeOf(page);

  // Out by the browser's way back, and by Escape: neither leaves an entry behind.
  await page.getByRole('gridcell', { name: '010 take 1' }).dblclick();
  await expect(page.getByText('1 of 3')).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('2 of 3')).toBeVisible();
  await page.goBack();
  await expect(takes).toBeFocused();
  await expect.poll(() => placeOf(page)).toBe(filtered);
  for (let round = 0; round < 5; round += 1) {
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
  }
  await expect(takes).toBeFocused();
  await expect.poll(() => placeOf(page)).toBe(filtered);
  await page.goBack();
  await expect(page.getByRole('main', { name: t('place.batch') })).toBeVisible();

  await goTo(page, t('place.review'));
  await expect.poll(() => placeOf(page)).toBe(filtered);
  await goTo(page, t('place.batch'));
  await expect.poll(() => placeOf(page)).toBe(batch);
  await goTo(page, t('place.batch'));
  await expect(page.getByRole('button', { name: t('batch.chooseList') })).toBeVisible();
});
