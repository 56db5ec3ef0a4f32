import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  anything,
  chooseList,
  closedWindow,
  goTo,
  openProject,
  reviewStills,
  saying,
  settled,
  startBatch,
  videoList,
} from './support/window.ts';

test.use({ demo: { speed: { videoMs: 100, jitter: 0 } } });

test('a project sends nothing outside its night window, until a person starts early', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.projects'));
  const night = page.getByRole('region', { name: t('night.title') });
  await night.getByRole('button', { name: t('night.set') }).click();
  const dialog = page.getByRole('dialog');
  const { opens, closes } = closedWindow();
  await dialog.getByLabel(t('night.from')).fill(opens);
  await dialog.getByLabel(t('night.to')).fill(closes);
  const zone = dialog.getByRole('combobox', { name: t('night.timeZone') });
  await zone.fill('Nowhere');
  await expect(dialog.getByRole('button', { name: t('common.save') })).toBeDisabled();
  await zone.fill('Etc/UTC');
  await zone.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(night).toContainText(`${opens}–${closes}`);

  await chooseList(page, videoList(2));
  await page.getByRole('button', { name: t('start.start') }).click();
  await expect(dialog.getByRole('radio', { name: t('when.tonightAt', { time: opens }) })).toBeChecked();
  await expect(dialog.getByText(saying('when.waits', { time: anything }))).toBeVisible();
  await expect(dialog.getByRole('button', { name: t('start.queueFor', { count: 2, time: opens }) })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await startBatch(page);
  await goTo(page, t('place.queue'));
  const obstacle = page.getByRole('list', { name: t('queue.obstacles') });
  await expect(obstacle).toContainText(t('gate.windowClosed'));
  expect(app.service.ledger.commits).toBe(0);
  await obstacle.getByRole('button', { name: t('gate.startNow') }).click();
  await settled(page, 2);
  expect(app.service.ledger.commits).toBe(2);
});

test('a list is queued for tonight, or sent now although its window is closed', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, videoList(2));
  const dialog = page.getByRole('dialog');
  const start = () => page.getByRole('button', { name: t('start.start') }).click();
  await start();
  await expect(dialog.getByRole('radio', { name: t('when.now') })).toBeChecked();
  const { opens, closes } = closedWindow();
  await dialog.getByText(t('when.tonight')).click();
  await dialog.getByLabel(t('night.from')).fill(opens);
  await dialog.getByRole('textbox', { name: t('night.to'), exact: true }).fill(closes);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: t('start.queueFor', { count: 2, time: opens }) }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(t('window.queued', { takes: 2, batch: 'shots' }))).toContainText(opens);
  expect(app.service.ledger.commits).toBe(0);

  // More of the same batch, which has hours of its own now.
  await chooseList(page, videoList(3));
  await start();
  await expect(dialog.getByRole('radio', { name: t('when.tonightAt', { time: opens }) })).toBeChecked();
  await dialog.getByText(t('when.now'), { exact: true }).click();
  await expect(dialog.getByText(t('when.skips'))).toBeVisible();
  await dialog.getByRole('button', { name: t('start.startTakes', { count: 1 }) }).click();
  await settled(page, 3);
  expect(app.service.ledger.commits).toBe(3);
});

test('a described shot is queued for tonight', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.batch'));
  await page.getByRole('button', { name: t('batch.describeShot') }).click();
  const dialog = page.getByRole('dialog', { name: t('batch.describeShot') });
  await dialog.getByRole('textbox', { name: t('common.prompt') }).fill('A pier in the rain');
  await dialog.getByRole('combobox', { name: t('common.model') }).fill('vgen-2.0-nt');
  await dialog.getByText(t('when.tonight')).click();
  const { opens, closes } = closedWindow();
  await dialog.getByLabel(t('night.from')).fill(opens);
  await dialog.getByRole('textbox', { name: t('night.to'), exact: true }).fill(closes);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: t('start.queueFor', { count: 1, time: opens }) }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(t('window.queued', { takes: 1, batch: 'Single shots' }))).toContainText(opens);
  await goTo(page, t('place.review'));
  await expect(page.getByRole('region', { name: t('when.tonight') })).toContainText(opens);
  expect(app.service.ledger.commits).toBe(0);
});

test('a new take waits in the tray of tonight, is taken out, put back and sent now', async ({ app, page }) => {
  await reviewStills(app, page);
  await page.keyboard.press('ControlOrMeta+Shift+Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(t('when.tonight')).click();
  const { opens, closes } = closedWindow();
  await dialog.getByLabel(t('night.from')).fill(opens);
  await dialog.getByRole('textbox', { name: t('night.to'), exact: true }).fill(closes);
  await dialog.getByRole('button', { name: t('review.queueTakeFor', { time: opens }) }).click();
  const tray = page.getByRole('region', { name: t('when.tonight') });
  await expect(tray).toContainText(opens);
  await expectAccessible(page);
  await tray.getByRole('button', { name: t('common.show') }).click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: t('tonight.takeOut', { take: '010 · take 2' }) }).click();
  await expect(tray).toBeHidden();
  // The event of the change comes before its answer, which has what Ctrl+Z takes back.
  await expect(page.getByText(t('history.takesCancelled', { takes: 1 }))).toBeVisible();
  await page.keyboard.press('ControlOrMeta+z');
  await expect(tray).toBeVisible();
  expect(app.service.ledger.commits).toBe(3);

  // A take released outside the window of its project would wait all the same: it is sent once that is open.
  const night = page.getByRole('region', { name: t('night.title') });
  await goTo(page, t('place.projects'));
  await night.getByRole('button', { name: t('night.set') }).click();
  await dialog.getByLabel(t('night.from')).fill(opens);
  await dialog.getByLabel(t('night.to')).fill(closes);
  await dialog.getByRole('button', { name: t('common.save') }).click();
  const sendNow = dialog.getByRole('button', { name: t('tonight.sendNow', { count: 1 }) });
  const openTray = async () => {
    await goTo(page, t('place.review'));
    await tray.getByRole('button', { name: t('common.show') }).click();
  };
  await openTray();
  await expect(sendNow).toBeDisabled();
  await expect(dialog.getByText(saying('window.unsentWindowClosed', { time: anything }))).toBeVisible();
  await page.keyboard.press('Escape');
  await goTo(page, t('place.projects'));
  await night.getByRole('button', { name: t('gate.startNow') }).click();
  await openTray();
  await sendNow.click();
  await settled(page, 4);
  await expect(tray).toBeHidden();
  expect(app.service.ledger.commits).toBe(4);
});
