import { t } from '../../../src/contract/messages/words.ts';
import { chooseList, goTo, openProject, pictured, settled, startBatch } from '../../e2e/support/window.ts';
import { sampleList } from '../sample-list.ts';
import type { Scene } from '../stage.ts';

/** The takes of each shot in the batch; putting takes away; what lies in the trash. */
export const trashScene: Scene = {
  name: 'trash',
  service: { media: 'real', speed: { videoMs: 500, imageMs: 500, musicMs: 500 } },
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'The Keeper');
    await chooseList(page, sampleList);
    await startBatch(page);
    await settled(page, sampleList.takes);
    await goTo(page, t('place.review'));
    const takes = page.getByRole('grid', { name: t('group.takes') });
    await takes.getByRole('gridcell').first().waitFor();
    await pictured(takes);
    for (const key of ['p', 'x', '4', 'p', 'x', '5']) await page.keyboard.press(key);
    await goTo(page, t('place.batch'));
    await page
      .getByRole('group', { name: t('batch.contactStrip') })
      .first()
      .waitFor();
    await page.waitForTimeout(600);
    await camera.take('trash-contact-strip');
    await page.getByRole('combobox', { name: t('common.groups') }).click();
    await page.getByRole('option', { name: t('review.groupByColumn', { column: 'scene' }) }).click();
    await camera.take('trash-batch-groups');
    await goTo(page, t('place.queue'));
    await page.getByRole('combobox', { name: t('queue.projectShown') }).click();
    await page.getByRole('option', { name: 'The Keeper' }).click();
    await page.getByRole('tab', { name: new RegExp(`^${t('queue.groupDone')}`) }).click();
    await page.getByRole('combobox', { name: t('common.groups') }).click();
    await page.getByRole('option', { name: t('review.groupBy', { by: 'batch' }) }).click();
    await page.getByRole('grid', { name: t('queue.groupDone') }).waitFor();
    await camera.take('trash-queue-groups');
    await goTo(page, t('place.review'));
    await takes.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText(t('common.countSelected', { count: sampleList.takes })).waitFor();
    await page.keyboard.press('Control+Backspace');
    await page.getByRole('dialog').waitFor();
    await camera.take('trash-move');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type(t('trash.showTrash'));
    await page.keyboard.press('Enter');
    await takes.getByRole('gridcell').first().waitFor();
    await camera.take('trash');
    await page.getByRole('button', { name: t('trash.emptyTrash'), exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await camera.take('trash-empty');
  },
};
