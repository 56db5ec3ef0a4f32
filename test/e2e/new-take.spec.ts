import { writeFileSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, videoMs: 100, jitter: 0 } } });

test('the keys that keep a note buy nothing, and a new take is taken back before it is sent @night', async ({
  app,
  page,
}) => {
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
  await settled(page, 1);
  await expect(page.getByText('Spent: 0.50 EUR')).toBeVisible();
  await goTo(page, t('place.review'));
  await expect(page.getByRole('complementary', { name: t('review.recipe') })).toContainText(
    t('review.spentToday', { spent: '0.50 EUR' }),
  );
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();

  await page.keyboard.press('n');
  await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused();
  await page.keyboard.type('Lovely light');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await settled(page, 1);

  await page.keyboard.down('Control');
  await page.keyboard.down('Enter');
  await expect(page.getByText(t('review.takeQueued', { take: '010 · take 2' }))).toBeVisible();
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.keyboard.up('Control');
  await page.keyboard.press('Control+z');
  await expect(
    page.getByText(t('common.undone', { done: t('review.takeQueued', { take: '010 · take 2' }) })),
  ).toBeVisible();
  await expect(page.getByText('010 · take 3')).toHaveCount(0);
  await expect(page.getByRole('gridcell', { name: '010 take 1' })).toContainText(t('review.hasNote'));
  expect(app.service.ledger.commits).toBe(1);
});

test('a new take with changes is sent with them, and comes up beside the other', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, videoList(1));
  await startBatch(page);
  await settled(page, 1);
  await goTo(page, t('place.review'));
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+Shift+Enter');
  const dialog = page.getByRole('dialog', { name: t('review.newTakeTitle', { shot: '0010' }) });
  await dialog.getByRole('textbox', { name: t('common.prompt') }).fill('A wave breaks over the rocks at night');
  await dialog.getByRole('textbox', { name: t('column.duration') }).fill('999');
  await dialog.getByRole('button', { name: t('review.queueTake') }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await dialog.getByRole('textbox', { name: t('column.duration') }).fill('5');
  await dialog.getByRole('button', { name: t('review.queueTake') }).click();
  await expect(dialog).toBeHidden();
  const made = page.getByRole('gridcell', { name: '0010 take 2' });
  await expect(made).toBeVisible();
  const [sent] = app.service.ledger.billableCommits().slice(-1);
  expect(sent?.body).toMatchObject({ prompt: 'A wave breaks over the rocks at night', duration: 5 });
  await made.click();
  const recipe = page.getByRole('complementary', { name: t('review.recipe') });
  await expect(recipe).toContainText('at night');
  await expect(recipe).toContainText(t('review.fromTake', { take: 'take 1' }));
});
