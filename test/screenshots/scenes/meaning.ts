import type { Page } from '@playwright/test';
import {
  anything,
  chooseList,
  csvFile,
  goTo,
  openProject,
  saying,
  settled,
  startBatch,
} from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';
import { t } from '../../../src/contract/messages/words.ts';

const PROMPTS = [
  'A storm over the harbour at night, the lighthouse beam in the rain',
  'A child eats an apple on the quay',
  'The harbour in the morning, fog on still water',
  'Waves break on the harbour wall in a storm',
  'A tram waits at noon, nobody on board',
  'Gulls follow the trawler home',
  'The keeper winds the clockwork of the lamp',
  'Close on oil-stained hands and brass polish',
  'A cello alone in a wide room',
  'Night market under paper lanterns',
  'The causeway two hours before it is covered',
  'A dog sleeps in a doorway out of the wind',
];

const list = csvFile('lighthouse.csv', [
  ['shot', 'kind', 'model', 'prompt'],
  ...PROMPTS.map((prompt, index) => [String((index + 1) * 10).padStart(3, '0'), 'image', 'image-demo', prompt]),
]);

const bar = (page: Page) => page.getByRole('region', { name: t('review.searchByMeaning') });

/** Review as it is searched by meaning: not set up, to be indexed, failed, found. */
export const meaningScene: Scene = {
  name: 'meaning',
  service: { media: 'real', speed: { imageMs: 100, jitter: 0 } },
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'Lighthouse');
    await chooseList(page, list);
    await startBatch(page);
    await settled(page, PROMPTS.length);
    await goTo(page, t('place.review'));
    await page.keyboard.press('Shift+s');
    await bar(page)
      .getByRole('combobox', { name: t('review.embeddingModel') })
      .waitFor();
    await camera.take('meaning-empty');
    await bar(page)
      .getByRole('combobox', { name: t('review.embeddingModel') })
      .fill('embed-demo');
    await bar(page)
      .getByRole('button', { name: t('review.useModel') })
      .click();
    await bar(page)
      .getByText(saying('review.textsToIndex', { count: PROMPTS.length, cost: anything }))
      .waitFor();
    await camera.take('meaning-new');
    app.service.faults.add({ match: { path: '/v1/embeddings' }, do: { fault: 'reset', commit: true } });
    await bar(page)
      .getByRole('button', { name: t('review.indexTexts', { count: PROMPTS.length }) })
      .click();
    await bar(page).getByRole('alert').waitFor();
    await camera.take('meaning-failed');
    await bar(page)
      .getByRole('button', { name: t('common.sendAgain') })
      .click();
    await bar(page)
      .getByText(saying('review.meaningFree', { count: PROMPTS.length, cost: anything }))
      .waitFor();
    await page.getByRole('searchbox', { name: t('review.searchByMeaning') }).fill('bad weather at the harbour');
    await page.keyboard.press('Enter');
    await bar(page)
      .getByText(saying('review.meaningNearest', { count: PROMPTS.length, cost: anything }))
      .waitFor();
    await camera.take('meaning-found');
  },
};
