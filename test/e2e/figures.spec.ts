import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { closedWindow, goTo, openProject } from './support/window.ts';

/** Clicks, and keys with what is held beside them, from now on. */
async function countActions(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    globalThis.counted = 0;
    const count = (event) => {
      if (event.isTrusted && !['Control', 'Shift', 'Meta', 'Alt'].includes(event.key)) counted += 1;
    };
    for (const type of ['pointerdown', 'keydown']) addEventListener(type, count, true);
  `);
  return () => page.evaluate<number>('counted');
}

test.describe('what it takes @night', () => {
  test('one click leads from an empty data folder to a film that plays', async ({ app, page }) => {
    test.slow();
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await app.open({ DAILIES_API_KEY: '', DAILIES_BASE_URL: '' });
    const actions = await countActions(page);
    await page.getByRole('button', { name: t('welcome.sample') }).click();
    const film = page.getByRole('grid', { name: t('group.takes') }).locator('video');
    await expect(film).toBeVisible({ timeout: 120_000 });
    await expect.poll(() => page.evaluate(`document.querySelector('video').currentTime`)).toBeGreaterThan(0);
    expect(await actions()).toBe(1);

    // It gives way to a person, and does not come back.
    await page.keyboard.press('ArrowRight');
    await expect(film).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole('gridcell').first()).toBeVisible();
    await expect(film).toHaveCount(0);
  });

  test('at most eight actions lead from a list in the clipboard to a queued night', async ({ app, page }) => {
    await app.open();
    await openProject(app, page);
    await goTo(page, t('place.batch'));
    const rows = Array.from({ length: 60 }, (_none, index) =>
      [String(index + 1).padStart(3, '0'), 'image', 'image-demo', `Still ${String(index + 1)}`].join('\t'),
    );
    const list = [['shot', 'kind', 'model', 'prompt'].join('\t'), ...rows].join('\n');
    const actions = await countActions(page);
    await page.getByRole('button', { name: t('batch.pasteList') }).click();
    const paste = page.getByRole('dialog', { name: t('batch.pasteList') });
    // Pasting is one key.
    await paste.getByRole('textbox').fill(list);
    await paste.getByRole('button', { name: t('common.open') }).click();
    await expect(page.getByText(t('start.newTakes', { count: 60 }))).toBeVisible();
    await page.keyboard.press('ControlOrMeta+Shift+Enter');
    const start = page.getByRole('dialog');
    await start.getByText(t('when.tonight')).click();
    const { opens, closes } = closedWindow();
    await start.getByLabel(t('night.from')).fill(opens);
    await start.getByRole('textbox', { name: t('night.to'), exact: true }).fill(closes);
    await start.getByRole('button', { name: t('start.queueFor', { count: 60, time: opens }) }).click();
    await expect(start).toBeHidden();
    await expect(page.getByText('Queued 60 takes')).toBeVisible();
    // Three fields were filled without a click: a paste and two times.
    expect((await actions()) + 3).toBeLessThanOrEqual(8);
  });
});
