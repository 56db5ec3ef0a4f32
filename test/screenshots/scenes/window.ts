import { t } from '../../../src/contract/messages/words.ts';
import { chooseList, closedWindow, goTo, openProject, startBatch, videoList } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

/** A project with a night window that is closed: where it is set, where a batch starts, and what waits. */
export const windowScene: Scene = {
  name: 'window',
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'The Keeper');
    await goTo(page, t('place.projects'));
    await camera.take('window-none');
    await page.getByRole('button', { name: t('night.set') }).click();
    const dialog = page.getByRole('dialog');
    const { opens, closes } = closedWindow();
    await dialog.getByLabel(t('night.from')).fill(opens);
    await dialog.getByLabel(t('night.to')).fill(closes);
    await dialog.getByRole('combobox', { name: t('night.timeZone') }).fill('Etc/UTC');
    await dialog.getByLabel(t('night.from')).focus();
    await camera.take('window-dialog');
    await dialog.getByRole('button', { name: t('common.save') }).click();
    await page.getByRole('button', { name: t('gate.startNow') }).waitFor();
    await camera.take('window-set');
    await chooseList(page, videoList(40));
    await page.getByRole('button', { name: t('start.start') }).click();
    await dialog.getByRole('status').waitFor();
    await camera.take('window-start');
    await page.keyboard.press('Escape');
    await startBatch(page);
    await goTo(page, t('place.queue'));
    await page.getByText(t('gate.windowClosed')).first().waitFor();
    await camera.take('window-queue');
  },
};
