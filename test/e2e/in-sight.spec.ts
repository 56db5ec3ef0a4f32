import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, reviewStills, takeCell } from './support/window.ts';

test('what is brought into sight scrolls its own list, and nothing out of the window', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.settings'));
  const sections = page.getByRole('navigation', { name: t('place.settings') }).getByRole('button');
  await sections.filter({ hasText: t('settings.about') }).click();
  await expect(page.getByRole('term').filter({ hasText: t('settings.dataFolder') })).toBeInViewport();
  await expect(sections.first()).toBeInViewport();

  const notes = Array.from({ length: 30 }, (_none, index) => `note ${index}`);
  const row = ['010', 'vgen-2.0-nt', 'A pier', ...notes];
  const grid = await chooseList(page, csvFile('day.csv', [['shot', 'model', 'prompt', ...notes], row]));
  await grid.focus();
  await page.keyboard.press('End');
  await grid.getByRole('button', { name: 'Column note 29' }).click();
  await page.getByRole('menuitem', { name: t('list.columnSettings') }).click();
  const pane = page.getByRole('complementary', { name: t('list.columns') });
  await expect(pane.getByRole('button', { name: t('list.rename', { column: 'note 29' }) })).toBeInViewport();
  await expect(page.getByRole('button', { name: t('common.allBatches') })).toBeInViewport();
});

test('the smallest pictures keep the name of their shot, whatever the verdict', async ({ app, page }) => {
  const { takes } = await reviewStills(app, page);
  await page.keyboard.press('t');
  await page.keyboard.type('hero');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Home');
  await page.keyboard.press('4');
  await page.keyboard.press('Home');
  await page.keyboard.press('p');
  await page.getByRole('slider', { name: t('review.thumbnailSize') }).press('Home');
  const tile = takes.getByRole('gridcell', { name: takeCell('010', 1) });
  await expect(tile).toContainText(t('review.picked'));
  for (const words of ['010', t('review.take', { take: 1 })]) {
    const hidden = await tile
      .getByText(words, { exact: true })
      .evaluate((element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth - element.clientWidth);
    expect(hidden).toBeLessThanOrEqual(0);
  }
});
