import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

const list = csvFile('songs.csv', [
  ['shot', 'kind', 'model', 'prompt', 'custom_mode', 'lyrics'],
  ['M01', 'music', 'music-demo', 'Low brass in waves', '', ''],
  ['M02', 'music', 'music-demo', '', 'TRUE', 'Keep a light'],
  ['P01', 'image', 'image-demo', 'A poster', '', ''],
]);

test.use({ demo: { media: 'real' } });

test('a piece of music is continued from where it is played, after its price is shown', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  await startBatch(page);
  await settled(page, 3);
  await goTo(page, t('place.review'));
  const takes = page.getByRole('grid', { name: t('group.takes') });
  await takes.getByRole('gridcell', { name: 'M01 take 1' }).click();
  await page.keyboard.press('Enter');
  const position = page
    .getByRole('toolbar', { name: t('group.player') })
    .getByRole('slider', { name: t('review.position') });
  await expect(position).toHaveAttribute('aria-valuemax', /^[1-9]/);
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Shift+>');
  await page.getByRole('button', { name: t('review.continueHere') }).click();
  const dialog = page.getByRole('dialog', { name: /^Continue from 0:0\d\.\d$/ });
  await expect(dialog).toContainText('1 take,');
  await dialog.getByRole('textbox', { name: t('common.prompt') }).fill('The brass climbs');
  const before = app.service.ledger.billableCommits().length;
  await dialog.getByRole('button', { name: t('review.queueTake') }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => app.service.ledger.billableCommits().length).toBe(before + 1);
  const [sent] = app.service.ledger.billableCommits().slice(-1);
  expect(sent?.body).toMatchObject({
    prompt: 'The brass climbs',
    task_id: expect.stringMatching(/^task_/),
    continue_at: expect.any(Number),
  });
  await page.keyboard.press('Escape');
  // The tiles behind it move on when it comes, and a click may be on its way.
  await expect(takes.getByRole('gridcell', { name: 'M01 take 2' })).toBeVisible();

  // A song goes on with other words: it has lyrics in the place of a prompt.
  await takes.getByRole('gridcell', { name: 'M02 take 1' }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: t('review.continueHere') }).click();
  const lyrics = dialog.getByRole('textbox', { name: t('column.lyrics') });
  await expect(lyrics).toHaveValue('Keep a light');
  await expect(dialog.getByRole('textbox', { name: t('common.prompt') })).toHaveValue('');
  await lyrics.fill('Keep it for others');
  await dialog.getByRole('button', { name: t('review.queueTake') }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => app.service.ledger.billableCommits().length, { timeout: 30_000 }).toBe(before + 2);
  expect(app.service.ledger.billableCommits().at(-1)?.body).toMatchObject({
    prompt: 'Keep it for others',
    customMode: true,
    continue_at: expect.any(Number),
  });
  await page.keyboard.press('Escape');
  await expect(takes.getByRole('gridcell', { name: 'M02 take 2' })).toBeVisible();
  await takes.getByRole('gridcell', { name: 'P01 take 1' }).click();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: t('review.continueHere') })).toHaveCount(0);
});
