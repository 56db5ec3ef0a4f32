import { readFileSync } from 'node:fs';
import { expect, test } from './support/app.ts';
import { showSettings } from './support/window.ts';
import { t } from '../../src/contract/messages/words.ts';

test('a price may hold only for requests with video input', async ({ app, page }) => {
  await app.open();
  await showSettings(page, t('settings.prices'));
  await page.getByRole('button', { name: t('settings.addPrice') }).click();
  await page.getByRole('combobox', { name: 'Model of line 1' }).fill('vgen-*');
  await page.getByRole('textbox', { name: 'Price of line 1' }).fill('3');
  const input = page.getByRole('combobox', { name: 'Video input of line 1' });
  await expect(input).toContainText(t('settings.videoInputAny'));
  await input.click();
  await page.getByRole('option', { name: t('settings.videoInputOnly'), exact: true }).click();
  await expect(input).toContainText(t('settings.videoInputOnly'));
  await expect.poll(() => readFileSync(app.path('data', 'settings.json'), 'utf8')).toMatch(/"videoInput":\s*true/);
  await page.reload();
  await expect(input).toContainText(t('settings.videoInputOnly'));
  await expect(page.getByRole('textbox', { name: 'Price of line 1' })).toHaveValue('3');
});
