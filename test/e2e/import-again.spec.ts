import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, openProject, settled, startBatch } from './support/window.ts';

const header = ['shot', 'kind', 'model', 'prompt', 'duration'];
const shot = (key: string, prompt: string): string[] => [key, 'video', 'vgen-2.0-nt', prompt, '5'];
const four = [shot('010', 'A gull'), shot('020', 'A pier'), shot('030', 'A boat'), shot('040', 'A lamp')];

test('an edited list under a new name goes to where its shots are, and pays for them again only when told to', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, csvFile('shots.csv', [header, ...four]));
  const name = page.getByRole('combobox', { name: t('start.batchName') });
  await name.fill('Keeper');
  await startBatch(page);
  await settled(page, 4);
  expect(app.service.ledger.commits).toBe(4);

  await chooseList(page, csvFile('shots_v2.csv', [header, ...four.slice(0, 3), shot('040', 'A long lamp')]));
  await expect(page.getByText(t('start.madeAlready', { shots: 4, ofShots: 4, batch: 'Keeper' }))).toBeVisible();
  await expect(name).toHaveValue('Keeper');
  await expect(page.getByText(/^1 new take,/)).toBeVisible();
  const ways = page.getByRole('group', { name: t('start.chooseBatch') });
  const there = ways.getByRole('button', { name: /^Add to “Keeper”: 1 new take,/ });
  const separate = ways.getByRole('button', { name: /^New batch “shots_v2”: 4 new takes,/ });
  await expect(there).toHaveAttribute('aria-pressed', 'true');

  await separate.click();
  await expect(name).toHaveValue('shots_v2');
  await expect(page.getByText(/^4 new takes,/)).toBeVisible();
  await page.getByRole('button', { name: t('common.allBatches') }).click();
  await page.getByRole('button', { name: 'shots_v2', exact: true }).click();
  await expect(name).toHaveValue('shots_v2');
  await page.reload();
  await expect(name).toHaveValue('shots_v2');

  await name.click();
  await name.fill('kee');
  await page.getByRole('option', { name: 'Keeper' }).click();
  await expect(name).toHaveValue('Keeper');
  await expect(there).toHaveAttribute('aria-pressed', 'true');
  await startBatch(page);
  await settled(page, 5);
  expect(app.service.ledger.commits).toBe(5);

  const renamed = [header, ...four.map(([key, ...cells]) => [`S${key}`, ...cells])];
  await chooseList(page, csvFile('Keeper.csv', renamed));
  const moved = t('start.madeUnderOtherKeys', { shots: 4, ofShots: 4, batch: 'Keeper', shot: 'S010', madeAs: '010' });
  await expect(page.getByRole('status').filter({ hasText: moved })).toBeVisible();
  await page.getByRole('button', { name: t('start.start') }).click();
  const start = page.getByRole('dialog').getByRole('button', { name: t('start.startTakes', { count: 4 }) });
  await expect(start).toBeDisabled();
  await page.getByRole('switch', { name: t('start.makeAgain', { count: 4 }) }).click();
  await expect(start).toBeEnabled();
});
