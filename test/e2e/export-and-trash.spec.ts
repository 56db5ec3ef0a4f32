import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, test, type App } from './support/app.ts';
import {
  button,
  choose,
  chooseFolder,
  goTo,
  makeTakes,
  openInProject,
  openProject,
  press,
  reviewStills,
  runCommand,
  showSettings,
  showTakes,
  stillList,
} from './support/window.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('selects are copied into a folder, or not at all where a file is gone, and figures go out as a table @night', async ({
  app,
  page,
}) => {
  const project = await openInProject(app, page);
  await makeTakes(page, stillList(['010', '020']), 2);
  await showTakes(page);
  const selects = app.path('selects');
  mkdirSync(selects);
  const dialog = page.getByRole('dialog', { name: t('review.exportSelects') });
  const exportAll = async () => {
    await page.keyboard.press('e');
    await dialog.getByRole('radio', { name: t('review.selects', { name: 'shown', where: 'project' }) }).check();
    await button(dialog, t('review.chooseFolder')).click();
    await chooseFolder(page, selects, 'Export to “selects”');
  };

  await test.step('the last verdict leads to it, by the button that then appears', async () => {
    const next = page.locator('footer button', { hasText: t('review.exportSelects') });
    await press(page, 'Home', 'p');
    await expect(next).toBeHidden();
    await press(page, 'End', 'x');
    await next.click();
    await expect(dialog).toBeVisible();
    await expect(
      dialog.getByRole('radio', { name: t('review.selects', { name: 'picked', where: 'project' }) }),
    ).toBeChecked();
    await press(page, 'Escape', 'ControlOrMeta+z', 'ControlOrMeta+z');
    await expect(dialog).toBeHidden();
    await expect(page.getByText(t('review.tally', { picked: 0, alternates: 0, rejected: 0, open: 2 }))).toBeVisible();
    await expect(next).toBeHidden();
  });

  await test.step('Space opens a take, the filmstrip leads to the next, and select all marks no words of the page', async () => {
    const grid = page.getByRole('grid', { name: t('group.takes') });
    await grid.press('Home');
    await grid.press('Space');
    await expect(grid).toBeHidden();
    const strip = page.getByRole('group', { name: t('review.filmstrip') });
    await strip.getByRole('button', { name: /020/ }).click();
    await expect(strip.locator('[aria-current="true"]')).toHaveAccessibleName(/020/);
    await press(page, 'ControlOrMeta+a', 'Escape');
    expect(await page.evaluate('getSelection().toString()')).toBe('');
  });

  await test.step('they are copied with a list of them', async () => {
    await exportAll();
    await expect(page.getByText('Copied 2 files and selects.csv to')).toBeVisible();
    await expect(dialog).toBeHidden();
    expect(readdirSync(selects).sort()).toEqual(['010_t1.png', '020_t1.png', 'selects.csv']);
  });

  await test.step('a path that was typed and not opened is meant', async () => {
    if (isDesktop) return;
    const typed = app.path('typed');
    mkdirSync(typed);
    await page.keyboard.press('e');
    await expect(
      dialog.getByRole('radio', { name: t('review.selects', { name: 'shown', where: 'project' }) }),
    ).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('listbox', { name: project })).toBeFocused();
    await page.getByRole('textbox', { name: t('common.folder'), exact: true }).fill(typed);
    await button(page, 'Export to “typed”').click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    expect(readdirSync(typed)).toHaveLength(3);
  });

  await test.step('an export that goes on is stopped once that was agreed to', async () => {
    if (isDesktop) return;
    // Its answers do not come while this is looked at.
    await page.route('**/rpc/takes/export', () => undefined);
    await exportAll();
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('alert')).toHaveText(t('common.stopExport'));
    await expect(button(dialog, t('common.goOn'))).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('alert')).toBeHidden();
    await button(dialog, t('common.stop')).click();
    await expect(page.getByText(t('review.exportStopped'))).toBeVisible();
    await page.unroute('**/rpc/takes/export');
    await button(dialog, t('common.cancel')).click();
  });

  await test.step('where a file is gone, nothing is copied', async () => {
    rmSync(`${project}/stills/020_t1.png`);
    await exportAll();
    await expect(dialog.getByRole('alert')).toContainText('The takes could not be copied');
    expect(readdirSync(selects)).toHaveLength(3);
  });

  await test.step('proposed is the project’s own folder, until another one is set', async () => {
    const expectProposed = async (folder: string) => {
      if (isDesktop) return;
      await button(dialog, t('review.chooseFolder')).click();
      await expect(page.getByRole('listbox', { name: `Folders in ${folder}`, exact: true })).toBeVisible();
      await page.keyboard.press('Escape');
    };
    await expectProposed(project);
    await button(dialog, t('common.cancel')).click();
    await showSettings(page, t('settings.folders'));
    const field = page.getByLabel(t('settings.exportedSelects'), { exact: true });
    await field.fill(selects);
    await field.press('Enter');
    await expect(page.getByText('Changed “Exported selects”.')).toBeVisible();
    await showTakes(page);
    await page.keyboard.press('e');
    await dialog.getByRole('radio', { name: t('review.selects', { name: 'shown', where: 'project' }) }).check();
    await expectProposed(selects);
    await button(dialog, t('common.cancel')).click();
  });

  await test.step('statistics show results, price and time by model, and say which figures have no base', async () => {
    await page.keyboard.press('p');
    await expect(page.getByText(t('review.tally', { picked: 1, alternates: 0, rejected: 0, open: 1 }))).toBeVisible();
    await goTo(page, t('place.spending'));
    await page.getByRole('tab', { name: t('spending.costs') }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('tab', { name: t('stats.title') })).toBeFocused();
    const shown = page.getByRole('tabpanel');
    for (const figure of [
      t('stats.savedOf', { saved: 2, count: 2 }),
      t('stats.unpriced', { count: 2 }),
      t('stats.picks', { count: 1 }),
      t('stats.noFilms'),
    ])
      await expect(shown.getByText(figure)).toBeVisible();
    const row = shown.getByRole('row').filter({ hasText: 'image-demo' });
    await expect(row).toContainText('100%');
    await expect(row).toContainText('0.5');
    await choose(page.getByRole('combobox', { name: t('stats.plotted') }), t('stats.picksPerTake'));
    await choose(page.getByRole('combobox', { name: t('stats.period') }), t('stats.by', { period: 'day' }));
    const plot = t('stats.plotLabel', { title: t('stats.picksPerTake'), count: 1 });
    await expect(page.getByRole('img', { name: plot })).toBeVisible();
    const download = page.waitForEvent('download');
    await button(shown, t('spending.export')).click();
    expect((await download).suggestedFilename()).toBe('statistics.csv');
  });
});

test('takes are put into the trash, restored, and removed for good, by keyboard alone @night', async ({
  app,
  page,
}) => {
  const takes = await reviewStills(app, page);
  const tiles = takes.getByRole('gridcell');
  const dialog = page.getByRole('dialog');
  const trash = app.path('Film', '.trash');
  const lying = () => (existsSync(trash) ? readdirSync(trash).length : 0);

  await test.step('a take goes after what that comes to was read, and comes back by key', async () => {
    await page.keyboard.press('Control+Backspace');
    await expect(dialog).toContainText(t('trash.chargeStays'));
    await expect(dialog).toContainText(t('trash.unjudgedAmongThem', { count: 1 }));
    await expect(button(dialog, t('trash.moveToTrash'))).toBeFocused();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await expect(tiles).toHaveCount(2);
    expect(lying()).toBe(1);
    await page.keyboard.press('Control+z');
    await expect(tiles).toHaveCount(3);
    expect(lying()).toBe(0);
  });

  await test.step('an empty trash leads back', async () => {
    await runCommand(page, t('trash.showTrash'));
    // The way back is there once the grid has been read; the bar with the filters has one too, without words.
    const showAll = page.getByText(t('review.showAllSaved'));
    await expect(showAll).toBeVisible();
    await expect(page.getByText(t('trash.isEmpty'))).toHaveCount(1);
    await showAll.press('Enter');
    await expect(tiles).toHaveCount(3);
  });

  await test.step('all but the picks of the batch go at once', async () => {
    await takes.focus();
    await press(page, 'Home', 'p');
    await runCommand(page, 'Keep picks');
    await expect(dialog).toContainText('of stills only');
    await expect(dialog).toContainText('The files of 2 takes go to the trash');
    await page.keyboard.press('Enter');
    await expect(tiles).toHaveCount(1);
    expect(lying()).toBe(2);
  });

  await test.step('what lies there is seen, and one is restored', async () => {
    await runCommand(page, t('trash.showTrash'));
    await expect(tiles).toHaveCount(2);
    await expect(tiles.first()).toContainText(t('trash.inTrash'));
    await expect(page.getByRole('region', { name: t('trash.trash') })).toContainText('2 takes in the trash');
    await expectAccessible(page);
    await takes.focus();
    await press(page, 'Home', 'Control+Shift+Backspace');
    await expect(tiles).toHaveCount(1);
    expect(lying()).toBe(1);
  });

  await test.step('the rest is removed for good, and its take says so', async () => {
    await runCommand(page, t('trash.emptyTrash'));
    await expect(dialog).toContainText('cannot be restored');
    await expectAccessible(page);
    await button(dialog, /^Delete .* permanently$/).press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect.poll(lying).toBe(0);
    await expect(tiles.first()).toContainText(t('trash.removedFromTrash'));
    await expect(page.getByRole('region', { name: t('trash.trash') })).toContainText(t('trash.isEmpty'));
    await takes.focus();
    await press(page, 'Home', 'Enter');
    await expect(page.getByText('were removed when the trash was emptied')).toBeVisible();
  });
});

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

test('files are shown in their folder and their paths copied: by menu, by key, from project and queue @night', async ({
  app,
  page,
}) => {
  test.skip(isDesktop, 'The desktop app shows files by the system itself.');
  const { env, shown } = fileManagerOf(app);
  await app.open(env);
  const folder = await openProject(app, page);
  await makeTakes(page, stillList(['S1', 'S2']), 2);
  const takes = await showTakes(page);

  await test.step('from the menu of a take', async () => {
    const tile = takes.getByRole('gridcell', { name: 'S2 take 1' });
    await tile.click({ button: 'right' });
    const menu = page.getByRole('menu', { name: t('common.take') });
    await expect(menu).toBeVisible();
    await expect(tile).toHaveAttribute('aria-selected', 'true');
    await expectAccessible(page);
    await menu.getByRole('menuitem', { name: /^Show in / }).click();
    await expect.poll(shown).toEqual([join(folder, 'stills')]);
  });

  await test.step('by keys, of one and of many', async () => {
    await page.keyboard.press('Shift+C');
    await expect(page.getByText('Path copied')).toBeVisible();
    expect(await app.clipboard()).toBe(join(folder, 'stills', 'S2_t1.png'));
    await page.keyboard.press('ControlOrMeta+A');
    await expect(page.getByText('2 selected')).toBeVisible();
    await page.keyboard.press('Shift+C');
    await expect(page.getByText('2 paths copied')).toBeVisible();
    await press(page, 'Escape', 'Shift+R');
    await expect.poll(() => shown().length).toBe(2);
  });

  await test.step('of a project and a batch', async () => {
    await goTo(page, t('place.projects'));
    await button(page, /^Show in /).click();
    await expect.poll(() => shown().at(-1)).toBe(folder);
    await button(page, 'Show the folder of stills').click();
    await expect.poll(() => shown().at(-1)).toBe(join(folder, 'stills'));
  });

  await test.step('diagnostics are saved as a text without the key', async () => {
    await showSettings(page, t('settings.about'));
    const saving = page.waitForEvent('download');
    await button(page, t('common.saveDiagnostics')).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/^dailies-diagnostics-.*\.txt$/);
    const text = readFileSync(await saved.path(), 'utf8');
    expect(text).toContain('## Settings');
    expect(text).not.toContain(app.service.apiKey);
    expect(text).not.toContain(app.folder);
  });

  await test.step('a machine without a file manager says so, with the path', async () => {
    rmSync(app.path('bin'), { recursive: true });
    await page.goto('about:blank');
    await app.stop();
    await app.open({ PATH: app.path('bin') });
    await goTo(page, t('place.projects'));
    await page.getByRole('listitem').getByText('Film', { exact: true }).click();
    await button(page, /^Show in /).click();
    await expect(page.getByText(`No file manager of this computer opened ${folder}.`)).toBeVisible();
  });
});
