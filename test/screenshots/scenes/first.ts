import { t } from '../../../src/contract/messages/words.ts';
import { mkdirSync } from 'node:fs';
import { goTo, openProject, openProjectButton } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

/** Before there is anything: what a person sees in the first minutes. */
export const firstScene: Scene = {
  name: 'first',
  play: async ({ app, page, camera }) => {
    await app.open();
    await camera.take('first-projects');
    await goTo(page, t('place.queue'));
    await camera.take('first-queue');
    await goTo(page, t('place.library'));
    await page.getByRole('button', { name: t('library.uploadFiles') }).waitFor();
    await camera.take('first-library');
    await goTo(page, t('place.settings'));
    await camera.take('first-settings');
    await page.keyboard.press('Control+k');
    await camera.take('first-palette');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+?');
    await camera.take('first-keys');
    await page.keyboard.press('Escape');

    await goTo(page, t('place.projects'));
    for (const name of ['Harbour film', 'Keeper', 'مشروع المنارة']) mkdirSync(app.path(name));
    await openProjectButton(page).click();
    await page.getByRole('textbox', { name: t('common.folder'), exact: true }).fill(app.folder);
    await page.getByRole('textbox', { name: t('common.folder'), exact: true }).press('Enter');
    await page.getByRole('option', { name: 'Harbour film' }).click();
    await camera.take('first-folder');
    await page.keyboard.press('Escape');
    await openProject(app, page, 'The Keeper');
    await goTo(page, t('place.batch'));
    await camera.take('first-batch');
    await goTo(page, t('place.review'));
    await camera.take('first-review');
  },
};
