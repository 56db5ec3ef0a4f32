import type { Locator, Page } from '@playwright/test';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, expectAccessibleInBothThemes, inEachLanguage, test } from './support/app.ts';
import {
  anyCount,
  button,
  chooseList,
  csvFile,
  goTo,
  makeTakes,
  openProject,
  openProjectButton,
  press,
  runCommand,
  saying,
  showTakes,
  startBatch,
  takeCell,
  uploadPictures,
  videoList,
} from './support/window.ts';

/** Opens something over the view by a key or a click, looks at it in both themes, and closes it again. */
async function lookOver(page: Page, open: string | Locator, role: 'dialog' | 'menu' | 'listbox' = 'dialog') {
  await (typeof open === 'string' ? page.keyboard.press(open) : open.click());
  const over: Locator = page.getByRole(role).last();
  await expect(over).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Escape');
  await expect(over).toBeHidden();
}

async function lookAt(page: Page, ...views: readonly string[]): Promise<void> {
  for (const view of views) {
    await goTo(page, view);
    await expectAccessibleInBothThemes(page);
  }
}

inEachLanguage(() => {
  test.slow();

  test('nothing keeps anybody from using the views of a project with takes, failures and decisions', async ({
    app,
    page,
  }) => {
    const { faults } = app.service;
    faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'reset', commit: true } });
    faults.add({ match: { method: 'POST', prompt: '0020' }, do: { fault: 'status', status: 400 } });
    await app.openInSystemTheme();
    await openProject(app, page);

    await test.step('the start of a list, and a queue with waiting takes', async () => {
      await expect(await chooseList(page, videoList(6))).toBeFocused();
      await expectAccessibleInBothThemes(page);
      await expect(button(page, t('start.start'))).toBeEnabled();
      await lookOver(page, button(page, t('start.start')));
      await button(page, t('queue.pause')).click();
      await startBatch(page);
      await goTo(page, t('place.queue'));
      await lookOver(page, button(page, withDots('common.stop')));
      await button(page.getByRole('banner'), t('queue.resume')).click();
    });

    await test.step('a batch, and every view of its project', async () => {
      await goTo(page, t('place.batch'));
      for (const [standing, count] of [
        ['saved', 4],
        ['failed', 1],
      ] as const)
        await expect(button(page, t('common.standingCount', { standing, count }))).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await lookAt(page, t('place.projects'), t('place.queue'), t('place.spending'), t('place.review'));
      await page.getByRole('grid', { name: t('group.takes') }).press('Enter');
      await expect(page.getByRole('toolbar', { name: t('group.verdict') })).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await goTo(page, t('place.spending'));
      await page.getByRole('tab', { name: t('stats.title') }).click();
      await expect(page.getByRole('img', { name: t('stats.success') })).toBeVisible();
      await expectAccessibleInBothThemes(page);
    });

    await test.step('a decision', async () => {
      await goTo(page, t('place.queue'));
      await page.getByRole('tab', { name: t('state.needsDecision') }).click();
      await page.getByRole('grid').getByRole('row').nth(1).click();
      await lookOver(page, button(page.getByRole('toolbar', { name: t('queue.selectedTakes') }), t('common.decide')));
    });
  });

  test('nothing keeps anybody from using the window before there is a project, an empty one and the library @night', async ({
    app,
    page,
  }) => {
    const failed = { fault: 'asset-outcome', end: 'failed', message: 'too small' } as const;
    app.service.faults.add({ match: { path: '/v1/assets/uploads' }, do: failed });
    await app.openInSystemTheme();

    await test.step('before there is a project', async () => {
      await lookAt(page, t('place.projects'), t('place.queue'), t('place.spending'), t('place.settings'));
      const sections = page.getByRole('navigation', { name: t('place.settings') }).getByRole('button');
      for (const section of await sections.all()) {
        await section.press('Enter');
        await expect(section).toHaveAttribute('aria-current', 'page');
        await expectAccessibleInBothThemes(page);
      }
      await lookOver(page, 'ControlOrMeta+k');
      await lookOver(page, 'Shift+?');
    });

    await test.step('a library with assets, uploads and failures', async () => {
      await goTo(page, t('place.library'));
      await lookOver(page, button(page, t('library.createGroup')));
      await lookOver(page, button(page, t('library.addFromWeb')));
      await uploadPictures(page, ['harbour.png', 'منارة.png']);
      await page.getByRole('row').filter({ hasText: 'harbour' }).click();
      await expect(page.getByRole('complementary', { name: /harbour/ })).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('v');
      await expect(page.getByRole('gridcell', { selected: true })).toContainText('harbour');
      await expectAccessibleInBothThemes(page);
    });

    await test.step('an empty project, and what begins a batch', async () => {
      await goTo(page, t('place.projects'));
      await openProject(app, page);
      await lookAt(page, t('place.batch'), t('place.review'), t('place.projects'));
      await lookOver(page, button(page, t('night.set')));
      await goTo(page, t('place.batch'));
      await lookOver(page, button(page, t('batch.describeShot')));
      await lookOver(page, button(page, t('batch.pasteList')));
      await lookOver(page, button(page, t('batch.getTemplate')), 'menu');
      await button(page, t('queue.pause')).hover();
      await expect(page.getByRole('tooltip').or(page.locator('[data-tooltip-content]')).first()).toBeVisible();
      await expectAccessible(page);
    });
  });

  test('nothing keeps anybody from using a list with defects, and all that opens beside it and over it @night', async ({
    app,
    page,
  }) => {
    await app.openInSystemTheme();
    await openProject(app, page);
    const grid = await chooseList(
      page,
      csvFile('broken.csv', [
        ['shot', 'kind', 'model', 'prompt', 'duration', 'mood'],
        ['010', 'film noir', 'vgen-2.0-nt', 'A street', '4', 'grey'],
        ['020', 'video', 'vgen-2.0-nt', '', 'long', ''],
      ]),
    );

    await test.step('its panes, its editor and its menus', async () => {
      await button(page, saying('batch.errors', { count: anyCount })).waitFor();
      await expectAccessibleInBothThemes(page);
      for (const pane of [t('list.defects'), t('list.columns')]) {
        await button(page, pane).click();
        await expect(page.getByRole('complementary', { name: pane })).toBeVisible();
        await expectAccessibleInBothThemes(page);
      }
      await grid.focus();
      await press(page, 'Home', 'ArrowRight', 'F2');
      await expect(page.getByRole('combobox', { name: 'kind', exact: true })).toBeFocused();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await grid.getByRole('gridcell').first().click({ button: 'right' });
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await lookOver(page, button(page, t('menu.more')), 'menu');
    });

    await test.step('its tools, by keys alone', async () => {
      await grid.focus();
      await page.keyboard.press('Shift+ArrowDown');
      await lookOver(page, 'ControlOrMeta+Shift+e');
      await expect(grid).toBeFocused();
      for (const title of [t('list.promptLibrary'), t('list.presets')]) {
        await runCommand(page, title);
        await expect(page.getByRole('dialog', { name: title })).toBeVisible();
        await expectAccessibleInBothThemes(page);
        await page.keyboard.press('Escape');
        await expect(grid).toBeFocused();
      }
      const bar = page.getByRole('search', { name: t('list.findInList') });
      await page.keyboard.press('ControlOrMeta+h');
      await expect(bar).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await expect(grid).toBeFocused();
      await page.keyboard.press('ControlOrMeta+i');
      await expect(page.getByRole('complementary').getByRole('textbox').first()).toBeVisible();
      await expectAccessibleInBothThemes(page);
    });

    await test.step('the pages of its project', async () => {
      for (const [title, region] of [
        [t('projects.facts'), t('projects.factsOf', { project: 'Film' })],
        [t('projects.history'), t('projects.history')],
      ] as const) {
        await runCommand(page, title);
        const shown = page.getByRole('region', { name: region, exact: true });
        await expect(shown).toBeVisible();
        await expectAccessibleInBothThemes(page);
        await page.keyboard.press('Escape');
        await expect(shown).toBeHidden();
      }
    });
  });

  test('nothing keeps anybody from using takes side by side, wiped and heard, and the dialogs of review @night', async ({
    app,
    page,
  }) => {
    await app.openInSystemTheme();
    await openProject(app, page);
    await makeTakes(
      page,
      csvFile('mixed.csv', [
        ['shot', 'kind', 'model', 'prompt', 'duration', 'takes'],
        ['010', 'image', 'image-demo', 'A poster', '', '2'],
        ['020', 'video', 'vgen-2.0-nt', 'A wave', '4', '2'],
        ['030', 'music', 'music-demo', 'Low brass', '', '1'],
      ]),
      5,
    );
    const takes = await showTakes(page);
    const tile = (shot: string): Locator => page.getByRole('gridcell', { name: takeCell(shot, 1) });
    const player = page.getByRole('toolbar', { name: t('group.player') });

    await test.step('its dialogs and menus', async () => {
      for (const key of ['n', 't', 'Shift+V', 'e', 'ControlOrMeta+Shift+Enter']) await lookOver(page, key);
      await lookOver(page, page.getByRole('button', { name: t('review.savedViews') }), 'menu');
      await lookOver(page, page.getByRole('combobox', { name: t('common.order') }), 'listbox');
      await takes.focus();
      await page.keyboard.press('s');
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('s');
    });

    await test.step('stills side by side and wiped, films side by side, and music', async () => {
      await press(page, 'Home', 'c');
      await expect(page.getByText(t('review.comparing', { count: 2 }))).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('w');
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await tile('020').click();
      await page.keyboard.press('c');
      await expect(player).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await tile('030').dblclick();
      await expect(player).toBeVisible();
      await expectAccessibleInBothThemes(page);
    });
  });
});

/** What is read of an element: tests are type-checked without the browser's own types. */
interface Drawn {
  readonly ownerDocument: {
    readonly defaultView: { getComputedStyle(of: Drawn): { readonly borderBottomColor: string } };
  };
}

test('selection and verdicts are shown with the system’s colours alone @night', async ({ app, page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await app.open();
  await goTo(page, t('place.queue'));
  const edge = (name: string) =>
    page
      .getByRole('tab', { name: new RegExp(`^${name}`) })
      .evaluate((tab: Drawn) => tab.ownerDocument.defaultView.getComputedStyle(tab).borderBottomColor);
  const other = await edge(t('state.failed'));
  await expect.poll(() => edge(t('queue.groupUnderWay'))).not.toBe(other);
  const current = page.getByRole('navigation').getByRole('button', { name: /^Queue/ });
  await expect(current).toHaveCSS('outline-style', 'solid');
  await expect(page.getByRole('main').getByRole('progressbar').first()).toHaveCSS('outline-style', 'solid');
});

test('at twice the size projects and batches keep their names, and the buttons of the queue cover nothing @night', async ({
  app,
  page,
}) => {
  /** As much of it as is written can be read: nothing is cut off. */
  const expectWhole = (shown: Locator): Promise<void> =>
    expect
      .poll(() =>
        shown.evaluate(
          (element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth - element.clientWidth,
        ),
      )
      .toBeLessThanOrEqual(0);
  await app.open();
  await openProject(app, page, 'Autumn campaign');
  await makeTakes(page, videoList(8), 8);
  // The usual window at 200 %.
  await page.setViewportSize({ width: 720, height: 450 });
  await goTo(page, t('place.projects'));
  await expectWhole(page.getByRole('listitem').getByText('Autumn campaign', { exact: true }));
  await goTo(page, t('place.batch'));
  await button(page, t('common.allBatches')).click();
  await expectWhole(button(page, 'shots'));
  await expectWhole(page.getByText(/^8 shots, 8 takes, /));
  await goTo(page, t('place.queue'));
  const words = page.getByText(/^of 8 takes finished$|^Finished$/);
  await expect
    .poll(async () => {
      const [a, b] = [await words.boundingBox(), await button(page, t('common.pause')).boundingBox()];
      return a && b && a.x + a.width <= b.x;
    })
    .toBe(true);
});

test('Escape goes one step back at once, though the pointer rests on a button or a name is being typed @night', async ({
  app,
  page,
}) => {
  /** Rests the pointer on a button until its tooltip is there. */
  const restOn = async (shown: Locator): Promise<Locator> => {
    const tooltip = page.locator('[data-tooltip-content]');
    await shown.hover();
    await expect(tooltip).toBeVisible();
    return tooltip;
  };
  await app.open();
  const chooser = page.getByRole('dialog');

  await test.step('out of the chooser for folders', async () => {
    await openProjectButton(page).click();
    const tooltip = await restOn(button(chooser, t('window.parentFolder')));
    await page.keyboard.press('Escape');
    await expect(chooser).toBeHidden();
    await expect(tooltip).toBeHidden();
  });

  await test.step('out of the name of a new folder alone; Enter makes the folder', async () => {
    await openProjectButton(page).click();
    const folders = chooser.getByRole('listbox');
    // The chooser takes the focus as it opens, even from what a quicker hand has gone to.
    await expect(folders).toBeFocused();
    const path = chooser.getByRole('textbox', { name: t('common.folder'), exact: true });
    await path.fill(app.folder);
    await path.press('Enter');
    await expect(path).toHaveValue(app.folder);
    await expect(folders).toBeFocused();
    const newFolder = button(chooser, t('window.newFolder'));
    const name = chooser.getByRole('textbox', { name: t('window.newFolderName') });
    await newFolder.click();
    await expect(name).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(name).toBeHidden();
    await newFolder.click();
    await name.fill('night one');
    await page.keyboard.press('Enter');
    await expect(path).toHaveValue(app.path('night one'));
    await expect(name).toBeHidden();
    await expect(folders).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(chooser).toBeHidden();
  });

  await test.step('out of a take', async () => {
    await openProject(app, page);
    await makeTakes(page, videoList(1), 1);
    const takes = await showTakes(page);
    await page.keyboard.press('Enter');
    const tooltip = await restOn(button(page, t('review.play')));
    await page.keyboard.press('Escape');
    await expect(takes).toBeVisible();
    await expect(tooltip).toBeHidden();
  });
});
