import { writeFileSync } from 'node:fs';
import { say } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, openProject, settled, startBatch } from './support/window.ts';

const SHOTS = 20;
const TAKES = 60;
test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

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
  await settled(page, `${TAKES} / ${TAKES} takes`);
  await app.service.faults.outage({ answer: 'refused' });

  await page.keyboard.press('g');
  await page.keyboard.press('r');
  const takes = page.getByRole('grid', { name: 'Takes' });
  await expect(takes).toBeFocused();
  const verdicts = ['4', 'p', 'x'];
  const judge = async (count: number) => {
    for (let index = 0; index < count; index += 1) await page.keyboard.press(verdicts[index % 3] ?? '');
  };
  await judge(30);
  await page.keyboard.press('Enter');
  await expect(page.getByText(`31 of ${TAKES}`)).toBeVisible();
  await judge(30);
  await expect(page.getByText(`${TAKES} of ${TAKES}`)).toBeVisible();
  await page.keyboard.press('Escape');
  const tally = page.getByText(say('review.tally', { picked: 20, rejected: 20, open: 20 }));
  await expect(tally).toBeVisible();

  await page.reload();
  await expect(tally).toBeVisible();
  const tile = (name: string) => takes.getByRole('gridcell', { name });
  await page.keyboard.press('Home');
  await expect(tile('S10 take 1')).toContainText('4 of 5');
  await expect(tile('S10 take 2')).toContainText('picked');
  await expect(tile('S10 take 3')).toContainText('rejected');
  await page.keyboard.press('End');
  await expect(tile('S29 take 3')).toContainText('rejected');
});
