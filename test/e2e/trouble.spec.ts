import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import {
  chooseList,
  csvFile,
  goTo,
  openProject,
  settled,
  showSettings,
  startBatch,
  videoList,
} from './support/window.ts';

test('a wrong key holds the queue until the right one is stored', async ({ app, page }) => {
  await app.open({ DAILIES_API_KEY: '' });
  await goTo(page, t('place.settings'));
  const key = page.getByLabel(t('settings.key'), { exact: true });
  await page.getByRole('switch', { name: /^Without a keychain/ }).click();
  await key.fill('not-the-key');
  await page.getByRole('button', { name: t('settings.storeKey') }).click();
  const tested = page.getByRole('status').filter({ hasText: 'The API key is not valid.' });
  await expect(tested).toBeVisible();
  await expect(key).toHaveValue('');

  await goTo(page, t('place.projects'));
  await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  const gate = page.getByRole('list', { name: t('queue.obstacles') });
  await expect(gate).toContainText(t('gate.keyRejected'));
  expect(app.service.ledger.commits).toBe(0);
  await gate.getByRole('button', { name: t('common.openSettings') }).click();
  await key.fill(app.service.apiKey);
  await page.getByRole('button', { name: t('settings.storeKey') }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('settings.replaceKey') })
    .click();
  await expect(page.getByText(/^Connected\. \d+ models are available with this key\.$/)).toBeVisible();
  await settled(page, 2);
  expect(app.service.ledger.commits).toBe(2);
});

test('a service that is away is named, and its takes are sent when it is back @night', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, videoList(2));
  await app.service.faults.outage({ answer: 'refused' });
  await startBatch(page);
  await goTo(page, t('place.queue'));
  const gate = page.getByRole('list', { name: t('queue.obstacles') });
  await expect(gate).toContainText(t('gate.unreachable'));
  await expect(gate).toContainText('The service cannot be reached');
  await expect(gate).toContainText('Nothing is lost.');
  const more = [
    ['shot', 'kind', 'model', 'prompt', 'duration'],
    ['2000', 'video', 'vgen-2.0-nt', 'The sea by night', '4'],
  ];
  await chooseList(page, csvFile('more.csv', more));
  // Not in the moment in which it is being tried again.
  await expect(page.getByRole('banner')).toContainText(/(?:[89]|\d\d) s/);
  await startBatch(page);
  const told = page.getByText(/^Queued 1 take in/);
  await expect(told).toContainText('The service cannot be reached.');
  await app.service.faults.lift();
  await settled(page, 3);
  expect(app.service.ledger.commits).toBe(3);
});

test('a long wait that the service asks for is shown with its end, and ended by resuming @night', async ({
  app,
  page,
}) => {
  await app.open();
  app.service.faults.add({ match: { method: 'POST' }, do: { fault: 'rate-limit', seconds: 36_000 } });
  await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  const gate = page.getByRole('list', { name: t('queue.obstacles') });
  await expect(gate).toContainText('is limiting requests (429). The next submit waits');
  await expect(gate).toContainText('until');
  await gate.getByRole('button', { name: t('common.resume'), exact: true }).click();
  await settled(page, 2);
  expect(app.service.ledger.commits).toBe(2);
});

test('a disk without room is named before anything is paid for, and the queue goes on when there is room @night', async ({
  app,
  page,
}) => {
  await app.open();
  await showSettings(page, t('common.files'));
  const room = page.getByLabel(t('settings.keepFree'));
  const before = await room.inputValue();
  await room.fill('900000000');
  await room.press('Enter');
  await expect(page.getByText('Changed “Keep free on the disk”.')).toBeVisible();

  await goTo(page, t('place.projects'));
  await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  const gate = page.getByRole('list', { name: t('queue.obstacles') });
  await expect(gate).toContainText(t('gate.diskLow'));
  await expect(gate).toContainText('Free some space. The queue then continues automatically.');
  expect(app.service.ledger.commits).toBe(0);

  await showSettings(page, t('common.files'));
  await room.fill(before);
  await room.press('Enter');
  await settled(page, 2);
  expect(app.service.ledger.commits).toBe(2);
});
