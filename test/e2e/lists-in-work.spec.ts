import { say } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, openProject, settled, startBatch } from './support/window.ts';

const rows = [
  ['shot', 'kind', 'model', 'prompt', 'duration'],
  ['010', 'video', 'vgen-2.0-nt', 'A gull', '5'],
];

test('the pencil opens the list of a batch once, and several lists are discarded and had back together', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, csvFile('day.csv', rows));
  await startBatch(page);
  await settled(page, 1);
  const back = page.getByRole('button', { name: say('batch.allBatches') });
  const inWork = page.getByRole('region', { name: say('batch.listsInProgress') });
  const lines = inWork.getByRole('listitem');
  await back.click();
  for (let press = 0; press < 2; press += 1) {
    await page.getByRole('button', { name: say('batch.editBatchAgain', { batch: 'day' }) }).click();
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
  await inWork.getByRole('checkbox', { name: say('batch.selectAllLists') }).check();
  await inWork.getByRole('checkbox', { name: say('batch.selectList', { list: 'one' }) }).uncheck();
  await inWork.getByRole('button', { name: say('batch.discardLists', { count: 2 }) }).click();
  await expect(lines).toHaveCount(1);
  await expect(lines).toContainText('one.csv');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(lines).toHaveCount(3);
});
