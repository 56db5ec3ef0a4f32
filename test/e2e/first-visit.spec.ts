import { expect, expectAccessible, test } from './support/app.ts';

test('the first visit offers the sample project, which runs without a key', async ({ app, page }) => {
  await app.open({ DAILIES_API_KEY: '', DAILIES_BASE_URL: '' });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Try the sample project' }).click();
  await expect(page.getByText('24').first()).toBeVisible();
});
