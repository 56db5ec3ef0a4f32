import { expect, test } from './support/app.ts';
import { t } from '../../src/contract/messages/words.ts';

test('an address that is no text leads to the projects, in a window that was open and in a fresh one', async ({
  app,
  page,
}) => {
  await app.open();
  const entry = page.url().replace(/#.*/, '');
  await page.goto(`${entry}#/%E0%A4%A`);
  await expect(page.getByRole('main', { name: t('place.projects') })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('main', { name: t('place.projects') })).toBeVisible();
});
