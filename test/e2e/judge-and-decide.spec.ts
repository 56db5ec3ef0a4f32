import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, startBatch, narrow } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('review finds what is not rated yet, says what is left out side by side, and takes a decision', async ({
  app,
  page,
}) => {
  app.service.faults.add({ match: { method: 'POST', prompt: 'still of 060' }, do: { fault: 'reset', commit: true } });
  await app.open();
  await openProject(app, page);
  const shots = ['010', '020', '030', '040', '050', '060'];
  const rows = shots.map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt'], ...rows]));
  await startBatch(page);
  await expect(page.getByRole('banner')).toContainText('1 to decide');
  await goTo(page, t('place.review'));
  const takes = page.getByRole('grid', { name: t('group.takes') });
  await expect(takes).toBeFocused();
  await expect(takes.getByRole('gridcell')).toHaveCount(5);

  await page.keyboard.press('Control+a');
  await expect(page.getByText('5 selected')).toBeVisible();
  await page.keyboard.press('c');
  await expect(page.getByText(t('review.compareLimit', { most: 4, total: 5 }))).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');

  await page.keyboard.press('Home');
  await page.keyboard.press('3');
  await narrow(page, t('review.rating'), t('review.notRated'));
  await expect(takes.getByRole('gridcell')).toHaveCount(4);
  await narrow(page, t('review.rating'), t('review.exactlyStars', { stars: 3 }));
  await expect(takes.getByRole('gridcell')).toHaveCount(1);
  await narrow(page, t('review.rating'), t('review.anyRating'));

  await narrow(page, t('common.state'), t('state.needsDecision'));
  await expect(takes.getByRole('gridcell')).toHaveCount(1);
  await page
    .getByRole('complementary', { name: t('review.recipe') })
    .getByRole('button', { name: t('common.decide') })
    .click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('radio', { name: t('queue.writeOff', { count: 1 }) }).check();
  await sheet.getByRole('button', { name: 'Write off 1 take' }).click();
  await expect(page.getByText('1 take written off.')).toBeVisible();
  await expect(page.getByText(t('review.noMatches'))).toBeVisible();
});
