import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

const rows = [
  ['shot', 'kind', 'model', 'prompt', 'duration'],
  ['010', 'video', 'vgen-2.0-nt', 'A gull', '5'],
];

test('the pencil opens the list of a batch once, and a list is discarded and had back', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, csvFile('day.csv', rows));
  await startBatch(page);
  await settled(page, 1);
  const back = page.getByRole('button', { name: t('common.allBatches') });
  const inWork = page.getByRole('region', { name: t('batch.listsInProgress') });
  const lines = inWork.getByRole('listitem');
  await back.click();
  for (let press = 0; press < 2; press += 1) {
    await page.getByRole('button', { name: t('batch.editBatchAgain', { batch: 'day' }) }).click();
    await expect(page.getByRole('grid')).toBeVisible();
    await back.click();
    await expect(lines).toHaveCount(1);
  }
  await expect(lines.first()).toContainText(/day.csv\s*· just now/);

  await chooseList(page, csvFile('one.csv', rows));
  await back.click();
  await chooseList(page, csvFile('two.csv', rows));
  await back.click();
  await expect(lines).toHaveCount(3);
  await inWork.getByRole('button', { name: t('batch.discardList', { list: 'two' }) }).click();
  await expect(lines).toHaveCount(2);
  await expect(lines.filter({ hasText: 'two.csv' })).toHaveCount(0);
  await page.getByRole('button', { name: t('menu.role.undo') }).click();
  await expect(lines).toHaveCount(3);
});

test('batches are listed by name or by hand, dragged or moved by keyboard, everywhere the same', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  for (const name of ['Day 10', 'Day 2', 'Day 1']) {
    const rows = [
      ['shot', 'kind', 'model', 'prompt'],
      ['010', 'image', 'image-demo', `A pier of ${name}`],
    ];
    await chooseList(page, csvFile(`${name}.csv`, rows));
    await startBatch(page);
  }
  await goTo(page, t('place.batch'));
  await goTo(page, t('place.batch'));
  const list = page.getByRole('list', { name: t('common.batches') });
  const named = (name: string) => list.getByRole('button', { name, exact: true });
  const expectOrder = async (...names: string[]): Promise<void> => {
    for (const [at, name] of names.entries()) {
      await expect(list.getByRole('listitem').nth(at)).toContainText(name);
    }
  };
  await expectOrder('Day 1', 'Day 2', 'Day 10');
  const choose = async (order: 'name' | 'hand'): Promise<void> => {
    await page.getByLabel(t('batch.order')).click();
    await page.getByRole('option', { name: t('batch.orderName', { order }) }).click();
  };
  await choose('hand');
  await expect(page.getByText(t('batch.orderHint'))).toBeVisible();
  await named('Day 1').focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expectOrder('Day 2', 'Day 1', 'Day 10');
  await expect(named('Day 1')).toBeFocused();
  await list.getByRole('listitem').nth(2).dragTo(list.getByRole('listitem').nth(0));
  await expectOrder('Day 10', 'Day 2', 'Day 1');
  await expectAccessible(page);
  await goTo(page, t('place.projects'));
  await expectOrder('Day 10', 'Day 2', 'Day 1');
  await choose('name');
  await expectOrder('Day 1', 'Day 2', 'Day 10');
});
