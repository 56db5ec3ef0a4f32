import { writeFileSync } from 'node:fs';
import { t, setLanguage } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, spokenHere, test } from './support/app.ts';
import {
  chooseList,
  csvFile,
  openProject,
  pressInTurn,
  runCommand,
  settled,
  startBatch,
  takeCell,
} from './support/window.ts';

const SHOTS = 20;
const TAKES = 60;
test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

for (const language of spokenHere) {
  test.describe(language, () => {
    test.skip(isDesktop && language !== 'en', 'The app speaks the language of its system.');
    test.use({ locale: language });
    test.beforeEach(() => setLanguage(language));
    test.afterEach(() => setLanguage('en'));

    test('sixty takes are judged by keyboard alone with the service gone, and the verdicts survive a reload', async ({
      app,
      page,
    }) => {
      writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ maxRate: { submit: 50 } }));
      await app.open();
      await openProject(app, page);
      const shots = Array.from({ length: SHOTS }, (_none, index) => `S${index + 10}`);
      await chooseList(
        page,
        csvFile('stills.csv', [
          ['shot', 'kind', 'model', 'prompt', 'takes'],
          ...shots.map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`, '3']),
        ]),
      );
      await startBatch(page);
      await settled(page, TAKES);
      await app.service.faults.outage({ answer: 'refused' });

      await pressInTurn(page, 'g', 'r');
      const takes = page.getByRole('grid', { name: t('group.takes') });
      await expect(takes).toBeFocused();
      // A rating stays at its take unless it is told to go on.
      await runCommand(page, t('review.advanceAfterStars'));
      await expect(takes).toBeFocused();
      const verdicts = ['4', 'p', 'x'];
      const judge = async (count: number) => {
        for (let index = 0; index < count; index += 1) await page.keyboard.press(verdicts[index % 3] ?? '');
      };
      await judge(30);
      await page.keyboard.press('Enter');
      await expect(page.getByText(t('common.countOf', { done: 31, total: TAKES }), { exact: true })).toBeVisible();
      await judge(30);
      await expect(page.getByText(t('common.countOf', { done: TAKES, total: TAKES }), { exact: true })).toBeVisible();
      await page.keyboard.press('Escape');
      const tally = page.getByText(t('review.tally', { picked: 20, alternates: 0, rejected: 20, open: 20 }));
      await expect(tally).toBeVisible();

      await page.reload();
      await expect(tally).toBeVisible();
      await expect(takes).toBeFocused();
      const tile = (shot: string, take: number) => takes.getByRole('gridcell', { name: takeCell(shot, take) });
      await page.keyboard.press('Home');
      await expect(tile('S10', 1)).toContainText(t('review.stars', { stars: 4 }));
      await expect(tile('S10', 2)).toContainText(t('review.picked'));
      await expect(tile('S10', 3)).toContainText(t('review.rejected'));
      await page.keyboard.press('End');
      await expect(tile('S29', 3)).toContainText(t('review.rejected'));
    });
  });
}
