import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { t } from '../../src/contract/messages/words.ts';
import { REVIEW_SUFFIX, type ReelReview } from '../../src/contract/reel-review.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  button,
  chooseFolder,
  chooseList,
  csvFile,
  dropFile,
  openInProject,
  press,
  runCommand,
  settled,
  showTakes,
  startBatch,
} from './support/window.ts';

test.use({ demo: { media: 'real' } });

test('a reel plays from disk without a request, and its review is merged with a choice where it differs @night', async ({
  app,
  page,
  browser,
}) => {
  await openInProject(app, page);
  await chooseList(
    page,
    csvFile('film.csv', [
      ['shot', 'kind', 'model', 'prompt', 'duration', 'size'],
      ['010', 'video', 'vgen-2.0-nt', 'A wave breaks over the rocks', '4', '480p'],
      ['020', 'image', 'image-demo', 'A hill', '', ''],
    ]),
  );
  await startBatch(page);
  await settled(page, 2);
  await showTakes(page);
  await press(page, 'Home', '2');
  const folder = app.path('for-anna');
  mkdirSync(folder);
  await runCommand(page, t('reel.exportDots'));
  const dialog = page.getByRole('dialog', { name: t('reel.export') });
  await dialog.getByRole('radio', { name: t('reel.selects', { name: 'shown' }) }).check();
  await button(dialog, t('review.chooseFolder')).click();
  await chooseFolder(page, folder, 'Make reel in “for-anna”');
  await expect(dialog).toBeHidden();

  const reel = await browser.newPage({ acceptDownloads: true, hasTouch: true });
  const requests: string[] = [];
  const troubles: string[] = [];
  reel.on('request', (request) => requests.push(request.url()));
  reel.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  reel.on('pageerror', (error) => troubles.push(error.message));
  await reel.context().setOffline(true);
  await reel.goto(pathToFileURL(join(folder, 'Film reel', 'index.html')).href);
  const position = reel.locator('#position');
  await expect(position).toHaveText('1 of 2 · 0f');
  await press(reel, 'ArrowRight', 'ArrowRight', 'ArrowLeft');
  await expect(position).toHaveText('1 of 2 · 1f');
  await button(reel, t('reel.stars', { stars: '4' })).tap();
  await button(reel, t('review.pick')).tap();
  await reel.getByLabel(t('reel.noteHere')).fill('Hold longer </script>');
  await reel.keyboard.press('Enter');
  await expect(reel.locator('#notes li')).toHaveText(/^1f · Hold longer/);
  await button(reel, t('review.play')).tap();
  await expect(position).toHaveText('2 of 2', { timeout: 15_000 });
  await expect(reel.getByRole('img', { name: '020' })).toBeVisible();
  await button(reel, t('reel.save')).tap();
  await expect(reel.getByRole('status')).toHaveText(t('reel.reviewerNeeded'));
  await reel.getByLabel(t('reel.reviewer')).fill('Anna');
  await reel.reload();
  await expect(reel.getByLabel(t('reel.reviewer'))).toHaveValue('Anna');
  const saving = reel.waitForEvent('download');
  await button(reel, t('reel.save')).tap();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe(`Film-Anna${REVIEW_SUFFIX}`);
  const content = readFileSync(await saved.path(), 'utf8');
  const { takes } = JSON.parse(content) as ReelReview;
  expect(takes).toMatchObject([{ rating: 4, flag: 'pick', notes: [{ from: 1, text: 'Hold longer </script>' }] }]);
  expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('blob:'))).toEqual([]);
  expect(troubles).toEqual([]);
  await reel.context().close();

  await dropFile(page, '#main', saved.suggestedFilename(), content, 'application/json');
  const merge = page.getByRole('dialog', { name: t('reel.merge') });
  await expect(merge).toContainText('Hold longer </script>');
  await expectAccessible(page);
  await merge.getByText(t('reel.takeTheirs'), { exact: true }).click();
  await button(merge, t('reel.mergeTakes', { count: 1 })).click();
  await expect(merge).toBeHidden();
  await expect(page.getByText(t('review.tally', { picked: 1, alternates: 0, rejected: 0, open: 1 }))).toBeVisible();
  await press(page, 'Control+z');
  await expect(page.getByText(t('review.tally', { picked: 0, alternates: 0, rejected: 0, open: 2 }))).toBeVisible();
  await dropFile(page, '#main', `bad${REVIEW_SUFFIX}`, '{}', 'application/json');
  await expect(page.getByText(t('reel.notReview'))).toBeVisible();
});
