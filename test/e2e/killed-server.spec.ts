import { t } from '../../src/contract/messages/words.ts';
import { holdTasks } from '../support/held-tasks.ts';
import { expect, isDesktop, test } from './support/app.ts';
import {
  chooseList,
  csvFile,
  filesUnder,
  goTo,
  openProject,
  settled,
  startBatch,
  videoList,
} from './support/window.ts';

const SENT = 5;
const WAITING = 8;
const ALL = SENT + WAITING;
// There the window goes with the app; what is left of the promise is shown by test/faults and test/main.
test.skip(isDesktop, 'the window outlives the server in a browser only');

test('a batch that is paused when the server is killed stays so after a restart, goes on when told, and pays for nothing twice', async ({
  app,
  page,
}) => {
  const { ledger } = app.service;
  // Tasks are at work at the service as long as nobody follows them.
  const release = holdTasks(app.service);
  await app.open();
  const folder = await openProject(app, page);
  await chooseList(page, videoList(SENT));
  await startBatch(page);
  // Nothing is under way when the server is killed: what became of that would be for a person to decide.
  await expect.poll(() => ledger.commits).toBe(SENT);
  await expect.poll(() => ledger.posts().filter(({ ending }) => ending === 'pending')).toEqual([]);
  await page.getByRole('button', { name: t('queue.pause') }).click();
  await expect(page.getByRole('banner').getByRole('button', { name: t('queue.resume') })).toBeVisible();
  await chooseList(
    page,
    csvFile('night.csv', [
      ['shot', 'kind', 'model', 'prompt', 'duration'],
      ...Array.from({ length: WAITING }, (_none, index) => [
        `N${index}`,
        'video',
        'vgen-2.0-nt',
        `Night ${index}`,
        '4',
      ]),
    ]),
  );
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await expect(page.getByText(t('queue.pausedHint'))).toBeVisible();

  await app.kill();
  // At the top, and in the list when it asks just then.
  const away = page.getByText(t('window.noAnswer'), { exact: true }).first();
  await expect(away).toBeVisible();

  // What opened the run before opens nothing any more. Once a new window is there, this one goes on.
  await app.start();
  await expect(page.getByText(t('window.restarted'), { exact: true }).first()).toBeVisible();
  await (await page.context().newPage()).goto(app.entry);
  release();
  const progress = t('window.progress', { done: SENT, total: ALL });
  await expect(page.getByRole('banner').getByText(progress, { exact: true })).toBeVisible({ timeout: 120_000 });
  expect(ledger.commits).toBe(SENT);
  await expect(page.getByText(t('queue.pausedHint'))).toBeVisible();
  await page
    .getByRole('banner')
    .getByRole('button', { name: t('queue.resume') })
    .click();
  await settled(page, ALL);
  await expect(page.getByText(/^Finished$|takes finished$/).first()).toBeVisible();

  const paid = ledger.billableCommits().map(({ body }) => (body as { prompt: string }).prompt);
  expect(new Set(paid).size).toBe(ALL);
  expect(paid).toHaveLength(ALL);
  expect(filesUnder(folder, '.mp4')).toHaveLength(ALL);
});
