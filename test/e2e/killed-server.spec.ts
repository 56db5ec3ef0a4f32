import { expect, isDesktop, test } from './support/app.ts';
import { chooseList, filesUnder, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

const SHOTS = 16;
// There the window goes with the app; what is left of the promise is shown by test/faults and test/main.
test.skip(isDesktop, 'the window outlives the server in a browser only');
/** So slow that tasks are at work at the service while nobody follows them. */
test.use({ demo: { speed: { videoMs: 2500, jitter: 0 } } });

test('a batch that is paused when the server is killed stays so after a restart, goes on when told, and pays for nothing twice', async ({
  app,
  page,
}) => {
  const { ledger } = app.service;
  await app.open();
  const folder = await openProject(app, page);
  await chooseList(page, videoList(SHOTS));
  await startBatch(page);
  await expect.poll(() => ledger.commits).toBeGreaterThan(3);
  await page.getByRole('button', { name: 'Pause the queue' }).click();
  await goTo(page, 'Queue');
  await expect(page.getByText('Paused: nothing new is sent')).toBeVisible();
  await expect(page.getByRole('grid').getByText('sending')).toHaveCount(0);
  const sent = ledger.commits;
  expect(sent).toBeLessThan(SHOTS);

  await app.kill();
  const away = page.getByText('Dailies does not answer.', { exact: true });
  await expect(away).toBeVisible();

  // What opened the run before opens nothing any more. Once a new window is there, this one goes on.
  await app.start();
  await expect(page.getByText('Dailies was started again.', { exact: true })).toBeVisible({ timeout: 30_000 });
  await (await page.context().newPage()).goto(app.entry);
  await settled(page, `${sent} / ${SHOTS} takes`);
  expect(ledger.commits).toBe(sent);
  await expect(page.getByText('Paused: nothing new is sent')).toBeVisible();
  await page.getByRole('banner').getByRole('button', { name: 'Resume the queue' }).click();
  await settled(page, `${SHOTS} / ${SHOTS} takes`);
  await expect(page.getByText(/^All settled$|takes settled$/).first()).toBeVisible();

  const paid = ledger.billableCommits().map(({ body }) => (body as { prompt: string }).prompt);
  expect(new Set(paid).size).toBe(SHOTS);
  expect(paid).toHaveLength(SHOTS);
  expect(filesUnder(folder, '.mp4')).toHaveLength(SHOTS);
});
