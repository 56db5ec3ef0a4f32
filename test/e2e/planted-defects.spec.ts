import writeWorkbook from 'write-excel-file/node';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, filesUnder, openProject, settled, startBatch } from './support/window.ts';

/** Wide enough that every column is drawn. */
test.use({ viewport: { width: 1920, height: 1000 } });

const good = {
  shot: '',
  kind: 'video',
  model: 'vgen-2.0-cl-fast',
  prompt: 'The sea',
  takes: 1,
  duration: 5,
  aspect_ratio: '16:9',
  size: '480p',
  generate_audio: 'TRUE',
  priority: 0,
  skip: 'FALSE',
};
type Column = keyof typeof good;
const columns = Object.keys(good) as Column[];

/** One row each: the cell, what is wrong in it, and what puts it right. */
const planted: readonly (readonly [Column, string | number, string])[] = [
  ['kind', 'vidoe', 'video'],
  ['kind', 'hologram', 'video'],
  ['model', '', 'vgen-2.0-cl-fast'],
  ['prompt', '', 'Waves'],
  ['takes', 'two', '1'],
  ['takes', 0, '1'],
  ['takes', 1.5, '1'],
  ['takes', 101, '1'],
  ['duration', 'long', '5'],
  ['duration', 2, '4'],
  ['duration', 99, '15'],
  ['duration', '5 m', '5'],
  ['duration', '1,000', '5'],
  ['aspect_ratio', 'wide', '16:9'],
  ['size', '1080p', '720p'],
  ['size', '8k', '480p'],
  ['generate_audio', 'maybe', 'FALSE'],
  ['priority', 'soon', '1'],
  ['priority', 1.5, '2'],
  ['skip', 'perhaps', 'FALSE'],
];

test('a workbook with twenty planted defects is corrected in the grid by keyboard alone, then runs to its end', async ({
  app,
  page,
}) => {
  const rows = planted.map(([column, wrong], index) => ({ ...good, shot: `D${index + 10}`, [column]: wrong }));
  const buffer = await writeWorkbook([
    columns.map((value) => ({ value })),
    ...rows.map((row) => columns.map((column) => ({ value: row[column] }))),
  ]).toBuffer();
  await app.open();
  const folder = await openProject(app, page);
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  const grid = await chooseList(page, { name: 'planted.xlsx', mimeType, buffer });
  const start = page.getByRole('button', { name: t('start.start') });

  await expect(page.getByRole('button', { name: '20 errors' })).toBeVisible();
  await expect(grid.locator('[role="gridcell"][aria-invalid="true"]')).toHaveCount(20);
  await expect(start).toBeDisabled();
  await expect(grid).toBeFocused();
  for (const [index, [column, , right]] of planted.entries()) {
    await page.keyboard.press('F8');
    const place = new RegExp(`-${index}-${columns.indexOf(column)}$`);
    await expect(grid).toHaveAttribute('aria-activedescendant', place);
    await page.keyboard.type(right);
    await page.keyboard.press('Tab');
    if (index < 19) await expect(start).toBeDisabled();
  }
  await expect(page.getByText(t('start.noDefects'), { exact: true })).toBeVisible();
  await expect(grid.locator('[role="gridcell"][aria-invalid="true"]')).toHaveCount(0);
  await expect(start).toBeEnabled();
  await startBatch(page);
  await settled(page, 20);
  await expect.poll(() => filesUnder(folder, '.mp4').length).toBe(20);
  expect(app.service.ledger.commits).toBe(20);
});
