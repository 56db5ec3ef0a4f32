import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('statistics show results, price and time by model, say which figures have no base, and are exported', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const rows = ['010', '020', '030', '040'].map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt'], ...rows]));
  await startBatch(page);
  await settled(page, 4);
  await goTo(page, t('place.review'));
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();
  await page.keyboard.press('p');
  await expect(page.getByText(t('review.tally', { picked: 1, alternates: 0, rejected: 0, open: 3 }))).toBeVisible();

  await goTo(page, t('place.spending'));
  await page.getByRole('tab', { name: t('spending.costs') }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: t('stats.title') })).toBeFocused();
  const shown = page.getByRole('tabpanel');
  await expect(shown.getByText(t('stats.savedOf', { saved: 4, count: 4 }))).toBeVisible();
  await expect(shown.getByText(t('stats.unpriced', { count: 4 }))).toBeVisible();
  await expect(shown.getByText(t('stats.picks', { count: 1 }))).toBeVisible();
  await expect(shown.getByText(t('stats.noFilms'))).toBeVisible();
  const row = shown.getByRole('row').filter({ hasText: 'image-demo' });
  await expect(row).toContainText('100%');
  await expect(row).toContainText('0.25');

  await page.getByRole('combobox', { name: t('stats.plotted') }).click();
  await page.getByRole('option', { name: t('stats.picksPerTake') }).click();
  await page.getByRole('combobox', { name: t('stats.period') }).click();
  await page.getByRole('option', { name: t('stats.byDay') }).click();
  await expect(
    page.getByRole('img', { name: t('stats.plotLabel', { title: t('stats.picksPerTake'), count: 1 }) }),
  ).toBeVisible();
  const download = page.waitForEvent('download');
  await shown.getByRole('button', { name: t('spending.export') }).click();
  expect((await download).suggestedFilename()).toBe('statistics.csv');
});
