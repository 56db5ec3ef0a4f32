import { t } from '../../../src/contract/messages/words.ts';
import {
  anything,
  chooseList,
  csvFile,
  goTo,
  openProject,
  saying,
  settled,
  startBatch,
  takeCell,
} from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

const list = csvFile('stills.csv', [
  ['shot', 'kind', 'model', 'prompt', 'operation'],
  ['P01', 'image', 'image-demo', 'The lighthouse at dawn, woodcut', 'imagine'],
  ['T01', 'text', 'chat-demo', 'A line a lighthouse keeper says to nobody', ''],
  ['M01', 'music', 'music-demo', 'Slow cello over the sea', ''],
]);

/** What is made from a take in review: the buttons of a picture, its description, a longer piece of music; and a text. */
export const buttonsScene: Scene = {
  name: 'buttons',
  service: { media: 'real', speed: { imageMs: 100, textMs: 100, musicMs: 100, jitter: 0 } },
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'Lighthouse');
    await chooseList(page, list);
    await startBatch(page);
    await settled(page, 3);
    await goTo(page, t('place.review'));
    const cost = saying('review.oneTakeCost', { cost: anything });
    const takes = page.getByRole('grid', { name: t('group.takes') });
    await takes.getByRole('gridcell', { name: takeCell('P01', 1) }).click();
    await page.keyboard.press('Enter');
    const buttons = page.getByRole('toolbar', { name: t('review.takeButtons') });
    await buttons.waitFor();
    await camera.take('buttons-single');
    await buttons.getByRole('button', { name: 'U1' }).click();
    await page
      .getByRole('dialog', { name: t('review.pressButton', { name: 'U1' }) })
      .getByText(cost)
      .waitFor();
    await camera.take('buttons-press');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(t('review.describePicture'));
    await page.keyboard.press('Enter');
    const describing = page.getByRole('dialog', { name: saying('review.describeTake', { take: anything }) });
    await describing.getByText(t('common.priceUnknown')).first().waitFor();
    await camera.take('buttons-describe-price');
    await describing.getByRole('button', { name: t('review.describeJob') }).click();
    await describing.getByRole('button', { name: t('review.useInNewTake') }).waitFor();
    await camera.take('buttons-describe');
    await page.keyboard.press('Escape');
    const toGrid = page.getByRole('button', { name: t('review.backToGrid') });
    await toGrid.click();
    await takes.getByRole('gridcell', { name: takeCell('T01', 1) }).click();
    await page.keyboard.press('Enter');
    await toGrid.waitFor();
    await camera.take('buttons-text');
    await toGrid.click();
    await takes.getByRole('gridcell', { name: takeCell('M01', 1) }).click();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: t('review.continueHere') }).click();
    await page
      .getByRole('dialog', { name: saying('review.continueFrom', { time: anything }) })
      .getByText(cost)
      .waitFor();
    await camera.take('buttons-continue');
  },
};
