import { say } from '../../../src/contract/messages/words.ts';
import { chooseList, closedWindow, goTo, openProject, startBatch, videoList } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

/** A project with a night window that is closed: where it is set, where a batch starts, and what waits. */
export const windowScene: Scene = {
  name: 'window',
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'The Keeper');
    await goTo(page, say('place.projects'));
    await camera.take('window-none');
    await page.getByRole('button', { name: say('night.set') }).click();
    const dialog = page.getByRole('dialog');
    const { opens, closes } = closedWindow();
    await dialog.getByLabel(say('night.from')).fill(opens);
    await dialog.getByLabel(say('night.to')).fill(closes);
    await dialog.getByRole('combobox', { name: say('night.timeZone') }).fill('Etc/UTC');
    await dialog.getByLabel(say('night.from')).focus();
    await camera.take('window-dialog');
    await dialog.getByRole('button', { name: say('common.save') }).click();
    await page.getByRole('button', { name: say('gate.startNow') }).waitFor();
    await camera.take('window-set');
    await chooseList(page, videoList(40));
    await page.getByRole('button', { name: say('start.start') }).click();
    await dialog.getByRole('status').waitFor();
    await camera.take('window-start');
    await page.keyboard.press('Escape');
    await startBatch(page);
    await goTo(page, say('place.queue'));
    await page.getByText(say('gate.windowClosed')).first().waitFor();
    await camera.take('window-queue');
  },
};
