import { writeFileSync } from 'node:fs';
import { say } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('the keys that keep a note buy nothing, and a new take is taken back before it is sent', async ({ app, page }) => {
  const prices = [{ model: 'image-demo', per: 'take', price: 0.5 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ prices, currency: 'EUR' }));
  await app.open();
  await openProject(app, page);
  const list = [
    ['shot', 'kind', 'model', 'prompt'],
    ['010', 'image', 'image-demo', 'A harbour'],
  ];
  await chooseList(page, csvFile('stills.csv', list));
  await startBatch(page);
  await settled(page, '1 / 1 take');
  await expect(page.getByText('Spent: 0.50 EUR')).toBeVisible();
  await goTo(page, 'Review');
  await expect(page.getByRole('complementary', { name: 'Recipe' })).toContainText(
    say('review.spentToday', { spent: '0.50 EUR' }),
  );
  await expect(page.getByRole('grid', { name: 'Takes' })).toBeFocused();

  await page.keyboard.press('n');
  await page.keyboard.type('Lovely light');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await settled(page, '1 / 1 take');

  await page.keyboard.down('Control');
  await page.keyboard.down('Enter');
  await expect(page.getByText(say('review.takeQueued', { take: '010 · take 2' }))).toBeVisible();
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.keyboard.up('Control');
  await page.keyboard.press('Control+z');
  await expect(page.getByText(say('review.takeWithdrawn', { take: '010 · take 2' }))).toBeVisible();
  await expect(page.getByText('010 · take 3')).toHaveCount(0);
  await expect(page.getByRole('gridcell', { name: '010 take 1' })).toContainText('with a note');
  expect(app.service.ledger.commits).toBe(1);
});
