import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, test, wear } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

test('a take shows every attempt, what was sent and how it ended', async ({ app, page }) => {
  const { faults, ledger } = app.service;
  faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'rate-limit', seconds: 1 } });
  faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'outcome', end: 'failed' } });
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.queue'));
  await page.getByRole('button', { name: t('common.pause'), exact: true }).click();
  await chooseList(page, videoList(1));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  // Nothing goes on yet, and the bar at the top knows of the batch all the same.
  await expect(page.getByRole('banner')).toContainText('0 / 1 take');
  await page
    .getByRole('region', { name: t('queue.run') })
    .getByRole('button', { name: t('common.resume'), exact: true })
    .first()
    .click();

  await page.getByRole('tab', { name: 'Failed 1' }).click();
  await page
    .getByRole('grid', { name: t('state.failed') })
    .getByRole('row')
    .filter({ hasText: '0010' })
    .click();
  await page.keyboard.press('i');
  const details = page.getByRole('complementary', { name: t('common.details') });
  const attempts = details.getByRole('listitem').filter({ hasText: t('queue.whatWasSent') });
  await expect(attempts).toHaveCount(2);
  await expect(attempts.nth(0)).toContainText(t('queue.attemptFailed'));
  await expect(attempts.nth(0)).toContainText(/Task.*task_/);
  await expect(attempts.nth(1)).toContainText(t('queue.attemptNotAccepted'));
  await attempts.nth(0).getByText(t('queue.whatWasSent')).click();
  await expect(attempts.nth(0)).toContainText('"prompt": "Shot 0010 of the sea"');
  await expect(details).toContainText('duration');
  await expectAccessible(page);

  await details.getByRole('button', { name: 'Create a new task…' }).click();
  const question = page.getByRole('dialog', { name: t('queue.makeAgainQuestion', { count: 1 }) });
  await expect(question).toContainText(t('queue.makeAgainCost', { count: 1 }));
  await question.getByRole('button', { name: 'Create 1 new task' }).click();
  await expect(page.getByRole('tab', { name: 'Done 1' })).toBeVisible();
  expect(ledger.commits).toBe(2);
  await page.reload();
  await expect(page.getByRole('banner')).toContainText(t('window.finishedWith', { counts: '1 saved' }));
});

test('a batch that is started in one window is seen at once in the queue of another', async ({
  app,
  page,
  context,
}) => {
  test.skip(isDesktop, 'the app has one window');
  await app.open();
  await openProject(app, page);
  await chooseList(page, videoList(3));
  const other = await context.newPage();
  await other.goto(new URL('/', page.url()).href);
  await goTo(other, t('place.queue'));
  await other.getByRole('button', { name: t('common.pause'), exact: true }).click();
  await expect(other.getByText(t('queue.emptyHint'))).toBeVisible();
  await startBatch(page);
  await expect(other.getByRole('tab', { name: 'Waiting 3' })).toBeVisible();
  await other.getByRole('tab', { name: 'Waiting 3' }).click();
  const waiting = other.getByRole('grid', { name: t('state.waiting') });
  await waiting.getByRole('row').filter({ hasText: '0030' }).click();
  await other.keyboard.press('Alt+ArrowUp');
  // What goes first stands first.
  await other.mouse.move(0, 0);
  await expect(waiting.getByRole('row').nth(1)).toContainText('0030');
});

test('what is done has pictures, and a batch that ended is reviewed from there by keys', async ({ app, page }) => {
  await app.openInSystemTheme();
  await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await settled(page, 2);
  await goTo(page, t('place.queue'));
  await page.keyboard.press('5');
  const rows = page.getByRole('grid', { name: t('queue.groupDone') }).getByRole('row');
  await expect(rows.locator('img')).toHaveCount(2);
  // Rates are behind one door, which stays open.
  const door = page.getByRole('button', { name: t('queue.rates') });
  await expect(page.getByRole('table')).toBeHidden();
  await door.press('Enter');
  await expect(page.getByRole('table')).toContainText(t('library.upload'));
  await page.reload();
  await expect(door).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByRole('table')).toBeVisible();
  for (const theme of ['light', 'dark'] as const) {
    await wear(page, theme);
    await expectAccessible(page);
  }
  await door.press('Enter');
  await expect(page.getByRole('table')).toBeHidden();

  // Of a run that ended before the window was opened, nothing is said here.
  await expect(page.getByRole('button', { name: t('review.reviewTakes', { count: 2 }) })).toBeHidden();
  await chooseList(
    page,
    csvFile('more.csv', [
      ['shot', 'kind', 'model', 'prompt'],
      ['1', 'image', 'image-demo', 'A'],
    ]),
  );
  await page.getByRole('button', { name: t('queue.pause') }).click();
  await startBatch(page);
  await goTo(page, t('place.queue'));
  const more = page.getByRole('region', { name: t('common.reviewBatch', { batch: 'more' }) });
  await expect(page.getByRole('banner')).toContainText('0 / 1 take');
  await page
    .getByRole('banner')
    .getByRole('button', { name: t('queue.resume') })
    .click();
  await expect(more).toContainText(t('review.savedOf', { saved: 1, total: 1 }));
  await expect(more).toContainText('more');
  await expectAccessible(page);
  await more.getByRole('button', { name: t('review.reviewTakes', { count: 1 }) }).press('Enter');
  await expect(page.getByRole('grid', { name: t('group.takes') }).getByRole('gridcell')).toHaveCount(1);
  await goTo(page, t('place.queue'));
  await expect(more).toBeHidden();
});
