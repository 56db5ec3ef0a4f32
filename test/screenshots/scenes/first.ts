import { say } from '../../../src/contract/messages/words.ts';
import { mkdirSync } from 'node:fs';
import { goTo, openProject } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

/** Before there is anything: what a person sees in the first minutes. */
export const firstScene: Scene = {
  name: 'first',
  play: async ({ app, page, camera }) => {
    await app.open();
    await camera.take('first-projects');
    await goTo(page, 'Queue');
    await camera.take('first-queue');
    await goTo(page, 'Library');
    await page.getByRole('button', { name: 'Upload files' }).waitFor();
    await camera.take('first-library');
    await goTo(page, 'Settings');
    await camera.take('first-settings');
    await page.keyboard.press('Control+k');
    await camera.take('first-palette');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+?');
    await camera.take('first-keys');
    await page.keyboard.press('Escape');

    await goTo(page, 'Projects');
    for (const name of ['Harbour film', 'Keeper', 'مشروع المنارة']) mkdirSync(app.path(name));
    await page.getByRole('button', { name: /^Open or create/ }).click();
    await page.getByRole('textbox', { name: 'Folder', exact: true }).fill(app.folder);
    await page.getByRole('textbox', { name: 'Folder', exact: true }).press('Enter');
    await page.getByRole('option', { name: 'Harbour film' }).click();
    await camera.take('first-folder');
    await page.keyboard.press('Escape');
    await openProject(app, page, 'The Keeper');
    await goTo(page, say('place.batch'));
    await camera.take('first-batch');
    await goTo(page, 'Review');
    await camera.take('first-review');
  },
};
