import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, startBatch, videoList } from './support/window.ts';

const themes = ['dark', 'light'] as const;

/** Nothing is in the way in either theme; the page is left in the theme it had. */
async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const theme of themes) {
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Switch to the / }).click();
  }
}

test.describe('nothing keeps anybody from using', () => {
  test.slow();

  test('the window before there is a project', async ({ app, page }) => {
    await app.open();
    for (const view of ['Projects', 'Queue', 'Settings']) {
      await goTo(page, view);
      await expectAccessibleInBothThemes(page);
    }
  });

  test('the views of an empty project', async ({ app, page }) => {
    await app.open();
    await openProject(app, page);
    for (const view of ['Projects', 'Batch', 'Review', 'Library']) {
      await goTo(page, view);
      await expectAccessibleInBothThemes(page);
    }
  });

  test('the views of a project with takes, failures and decisions', async ({ app, page }) => {
    const { faults } = app.service;
    faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'reset', commit: true } });
    faults.add({ match: { method: 'POST', prompt: '0020' }, do: { fault: 'status', status: 400 } });
    await app.open();
    await openProject(app, page);
    const shots = await chooseList(page, videoList(6));
    await expect(shots).toBeFocused();
    await expectAccessibleInBothThemes(page);
    await startBatch(page);
    await expect(page.getByRole('button', { name: '4 saved' })).toBeVisible();
    await expectAccessibleInBothThemes(page);
    for (const view of ['Projects', 'Queue', 'Review']) {
      await goTo(page, view);
      await expectAccessibleInBothThemes(page);
    }
    await page.getByRole('grid', { name: 'Takes' }).press('Enter');
    await expect(page.getByRole('toolbar', { name: 'Verdict' })).toBeVisible();
    await expectAccessibleInBothThemes(page);
  });

  test('a list with defects, the command palette and the sheet of keys', async ({ app, page }) => {
    await app.open();
    await openProject(app, page);
    await chooseList(
      page,
      csvFile('broken.csv', [
        ['shot', 'kind', 'model', 'prompt', 'duration'],
        ['010', 'film noir', 'vgen-2.0-nt', 'A street', '4'],
        ['020', 'video', 'vgen-2.0-nt', '', 'long'],
      ]),
    );
    await page.getByRole('button', { name: /errors$/ }).waitFor();
    await expectAccessibleInBothThemes(page);
    for (const keys of ['Control+k', 'Shift+?']) {
      await page.keyboard.press(keys);
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    }
  });
});
