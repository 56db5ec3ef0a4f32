import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, openProject, settled, startBatch } from './support/window.ts';

test('an empty row that was put into a list is no shot of its batch, and moves the numbers of no others', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const rows = [
    ['kind', 'model', 'prompt', 'duration'],
    ['video', 'vgen-2.0-nt', 'A gull', '5'],
    ['video', 'vgen-2.0-nt', 'A pier', '5'],
  ];
  const grid = await chooseList(page, csvFile('day.csv', rows));
  await expect(page.getByText(/^2 new takes/)).toBeVisible();
  await grid.press('ControlOrMeta+Enter');
  await expect(grid.getByRole('row')).toHaveCount(4);
  await page.keyboard.press('Escape');
  await startBatch(page);
  await settled(page, 2);
  const shots = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'day' }) });
  await expect(shots.getByRole('row')).toHaveCount(3);
  await expect(shots.getByRole('row').nth(2)).toContainText('0002');
  await expect(shots.getByRole('row').nth(2)).toContainText(t('state.saved'));
});
