import { say } from '../../../src/contract/messages/words.ts';
import { chooseList, goTo, openProject, settled, startBatch, videoList } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

/** The takes of each shot in the batch; putting takes away; what lies in the trash. */
export const trashScene: Scene = {
  name: 'trash',
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'The Keeper');
    await chooseList(page, videoList(8));
    await startBatch(page);
    await settled(page, 8);
    await goTo(page, say('place.review'));
    const takes = page.getByRole('grid', { name: say('group.takes') });
    await takes.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('p');
    await goTo(page, say('place.batch'));
    await page
      .getByRole('group', { name: say('batch.contactStrip') })
      .first()
      .waitFor();
    await camera.take('trash-contact-strip');
    await goTo(page, say('place.review'));
    await takes.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText(say('review.countSelected', { count: 8 })).waitFor();
    await page.keyboard.press('Control+Backspace');
    await page.getByRole('dialog').waitFor();
    await camera.take('trash-move');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type(say('trash.showTrash'));
    await page.keyboard.press('Enter');
    await takes.getByRole('gridcell').first().waitFor();
    await camera.take('trash');
    await page.getByRole('button', { name: say('trash.emptyTrash'), exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await camera.take('trash-empty');
  },
};
