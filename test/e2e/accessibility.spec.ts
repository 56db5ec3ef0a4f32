import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import { t, setLanguage, withDots } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, isNightly, spokenHere, test, wear } from './support/app.ts';
import {
  anyCount,
  chooseFiles,
  chooseList,
  csvFile,
  goTo,
  openProject,
  saying,
  settled,
  startBatch,
  takeCell,
  videoList,
} from './support/window.ts';

/**
 * Nothing is in the way in either theme. Only colours differ between them, which the nightly run looks at; the page is left
 * in the dark one.
 */
async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  if (isNightly) {
    await wear(page, 'light');
    await expectAccessible(page, ['color-contrast']);
  }
  await wear(page, 'dark');
  await expectAccessible(page);
}

/** Opens something over the view, looks at it in both themes, and closes it again. */
async function expectAccessibleOver(page: Page, open: () => Promise<unknown>, role: 'dialog' | 'menu' | 'listbox') {
  await open();
  const over: Locator = page.getByRole(role).last();
  await expect(over).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Escape');
  await expect(over).toBeHidden();
}

for (const language of spokenHere) {
  test.describe(`nothing keeps anybody from using, in ${language},`, () => {
    test.slow();
    test.skip(isDesktop && language !== 'en', 'The app speaks the language of its system.');
    test.use({ locale: language });
    test.beforeEach(() => setLanguage(language));
    test.afterEach(() => setLanguage('en'));

    test('the window before there is a project @night', async ({ app, page }) => {
      await app.openInSystemTheme();
      for (const view of [t('place.projects'), t('place.queue'), t('place.spending'), t('place.settings')]) {
        await goTo(page, view);
        await expectAccessibleInBothThemes(page);
      }
      for (const section of await page
        .getByRole('navigation', { name: t('place.settings') })
        .getByRole('button')
        .all()) {
        await section.press('Enter');
        await expect(section).toHaveAttribute('aria-current', 'page');
        await expectAccessibleInBothThemes(page);
      }
      await expectAccessibleOver(page, () => page.keyboard.press('ControlOrMeta+k'), 'dialog');
      await expectAccessibleOver(page, () => page.keyboard.press('Shift+?'), 'dialog');
    });

    test('the views of an empty project, and what begins a batch @night', async ({ app, page }) => {
      await app.openInSystemTheme();
      await openProject(app, page);
      for (const view of [t('place.projects'), t('place.batch'), t('place.review'), t('place.library')]) {
        await goTo(page, view);
        await expectAccessibleInBothThemes(page);
      }
      await goTo(page, t('place.projects'));
      await expectAccessibleOver(page, () => page.getByRole('button', { name: t('night.set') }).click(), 'dialog');
      await goTo(page, t('place.batch'));
      const press = (name: string) => page.getByRole('button', { name }).click();
      await expectAccessibleOver(page, () => press(t('batch.describeShot')), 'dialog');
      await expectAccessibleOver(page, () => press(t('batch.pasteList')), 'dialog');
      await expectAccessibleOver(page, () => press(t('batch.getTemplate')), 'menu');
      await page.getByRole('button', { name: t('queue.pause') }).hover();
      await expect(page.getByRole('tooltip').or(page.locator('[data-tooltip-content]')).first()).toBeVisible();
      await expectAccessible(page);
    });

    test('the tools of a shot list and the pages of a project, by keys alone @night', async ({ app, page }) => {
      await app.openInSystemTheme();
      await openProject(app, page);
      const shots = await chooseList(page, videoList(3));
      await expect(shots).toBeFocused();
      const run = async (title: string): Promise<void> => {
        await page.keyboard.press('ControlOrMeta+k');
        await page.keyboard.type(title);
        await expect(page.getByRole('option').first()).toBeVisible();
        await page.keyboard.press('Enter');
      };
      await page.keyboard.press('Shift+ArrowDown');
      for (const open of [
        () => page.keyboard.press('ControlOrMeta+Shift+e'),
        () => run(t('list.promptLibrary')),
        () => run(t('list.presets')),
      ]) {
        await expectAccessibleOver(page, open, 'dialog');
        await expect(shots).toBeFocused();
      }
      await page.keyboard.press('ControlOrMeta+h');
      const bar = page.getByRole('search', { name: t('list.findInList') });
      await expect(bar).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await expect(bar).toBeHidden();
      await expect(shots).toBeFocused();
      await page.keyboard.press('ControlOrMeta+i');
      await expect(page.getByRole('complementary').getByRole('textbox').first()).toBeVisible();
      await expectAccessibleInBothThemes(page);

      for (const [title, region] of [
        [t('window.showProjectFacts'), t('projects.factsOf', { project: 'Film' })],
        [t('projects.historyShow'), t('projects.history')],
      ] as const) {
        await run(title);
        const shown = page.getByRole('region', { name: region, exact: true });
        await expect(shown).toBeVisible();
        await expectAccessibleInBothThemes(page);
        await page.keyboard.press('Escape');
        await expect(shown).toBeHidden();
      }
    });

    test('the views of a project with takes, failures and decisions', async ({ app, page }) => {
      const { faults } = app.service;
      faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'reset', commit: true } });
      faults.add({ match: { method: 'POST', prompt: '0020' }, do: { fault: 'status', status: 400 } });
      await app.openInSystemTheme();
      await openProject(app, page);
      const shots = await chooseList(page, videoList(6));
      await expect(shots).toBeFocused();
      await expectAccessibleInBothThemes(page);
      await expect(page.getByRole('button', { name: t('start.start') })).toBeEnabled();
      await expectAccessibleOver(page, () => page.getByRole('button', { name: t('start.start') }).click(), 'dialog');
      await page.getByRole('button', { name: t('queue.pause') }).click();
      await startBatch(page);
      await goTo(page, t('place.queue'));
      await expectAccessibleOver(
        page,
        () => page.getByRole('button', { name: withDots('common.stop') }).click(),
        'dialog',
      );
      await page
        .getByRole('banner')
        .getByRole('button', { name: t('queue.resume') })
        .click();
      await goTo(page, t('place.batch'));
      // Once more: from the batch that was started to all of them.
      await goTo(page, t('place.batch'));
      await page.getByRole('button', { name: 'shots', exact: true }).click();
      await expect(
        page.getByRole('button', { name: t('common.standingCount', { standing: 'saved', count: 4 }), exact: true }),
      ).toBeVisible();
      await expect(
        page.getByRole('button', { name: t('common.standingCount', { standing: 'failed', count: 1 }), exact: true }),
      ).toBeVisible();
      await expectAccessibleInBothThemes(page);
      for (const view of [t('place.projects'), t('place.queue'), t('place.spending'), t('place.review')]) {
        await goTo(page, view);
        await expectAccessibleInBothThemes(page);
      }
      await goTo(page, t('place.spending'));
      await page.getByRole('tab', { name: t('stats.title') }).click();
      await expect(page.getByRole('img', { name: t('stats.success') })).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await goTo(page, t('place.review'));
      await page.getByRole('grid', { name: t('group.takes') }).press('Enter');
      await expect(page.getByRole('toolbar', { name: t('group.verdict') })).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await goTo(page, t('place.queue'));
      await page.getByRole('tab', { name: t('state.needsDecision') }).click();
      await page.getByRole('grid').getByRole('row').nth(1).click();
      await expectAccessibleOver(
        page,
        () =>
          page
            .getByRole('toolbar', { name: t('queue.selectedTakes') })
            .getByRole('button', { name: t('common.decide') })
            .click(),
        'dialog',
      );
    });

    test('takes side by side, wiped and heard, and the dialogs of review @night', async ({ app, page }) => {
      await app.openInSystemTheme();
      await openProject(app, page);
      await chooseList(
        page,
        csvFile('mixed.csv', [
          ['shot', 'kind', 'model', 'prompt', 'duration', 'takes'],
          ['010', 'image', 'image-demo', 'A poster', '', '2'],
          ['020', 'video', 'vgen-2.0-nt', 'A wave', '4', '2'],
          ['030', 'music', 'music-demo', 'Low brass', '', '1'],
        ]),
      );
      await startBatch(page);
      await settled(page, 5);
      await goTo(page, t('place.review'));
      await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();
      await expectAccessibleOver(page, () => page.keyboard.press('n'), 'dialog');
      await expectAccessibleOver(page, () => page.keyboard.press('t'), 'dialog');
      await expectAccessibleOver(page, () => page.keyboard.press('Shift+V'), 'dialog');
      await expectAccessibleOver(
        page,
        () => page.getByRole('button', { name: t('review.savedViews') }).click(),
        'menu',
      );
      await page.getByRole('grid', { name: t('group.takes') }).focus();
      await expectAccessibleOver(page, () => page.keyboard.press('e'), 'dialog');
      await expectAccessibleOver(page, () => page.keyboard.press('ControlOrMeta+Shift+Enter'), 'dialog');
      await expectAccessibleOver(
        page,
        () => page.getByRole('combobox', { name: t('common.order') }).click(),
        'listbox',
      );
      await page.getByRole('grid', { name: t('group.takes') }).focus();
      await page.keyboard.press('s');
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('s');
      await page.keyboard.press('Home');
      await page.keyboard.press('c');
      await expect(page.getByText(t('review.comparing', { count: 2 }))).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('w');
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await page.getByRole('gridcell', { name: takeCell('020', 1) }).click();
      await page.keyboard.press('c');
      await expect(page.getByRole('toolbar', { name: t('group.player') })).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await page.getByRole('gridcell', { name: takeCell('030', 1) }).dblclick();
      await expect(page.getByRole('toolbar', { name: t('group.player') })).toBeVisible();
      await expectAccessibleInBothThemes(page);
    });

    test('a list with defects, and everything that opens beside it and over it @night', async ({ app, page }) => {
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
      await page.getByRole('button', { name: saying('batch.errors', { count: anyCount }) }).waitFor();
      await expectAccessibleInBothThemes(page);
      for (const pane of [t('list.defects'), t('list.columns')]) {
        await page.getByRole('button', { name: pane, exact: true }).click();
        await expect(page.getByRole('complementary', { name: pane })).toBeVisible();
        await expectAccessibleInBothThemes(page);
      }
      await grid.focus();
      await page.keyboard.press('ControlOrMeta+f');
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('F2');
      await expect(page.getByRole('combobox', { name: 'kind', exact: true })).toBeFocused();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('Escape');
      await expectAccessibleOver(page, () => grid.getByRole('gridcell').first().click({ button: 'right' }), 'menu');
      await expectAccessibleOver(page, () => page.getByRole('button', { name: t('menu.more') }).click(), 'menu');
      await expectAccessibleOver(page, () => page.keyboard.press('ControlOrMeta+k'), 'dialog');
      await expectAccessibleOver(page, () => page.keyboard.press('Shift+?'), 'dialog');
    });

    test('a library with assets, uploads and failures, and its dialogs @night', async ({ app, page }) => {
      const failed = { fault: 'asset-outcome', end: 'failed', message: 'too small' } as const;
      app.service.faults.add({ match: { path: '/v1/assets/uploads' }, do: failed });
      await app.openInSystemTheme();
      await goTo(page, t('place.library'));
      const background = { r: 40, g: 90, b: 140 };
      const choose = async () => {
        const upload = page.getByRole('main').getByRole('button', { name: t('library.upload'), exact: true });
        const files = ['harbour.png', 'منارة.png'].map(async (name, index) => ({
          name,
          mimeType: 'image/png',
          buffer: await sharp({ create: { width: 64 + index, height: 48, channels: 3, background } })
            .png()
            .toBuffer(),
        }));
        await chooseFiles(upload, await Promise.all(files));
      };
      await expectAccessibleOver(
        page,
        () => page.getByRole('button', { name: t('library.newGroup') }).click(),
        'dialog',
      );
      await expectAccessibleOver(
        page,
        () => page.getByRole('button', { name: t('library.addFromAddress') }).click(),
        'dialog',
      );
      await expectAccessibleOver(page, choose, 'dialog');
      await choose();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: t('library.upload'), exact: true })
        .click();
      await expect(page.getByRole('region', { name: t('library.uploads') })).toContainText(
        t('library.uploadsDone', { count: 2 }),
      );
      await page.getByRole('row').filter({ hasText: 'harbour' }).click();
      await expect(page.getByRole('complementary', { name: /harbour/ })).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await page.keyboard.press('v');
      await expect(page.getByRole('gridcell', { selected: true })).toContainText('harbour');
      await expectAccessibleInBothThemes(page);
    });
  });
}
