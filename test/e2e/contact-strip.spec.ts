import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('a batch shows the takes of each shot as pictures, which open in review', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const rows = ['010', '020'].map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`, '3']);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt', 'takes'], ...rows]));
  await startBatch(page);
  await settled(page, 6);
  const open = (take: number, flag: 'pick' | 'reject' | 'none' = 'none') => ({
    name: t('batch.openTakeInReview', { take, flag }),
  });
  const grid = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'stills' }) });
  const toBatch = async (): Promise<void> => {
    await goTo(page, t('place.batch'));
    const line = page.getByRole('button', { name: 'stills', exact: true });
    await grid.or(line).first().waitFor();
    if (await line.isVisible()) await line.click();
    await expect(grid).toBeFocused();
  };
  await toBatch();
  const strip = (row: number) =>
    grid
      .getByRole('row')
      .nth(row)
      .getByRole('group', { name: t('batch.contactStrip') });
  await expect(strip(2).getByRole('button')).toHaveCount(3);
  await expect(strip(2).locator('img')).toHaveCount(3);
  await expectAccessible(page);

  await strip(2).getByRole('button', open(2)).click();
  await expect(page.getByRole('img', { name: '020 · take 2' })).toBeVisible();
  await page.keyboard.press('p');
  await toBatch();
  await expect(strip(2).getByRole('button', open(2, 'pick'))).toBeVisible();

  // By keyboard: the pick of the row, or any take from the pane beside it.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('img', { name: '020 · take 2' })).toBeVisible();
  await toBatch();
  await page
    .getByRole('complementary', { name: t('batch.shotDetails') })
    .getByRole('button', open(3))
    .focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('img', { name: '010 · take 3' })).toBeVisible();
});
