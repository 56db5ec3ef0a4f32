import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test, type App } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled } from './support/window.ts';

/** A picture in a folder that no list and no project is in. */
function pictureOutside(app: App): string {
  mkdirSync(app.path('Pictures'));
  const picture = join(realpathSync(app.path('Pictures')), 'hero.png');
  const bytes = Buffer.alloc(1082);
  bytes.write('BM');
  writeFileSync(picture, bytes);
  return picture;
}

test('a file outside the folders of list and project is sent once the person has agreed to it in the start dialog', async ({
  app,
  page,
}) => {
  await app.open();
  await openProject(app, page);
  const picture = pictureOutside(app);
  const header = ['shot', 'kind', 'model', 'prompt', 'duration', 'first_frame'];
  const row = ['010', 'video', 'vgen-2.0-nt', 'A gull', '5', picture];
  await chooseList(page, csvFile('shots.csv', [header, row]));
  await page.getByRole('button', { name: t('start.start') }).click();
  const dialog = page.getByRole('dialog');
  const files = dialog.getByRole('region', { name: t('start.outside') });
  await expect(files.getByText(picture)).toBeVisible();
  const start = dialog.getByRole('button', { name: /^Start \d/ });
  await expect(start).toBeDisabled();
  await expectAccessible(page);
  await files.getByRole('switch', { name: t('start.sendOutside', { count: 1 }) }).click();
  await start.click();
  await settled(page, 1);
  expect(app.service.ledger.posts('/v1/assets/uploads')).toHaveLength(1);

  await chooseList(page, csvFile('more.csv', [header, ['020', 'video', 'vgen-2.0-nt', 'A tern', '5', picture]]));
  await page.getByRole('button', { name: t('start.start') }).click();
  await expect(start).toBeEnabled();
  await expect(files).toBeHidden();
});

test('a described shot asks the same of its picture', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const picture = pictureOutside(app);
  await goTo(page, t('place.batch'));
  await page.getByRole('button', { name: t('batch.describeShot') }).click();
  const dialog = page.getByRole('dialog', { name: t('batch.describeShot') });
  await dialog.getByRole('textbox', { name: t('common.prompt') }).fill('A pier in the rain');
  await dialog.getByRole('combobox', { name: t('common.model') }).fill('vgen-2.0-nt');
  await dialog.getByLabel(t('column.duration')).fill('5');
  await dialog.getByRole('button', { name: `${t('media.chooseOrDrop')} ${t('column.firstFrame')}` }).click();
  const picker = page.getByRole('dialog', { name: t('media.chooseFor', { column: t('column.firstFrame') }) });
  await picker.getByText(t('common.files'), { exact: true }).click();
  await picker.getByRole('textbox', { name: t('media.written') }).fill(picture);
  await page.keyboard.press('Enter');
  await expect(picker).toBeHidden();
  const queue = dialog.getByRole('button', { name: 'Queue 1 take' });
  await queue.click();
  await expect(dialog.getByText(t('start.outsideWarning', { count: 1 }))).toBeVisible();
  expect(app.service.ledger.posts()).toEqual([]);
  await dialog.getByRole('switch', { name: t('start.sendOutside', { count: 1 }) }).click();
  await queue.click();
  await settled(page, 1);
});
