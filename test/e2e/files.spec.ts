import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, isDesktop, test, type App } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, showSettings, startBatch } from './support/window.ts';
import { t } from '../../src/contract/messages/words.ts';

test.skip(isDesktop, 'The desktop app shows files by the system itself.');
test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

/** A machine whose file manager writes down what it is shown. */
function fileManagerOf(app: App): { env: Record<string, string>; shown: () => string[] } {
  const bin = app.path('bin');
  const log = app.path('shown.txt');
  mkdirSync(bin);
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nfor last; do :; done\nprintf '%s\\n' "$last" >> '${log}'\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return {
    env: { PATH: `${bin}:${process.env['PATH']}` },
    shown: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  };
}

test('files are shown in their folder and their paths copied: by menu, by key, from project and queue', async ({
  app,
  page,
}) => {
  const { env, shown } = fileManagerOf(app);
  await app.open(env);
  const folder = await openProject(app, page);
  await chooseList(
    page,
    csvFile('stills.csv', [
      ['shot', 'kind', 'model', 'prompt'],
      ['S1', 'image', 'image-demo', 'A harbour'],
      ['S2', 'image', 'image-demo', 'A pier'],
    ]),
  );
  await startBatch(page);
  await settled(page, 2);

  await goTo(page, t('place.review'));
  const tile = page.getByRole('gridcell', { name: 'S2 take 1' });
  await tile.click({ button: 'right' });
  const menu = page.getByRole('menu', { name: t('common.take') });
  await expect(menu).toBeVisible();
  await expect(tile).toHaveAttribute('aria-selected', 'true');
  await expectAccessible(page);
  await menu.getByRole('menuitem', { name: /^Show in / }).click();
  await expect.poll(shown).toEqual([join(folder, 'stills')]);

  await page.keyboard.press('Shift+C');
  await expect(page.getByText('Path copied')).toBeVisible();
  expect(await app.clipboard()).toBe(join(folder, 'stills', 'S2_t1.png'));
  await page.keyboard.press('ControlOrMeta+A');
  await expect(page.getByText('2 selected')).toBeVisible();
  await page.keyboard.press('Shift+C');
  await expect(page.getByText('2 paths copied')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+R');
  await expect.poll(() => shown().length).toBe(2);

  await goTo(page, t('place.projects'));
  await page.getByRole('button', { name: /^Show in / }).click();
  await expect.poll(() => shown().at(-1)).toBe(folder);
  await page.getByRole('button', { name: 'Show the folder of stills' }).click();
  await expect.poll(() => shown().at(-1)).toBe(join(folder, 'stills'));
});

test('diagnostics are saved as a text without the key', async ({ app, page }) => {
  await app.open();
  await showSettings(page, t('settings.about'));
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: t('common.saveDiagnostics') }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toMatch(/^dailies-diagnostics-.*\.txt$/);
  const text = readFileSync(await saved.path(), 'utf8');
  expect(text).toContain('## Settings');
  expect(text).not.toContain(app.service.apiKey);
  expect(text).not.toContain(app.folder);
});

test('a machine without a file manager says so, with the path', async ({ app, page }) => {
  mkdirSync(app.path('empty'));
  await app.open({ PATH: app.path('empty') });
  const folder = await openProject(app, page);
  await page.getByRole('button', { name: /^Show in / }).click();
  await expect(page.getByText(`No file manager of this computer opened ${folder}.`)).toBeVisible();
});
