import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch, narrow } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('after a choice in a filter a key judges the take, and while the choices are shown it only looks for one', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const shots = ['S1', 'S2', 'S3'].map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt'], ...shots]));
  await startBatch(page);
  await settled(page, 3);
  await goTo(page, t('place.review'));

  const flag = page.getByRole('combobox', { name: t('review.flag') });
  await narrow(page, t('review.flag'), t('review.noFlag'));
  await expect(flag).toHaveText(t('review.noFlag'));
  await page.keyboard.press('p');
  await expect(page.getByText(/^1 picked · 0 rejected/)).toBeVisible();
  await expect(flag).toHaveText(t('review.noFlag'));
  // It has a flag now, so it leaves the list.
  await expect(page.getByRole('gridcell')).toHaveCount(2);

  const rating = page.getByRole('combobox', { name: t('review.rating') });
  await page.getByRole('button', { name: t('common.filter'), exact: true }).click();
  await page.getByRole('menuitem', { name: t('review.rating') }).click();
  await expect(page.getByRole('option', { name: t('review.anyRating') })).toBeVisible();
  await page.keyboard.press('5');
  await page.keyboard.press('p');
  await expect(page.getByRole('option', { name: '5 of 5' })).toHaveAttribute('data-highlighted', '');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('option')).toHaveCount(0);
  await expect(rating).toHaveText(t('review.anyRating'));
  await expect(page.getByText(/^1 picked · 0 rejected/)).toBeVisible();
  await page.keyboard.press('x');
  await expect(page.getByText(/ · 1 rejected · /)).toBeVisible();
});
