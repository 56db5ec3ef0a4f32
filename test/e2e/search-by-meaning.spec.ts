import { t } from '../../src/contract/messages/words.ts';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type App } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

const list = csvFile('night.csv', [
  ['shot', 'kind', 'model', 'prompt'],
  ['010', 'image', 'image-demo', 'A child eats an apple'],
  ['020', 'image', 'image-demo', 'A storm over the harbour at night'],
  ['030', 'image', 'image-demo', 'A harbour in the morning'],
]);

const calls = (app: App) => app.service.ledger.posts().filter(({ path }) => path === '/v1/embeddings').length;
const shots = (page: Page) => page.getByRole('grid', { name: t('group.takes') }).getByRole('gridcell');
const near = (page: Page) => page.getByRole('searchbox', { name: t('review.searchByMeaning') });

test('takes are found by meaning with keys alone; a question is paid for once, and a lost answer is asked about', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  await startBatch(page);
  await settled(page, 3);
  await goTo(page, t('place.review'));
  await expect(shots(page)).toHaveCount(3);

  await page.keyboard.press('Shift+s');
  await expect(near(page)).toBeFocused();
  const bar = page.getByRole('region', { name: t('review.searchByMeaning') });
  await bar.getByRole('combobox', { name: t('review.embeddingModel') }).fill('embed-demo');
  await page.keyboard.press('Enter');
  await expect(bar).toContainText('3 texts to index: 1 call to embed-demo, price unknown');
  expect(calls(app)).toBe(0);
  await expectAccessible(page);

  // The request is taken, and its answer never comes.
  app.service.faults.add({ match: { path: '/v1/embeddings' }, do: { fault: 'reset', commit: true } });
  await bar.getByRole('button', { name: 'Index 3 texts' }).press('Enter');
  await expect(bar.getByRole('alert')).toContainText('It may have been charged');
  await bar.getByRole('button', { name: t('common.sendAgainMaybe') }).press('Enter');
  await expect(bar).toContainText('3 texts can be searched. A new question: 1 call to embed-demo');
  expect(calls(app)).toBe(2);

  await near(page).fill('storm at the harbour');
  await page.keyboard.press('Enter');
  await expect(shots(page).first()).toContainText('020');
  await expect(shots(page).last()).toContainText('010');
  await expect(bar).toContainText('3 takes, nearest first');
  await page.keyboard.press('Home');
  await page.keyboard.press('p');
  await expect(shots(page).first()).toContainText(t('review.picked'));
  await page.reload();
  await expect(shots(page).first()).toContainText('020');
  expect(calls(app)).toBe(3);
  await expectAccessible(page);

  await near(page).focus();
  await page.keyboard.press('Escape');
  await expect(shots(page).first()).toContainText('010');
});
