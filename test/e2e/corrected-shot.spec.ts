import { writeFileSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

const header = ['shot', 'kind', 'model', 'prompt', 'duration'];
const shot = (key: string, prompt: string): string[] => [key, 'video', 'vgen-2.0-nt', prompt, '5'];

test('a refused shot is named, and once it is corrected nothing says any more that it failed', async ({
  app,
  page,
}) => {
  app.service.faults.add({ match: { method: 'POST', prompt: 'A bad door' }, do: { fault: 'status', status: 400 } });
  await app.open();
  await openProject(app, page);
  const rows = [shot('030', 'A gull'), shot('010', 'A bad door'), shot('020', 'A pier')];
  await chooseList(page, csvFile('day.csv', [header, ...rows]));
  await startBatch(page);
  await settled(page, 3, 1);

  await page.getByRole('button', { name: t('common.allBatches') }).click();
  await page.getByRole('button', { name: 'day', exact: true }).click();
  const shots = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'day' }) });
  await expect(shots.getByRole('row').nth(1)).toContainText('030');
  await expect(shots.getByRole('row').nth(2)).toContainText('A bad door');
  await expect(shots.getByRole('row').nth(3)).toContainText('020');

  await page.getByRole('button', { name: t('batch.editAgain') }).click();
  await expect(
    page.getByText(`${t('start.noNewTakes')} ${t('start.failed', { count: 1, shots: '010' })}`),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: t('start.seeFailed') })).toBeVisible();
  await expect(page.getByRole('button', { name: t('common.sendAgain'), exact: true })).toBeVisible();
  const cell = page.getByRole('grid').getByRole('gridcell', { name: 'A bad door' });
  await cell.click();
  await page.keyboard.type('A good door');
  await page.keyboard.press('Enter');
  await startBatch(page);
  await expect(page.getByRole('button', { name: '3 saved', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /\d failed$/ })).toHaveCount(0);
  await expect(page.getByRole('banner').getByText('failed')).toHaveCount(0);
});

test('a failed take is made again from the start of its list, once a second charge was agreed to', async ({
  app,
  page,
}) => {
  app.service.faults.add({ match: { method: 'POST', prompt: 'A door' }, do: { fault: 'outcome', end: 'failed' } });
  await app.open();
  await openProject(app, page);
  await chooseList(page, csvFile('day.csv', [header, shot('010', 'A door'), shot('020', 'A pier')]));
  await startBatch(page);
  await settled(page, 2, 1);
  await chooseList(page, csvFile('day.csv', [header, shot('010', 'A door'), shot('020', 'A long pier')]));
  await page.getByRole('button', { name: t('start.start') }).click();
  const start = page.getByRole('dialog', { name: /^Start 1 take/ });
  await expect(start).toContainText(`${t('start.failed', { count: 1, shots: '010' })} ${t('start.failedStay')}`);
  await start.getByRole('button', { name: 'Create a new task…' }).click();
  const question = page.getByRole('dialog', { name: t('queue.makeAgainQuestion', { count: 1 }) });
  await expect(question).toContainText(t('queue.makeAgainCost', { count: 1 }));
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(start).toBeVisible();
  expect(app.service.ledger.commits).toBe(2);

  await start.getByRole('button', { name: 'Create a new task…' }).click();
  await question.getByRole('button', { name: 'Create 1 new task' }).click();
  await expect(start).not.toContainText('failed');
  await start.getByRole('button', { name: t('start.startTakes', { count: 1 }) }).click();
  await settled(page, 3);
  expect(app.service.ledger.commits).toBe(4);
});

test('a file that was missing counts as soon as a person asks to look again', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const rows = [
    ['shot', 'kind', 'model', 'prompt', 'operation', 'image', 'Durration'],
    ['010', 'image', 'image-demo', 'A quay', 'edit', 'ref.png', '5'],
  ];
  await chooseList(page, csvFile('stills.csv', rows));
  await expect(page.getByRole('columnheader', { name: `Durration ${t('list.warning')}` })).toBeVisible();
  await page.getByRole('button', { name: t('list.defects'), exact: true }).click();
  const pane = page.getByRole('complementary', { name: t('list.defects') });
  await expect(pane).toContainText('Relative paths start at');
  await expect(pane).toContainText('was not found');
  const missing = /The file (.*ref\.png) was not found\./.exec(await pane.innerText())?.[1] ?? '';
  writeFileSync(missing, 'BM, a small picture');
  await pane.getByRole('button', { name: t('list.checkAgain') }).click();
  await expect(pane.getByText('was not found')).toHaveCount(0);
});

test('a refused shot leads to its cell from the queue and from its batch, and the batch to its take in the queue', async ({
  app,
  page,
}) => {
  app.service.faults.add({ match: { method: 'POST', prompt: 'A bad door' }, do: { fault: 'status', status: 400 } });
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ maxRate: { submit: 50 } }));
  await app.open();
  await openProject(app, page);
  const others = Array.from({ length: 60 }, (_none, index) => shot(`1${String(index).padStart(2, '0')}`, 'A pier'));
  await chooseList(page, csvFile('day.csv', [header, ...others, shot('900', 'A bad door'), shot('910', 'A gull')]));
  await startBatch(page);
  await settled(page, 62, 1);

  await goTo(page, t('place.queue'));
  await page
    .getByRole('grid', { name: t('state.failed') })
    .getByRole('row')
    .filter({ hasText: '900' })
    .click();
  await page.keyboard.press('i');
  const details = page.getByRole('complementary', { name: t('common.details') });
  await details.getByRole('button', { name: t('common.editShot') }).click();
  const isAt900 = () =>
    expect(page.getByRole('grid').locator('[role=gridcell]:is(.active, .was-active)')).toHaveText('A bad door');
  await isAt900();

  await page.getByRole('button', { name: t('common.allBatches') }).click();
  await page.getByTitle('day', { exact: true }).click();
  await page.getByRole('button', { name: '1 failed', exact: true }).click();
  await page.getByRole('button', { name: t('batch.editAgain') }).click();
  await isAt900();

  await page.goBack();
  await page.getByRole('button', { name: '1 failed', exact: true }).click();
  const pane = page.getByRole('complementary', { name: t('batch.shotDetails') });
  await pane.getByRole('button', { name: t('place.queue') }).click();
  await expect(page.getByRole('tab', { name: 'Failed 1' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('row', { selected: true })).toContainText('900');
  await expect(details).toContainText('A bad door');

  // A finished one is found too, among many.
  await page.goBack();
  await page.getByRole('grid', { name: t('batch.shotsOf', { name: 'day' }) }).press('ControlOrMeta+Home');
  await pane.getByRole('button', { name: t('place.queue') }).click();
  await expect(page.getByRole('row', { selected: true })).toContainText('100');
  await expect(page.getByRole('row', { selected: true })).toBeInViewport();
  await expect(details).toContainText(t('state.saved'));
});
