import { anything, chooseList, csvFile, goTo, openProject, saying } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';
import { t } from '../../../src/contract/messages/words.ts';

const list = csvFile('lighthouse.csv', [
  ['shot', 'kind', 'model', 'prompt', 'notes'],
  ['010', 'image', 'image-demo', 'The lighthouse beam in fog', 'No lamp in the frame'],
  ['020', 'image', 'image-demo', 'Gulls follow the trawler home', ''],
  ['030', 'image', 'image-demo', 'The keeper winds the clockwork', ''],
]);

/** Research of a project: nothing asked, failed, found, kept, a page read, and a clipping on its way into notes. */
export const researchScene: Scene = {
  name: 'research',
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'Lighthouse');
    await chooseList(page, list);
    await goTo(page, t('place.research'));
    await page.getByText(saying('research.eachCall', { price: anything })).waitFor();
    await camera.take('research-empty');
    const question = page.getByRole('textbox', { name: t('research.question') });
    await question.fill('how a lighthouse looks in the harbour');
    app.service.faults.add({ match: { path: '/v1/web-search' }, do: { fault: 'reset', commit: true } });
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await camera.take('research-failed');
    await page.getByRole('button', { name: t('common.sendAgain') }).click();
    const results = page.getByRole('grid', { name: t('research.results') });
    await results.getByRole('row').first().waitFor();
    await results.focus();
    await page.keyboard.press('k');
    await results.getByText(t('research.kept')).waitFor();
    await camera.take('research-found');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    await results.getByText(t('research.kept')).nth(1).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    await page
      .getByText(t('research.paidEarlier'))
      .or(page.getByRole('document', { name: t('common.text') }))
      .first()
      .waitFor();
    await page.waitForTimeout(1000);
    await camera.take('research-page');
    await page.keyboard.press('c');
    await page
      .getByRole('grid', { name: t('research.clippings') })
      .getByRole('row')
      .nth(1)
      .waitFor();
    await camera.take('research-clippings');
    await page.keyboard.press('n');
    await page.getByRole('checkbox', { name: /010/ }).check();
    await camera.take('research-notes');
  },
};
