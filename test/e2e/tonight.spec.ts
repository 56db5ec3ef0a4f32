import type { Locator, Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  anything,
  button,
  chooseList,
  closedWindow,
  countActions,
  goTo,
  openInProject,
  reviewStills,
  saying,
  settled,
  startBatch,
  videoList,
} from './support/window.ts';

const dialogOf = (page: Page): Locator => page.getByRole('dialog');
const tonightAt = (page: Page, time: string): Locator =>
  dialogOf(page).getByRole('radio', { name: t('when.tonightAt', { time }) });

/** Chooses the night for what a dialog is about to queue, in hours that are closed now. Gives when they begin. */
async function chooseTonight(page: Page): Promise<string> {
  const { opens, closes } = closedWindow();
  const dialog = dialogOf(page);
  await dialog.getByText(t('when.tonight')).click();
  await dialog.getByLabel(t('night.from')).fill(opens);
  await dialog.getByRole('textbox', { name: t('night.to'), exact: true }).fill(closes);
  return opens;
}

test('at most eight actions lead from a list in the clipboard to a queued night @night', async ({ app, page }) => {
  await openInProject(app, page);
  await goTo(page, t('place.batch'));
  const rows = Array.from({ length: 60 }, (_none, index) =>
    [String(index + 1).padStart(3, '0'), 'image', 'image-demo', `Still ${String(index + 1)}`].join('\t'),
  );
  const list = [['shot', 'kind', 'model', 'prompt'].join('\t'), ...rows].join('\n');
  const actions = await countActions(page);
  await page.getByRole('button', { name: t('batch.pasteList') }).click();
  const paste = page.getByRole('dialog', { name: t('batch.pasteList') });
  // Pasting is one key.
  await paste.getByRole('textbox').fill(list);
  await button(paste, t('common.open')).click();
  await expect(page.getByText(t('start.newTakes', { count: 60 }))).toBeVisible();
  await page.keyboard.press('ControlOrMeta+Shift+Enter');
  const opens = await chooseTonight(page);
  await button(dialogOf(page), t('start.queueFor', { count: 60, time: opens })).click();
  await expect(dialogOf(page)).toBeHidden();
  await expect(page.getByText('Queued 60 takes')).toBeVisible();
  // Three fields were filled without a click: a paste and two times.
  expect((await actions()) + 3).toBeLessThanOrEqual(8);
});

test('a described shot is queued for tonight @night', async ({ app, page }) => {
  await openInProject(app, page);
  await goTo(page, t('place.batch'));
  await button(page, t('batch.describeShot')).click();
  const dialog = dialogOf(page);
  await dialog.getByRole('textbox', { name: t('common.prompt') }).fill('A pier in the rain');
  await dialog.getByRole('combobox', { name: t('common.model') }).fill('vgen-2.0-nt');
  const opens = await chooseTonight(page);
  await expectAccessible(page);
  await button(dialog, t('start.queueFor', { count: 1, time: opens })).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(t('window.queued', { takes: 1, batch: 'Single shots' }))).toContainText(opens);
  await goTo(page, t('place.review'));
  await expect(page.getByRole('region', { name: t('when.tonight') })).toContainText(opens);
  expect(app.service.ledger.commits).toBe(0);
});

test('a list waits for its night, and a project for its own, until a person starts early @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  const dialog = dialogOf(page);
  const start = () => button(page, t('start.start')).click();
  const { ledger } = app.service;

  await test.step('a list is queued for tonight', async () => {
    await chooseList(page, videoList(2));
    await start();
    await expect(dialog.getByRole('radio', { name: t('when.now') })).toBeChecked();
    const opens = await chooseTonight(page);
    await expectAccessible(page);
    await button(dialog, t('start.queueFor', { count: 2, time: opens })).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText(t('window.queued', { takes: 2, batch: 'shots' }))).toContainText(opens);
    expect(ledger.commits).toBe(0);
  });

  await test.step('more of the same batch, which has hours of its own now, is sent at once when told to', async () => {
    await chooseList(page, videoList(3));
    await start();
    await expect(tonightAt(page, closedWindow().opens)).toBeChecked();
    await dialog.getByText(t('when.now'), { exact: true }).click();
    await expect(dialog.getByText(t('when.skips'))).toBeVisible();
    await button(dialog, t('start.startTakes', { count: 1 })).click();
    await settled(page, 3);
    expect(ledger.commits).toBe(3);
  });

  const { opens, closes } = closedWindow();
  await test.step('a project gets its hours, in a time zone', async () => {
    await goTo(page, t('place.projects'));
    const night = page.getByRole('region', { name: t('night.title') });
    await button(night, t('night.set')).click();
    await dialog.getByLabel(t('night.from')).fill(opens);
    await dialog.getByLabel(t('night.to')).fill(closes);
    const zone = dialog.getByRole('combobox', { name: t('night.timeZone') });
    await zone.fill('Nowhere');
    await expect(button(dialog, t('common.save'))).toBeDisabled();
    await zone.fill('Etc/UTC');
    await zone.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(night).toContainText(`${opens}–${closes}`);
  });

  await test.step('it sends nothing outside of them, until a person starts early', async () => {
    await chooseList(page, { ...videoList(2, (shot) => `The quay, ${shot}`), name: 'quay.csv' });
    await start();
    await expect(tonightAt(page, opens)).toBeChecked();
    await expect(dialog.getByText(saying('when.waits', { time: anything }))).toBeVisible();
    await expect(button(dialog, t('start.queueFor', { count: 2, time: opens }))).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await startBatch(page);
    await goTo(page, t('place.queue'));
    const obstacle = page.getByRole('list', { name: t('queue.obstacles') });
    await expect(obstacle).toContainText(t('gate.windowClosed'));
    expect(ledger.commits).toBe(3);
    await button(obstacle, t('gate.startNow')).click();
    await expect(page.getByRole('tab', { name: `${t('queue.groupDone')} 5` })).toBeVisible();
    expect(ledger.commits).toBe(5);
  });
});

test('a new take waits in the tray of tonight, is taken out, put back and sent now @night', async ({ app, page }) => {
  await reviewStills(app, page);
  await page.keyboard.press('ControlOrMeta+Shift+Enter');
  const dialog = dialogOf(page);
  const opens = await chooseTonight(page);
  await button(dialog, t('review.queueTakeFor', { time: opens })).click();
  const tray = page.getByRole('region', { name: t('when.tonight') });
  await expect(tray).toContainText(opens);
  await expectAccessible(page);

  await test.step('it is taken out and put back', async () => {
    await button(tray, t('common.show')).click();
    await expectAccessible(page);
    await button(dialog, t('tonight.takeOut', { take: '010 · take 2' })).click();
    await expect(tray).toBeHidden();
    // The event of the change comes before its answer, which has what Ctrl+Z takes back.
    await expect(page.getByText(t('history.takesCancelled', { takes: 1 }))).toBeVisible();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(tray).toBeVisible();
    expect(app.service.ledger.commits).toBe(3);
  });

  // A take released outside the window of its project would wait all the same: it is sent once that is open.
  await test.step('it is sent now, once the window of its project is open', async () => {
    const night = page.getByRole('region', { name: t('night.title') });
    await goTo(page, t('place.projects'));
    await button(night, t('night.set')).click();
    await dialog.getByLabel(t('night.from')).fill(opens);
    await dialog.getByLabel(t('night.to')).fill(closedWindow().closes);
    await button(dialog, t('common.save')).click();
    await expect(dialog).toBeHidden();
    const sendNow = button(dialog, t('tonight.sendNow', { count: 1 }));
    const openTray = async (): Promise<void> => {
      await goTo(page, t('place.review'));
      await button(tray, t('common.show')).click();
    };
    await openTray();
    await expect(sendNow).toBeDisabled();
    await expect(dialog.getByText(saying('window.unsentWindowClosed', { time: anything }))).toBeVisible();
    await page.keyboard.press('Escape');
    await goTo(page, t('place.projects'));
    await button(night, t('gate.startNow')).click();
    await openTray();
    await sendNow.click();
    await settled(page, 4);
    await expect(tray).toBeHidden();
    expect(app.service.ledger.commits).toBe(4);
  });
});
