import { writeFileSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { setLanguage } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { press, reviewStills, takeCell } from './support/window.ts';
for (const language of ['en', 'zh-CN'] as const)
  test.describe(language, () => {
    test.use({ locale: language });
    test.beforeEach(() => setLanguage(language));
    test.afterEach(() => setLanguage('en'));
    test('look', async ({ app, page }) => {
      test.setTimeout(200_000);
      const prices = [
        { model: 'chat-*', per: 'call', price: 0.02 },
        { model: 'image*', per: 'take', price: 0.4 },
      ];
      writeFileSync(
        app.path('data', 'settings.json'),
        JSON.stringify({ currency: 'USD', prices, appearance: 'system' }),
      );
      await reviewStills(app, page);
      const dialog = page.getByRole('dialog');
      const shoot = async (name: string) => {
        for (const [w, h, theme] of [
          [1440, 900, 'dark'],
          [1024, 640, 'light'],
        ] as const) {
          await page.setViewportSize({ width: w, height: h });
          await page.emulateMedia({ colorScheme: theme });
          await page.waitForTimeout(700);
          await page.screenshot({ path: `/tmp/look/${language}-${name}-${w}.png` });
        }
        await page.setViewportSize({ width: 1440, height: 900 });
      };
      await press(page, 'r');
      await shoot('one-hand');
      await dialog.getByText(t('review.promptByModel')).click();
      await dialog.getByRole('combobox', { name: t('tools.textModel') }).fill('chat-demo');
      await dialog.getByRole('textbox', { name: t('review.retakeNote') }).click();
      await page.keyboard.type('Too dark, move closer');
      await shoot('one-model');
      await page.keyboard.press('Enter');
      await expect(dialog.locator('ins')).not.toHaveCount(0);
      await dialog.getByText(t('when.tonight')).click();
      await shoot('one-diff');
      await page.keyboard.press('Escape');
      await press(page, 'ControlOrMeta+a');
      await press(page, 'r');
      await shoot('many');
      await page.keyboard.press('Escape');
      await page.getByRole('gridcell', { name: takeCell('010', 1) }).click();
      await press(page, 'p');
      await page.getByRole('gridcell', { name: takeCell('010', 1) }).click({ button: 'right' });
      await shoot('menu');
      await page.getByRole('menuitem', { name: t('review.finals') }).click();
      await page.waitForTimeout(800);
      await shoot('finals');
      await page.keyboard.press('Escape');
      await page.getByRole('gridcell', { name: takeCell('010', 1) }).click();
      await press(page, 'r');
      await dialog.getByText(t('review.promptByHand')).click();
      await dialog.getByRole('textbox', { name: t('review.retakeNote') }).fill('Too dark');
      await dialog.getByRole('textbox', { name: t('common.prompt') }).fill('A bright lamp in a window by the sea');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('gridcell', { name: takeCell('010', 2) })).toBeVisible();
      await page.getByRole('gridcell', { name: takeCell('010', 2) }).click();
      await page.waitForTimeout(600);
      await press(page, 'Shift+P');
      await page.waitForTimeout(800);
      await shoot('pair');
    });
  });
