import { writeFileSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

const list = csvFile('stills.csv', [
  ['shot', 'kind', 'model', 'prompt', 'operation'],
  ['P01', 'image', 'image-demo', 'A harbour', 'imagine'],
]);

test('a button of a picture makes a take from it, and its final prompt begins a new one', async ({ app, page }) => {
  const prices = [{ model: 'typo', per: 'take', price: 0.03 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ currency: 'USD', prices }));
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  await startBatch(page);
  await settled(page, 1);
  await goTo(page, t('place.review'));
  await page
    .getByRole('grid', { name: t('group.takes') })
    .getByRole('gridcell', { name: 'P01 take 1' })
    .click();
  await page.keyboard.press('Enter');
  const buttons = page.getByRole('toolbar', { name: t('review.takeButtons') });
  await expect(buttons.getByRole('button')).toHaveCount(9);
  await buttons.getByRole('button', { name: 'U1' }).click();
  const press = page.getByRole('dialog', { name: 'Press U1' });
  await expect(press).toContainText('1 take, price unknown');
  await press.getByRole('button', { name: t('review.queueTake') }).click();
  await expect(press).toBeHidden();
  await expect.poll(() => app.service.ledger.billableCommits().length, { timeout: 30_000 }).toBe(2);
  expect(app.service.ledger.billableCommits().at(-1)?.body).toMatchObject({
    customId: expect.stringContaining('upscale-1'),
    taskId: expect.stringMatching(/^task_/),
  });

  await page
    .getByRole('button', { name: t('review.useInNewTake') })
    .first()
    .click();
  const changes = page.getByRole('dialog', { name: t('review.newTakeTitle', { shot: 'P01' }) });
  await expect(changes.getByRole('textbox', { name: t('common.prompt') })).toHaveValue(
    'A harbour, natural light, fine detail',
  );
  await page.keyboard.press('Escape');

  await page
    .getByRole('banner')
    .getByRole('button', { name: /Search or run/ })
    .click();
  await page.getByRole('combobox', { name: t('window.searchCommands') }).fill(t('review.describePicture'));
  await page.keyboard.press('Enter');
  const describing = page.getByRole('dialog', { name: 'Describe P01 · take 1' });
  const byTypography = describing.getByRole('button', { name: t('review.describeTypo') });
  const byJob = describing.getByRole('button', { name: t('review.describeJob') });
  await expect(byTypography).toHaveAccessibleDescription('1 call to typo, 0.03 USD');
  await expect(byJob).toHaveAccessibleDescription(/^1 call to jobimg, price unknown/);
  await byJob.click();
  const words = describing.getByRole('paragraph').filter({ hasText: /^A .+, / });
  await expect(words).toHaveCount(1, { timeout: 30_000 });
  const described = await words.innerText();
  await describing.getByRole('button', { name: t('review.useInNewTake') }).click();
  await expect(changes.getByRole('textbox', { name: t('common.prompt') })).toHaveValue(described);
});
