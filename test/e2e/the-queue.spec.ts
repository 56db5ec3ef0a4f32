import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, expectAccessibleInBothThemes, isDesktop, test } from './support/app.ts';
import {
  anotherWindow,
  button,
  choose,
  chooseList,
  goTo,
  makeTakes,
  openProject,
  press,
  startBatch,
  stillList,
  videoList,
} from './support/window.ts';

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name });
const pause = (page: Page) => button(page, t('common.pause')).click();

test('takes wait in the order that people give them, in every window, and each says how it went @night', async ({
  app,
  page,
}) => {
  const { faults, ledger } = app.service;
  faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'rate-limit', seconds: 1 } });
  faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'outcome', end: 'failed' } });
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.queue'));
  await expect(page.getByText(t('queue.awake', { how: 'idle' }))).toBeVisible();
  await pause(page);
  await chooseList(page, videoList(3));
  const rows = (shown: Page) => shown.getByRole('grid', { name: t('state.waiting') }).getByRole('row');
  const inOrder = async (shown: Page, ...shots: readonly string[]) => {
    // While the pointer is over them, rows keep their places.
    await shown.mouse.move(0, 0);
    for (const [index, shot] of shots.entries()) await expect(rows(shown).nth(index + 1)).toContainText(shot);
  };

  await test.step('a batch that is started in one window is seen at once in the queue of another', async () => {
    // The app has one window.
    if (isDesktop) return startBatch(page);
    const other = await anotherWindow(page);
    await goTo(other, t('place.queue'));
    await expect(other.getByText(t('queue.emptyHint'))).toBeVisible();
    await startBatch(page);
    await tab(other, 'Waiting 3').click();
    await inOrder(other, '0010', '0020', '0030');
    await other.close();
  });

  await test.step('those that were put first or last go back to where they were, by Undo and by hand', async () => {
    await goTo(page, t('place.queue'));
    await tab(page, 'Waiting 3').click();
    await inOrder(page, '0010', '0020', '0030');
    await rows(page).filter({ hasText: '0030' }).click();
    await page.keyboard.press('Alt+ArrowUp');
    await inOrder(page, '0030', '0010', '0020');
    await button(page, t('menu.role.undo')).click();
    await inOrder(page, '0010', '0020', '0030');
    await rows(page).filter({ hasText: '0010' }).click();
    await page.keyboard.press('Alt+ArrowDown');
    await inOrder(page, '0020', '0030', '0010');
    await button(page, t('common.order')).press('Enter');
    await page.getByRole('menuitem', { name: t('common.restoreOrder') }).press('Enter');
    await inOrder(page, '0010', '0020', '0030');
  });

  const details = page.getByRole('complementary', { name: t('common.details') });
  await test.step('a take shows every attempt, what was sent and how it ended', async () => {
    // Nothing goes on yet, and the bar at the top knows of the batch all the same.
    await expect(page.getByRole('banner')).toContainText('0 / 3 takes');
    await button(page.getByRole('region', { name: t('queue.run') }), t('common.resume'))
      .first()
      .click();
    await tab(page, 'Failed 1').click();
    const failed = page.getByRole('grid', { name: t('state.failed') }).getByRole('row');
    await failed.filter({ hasText: '0010' }).click();
    await page.keyboard.press('i');
    const attempts = details.getByRole('listitem').filter({ hasText: t('queue.whatWasSent') });
    await expect(attempts).toHaveCount(2);
    await expect(attempts.nth(0)).toContainText(t('queue.attemptFailed'));
    await expect(attempts.nth(0)).toContainText(/Task.*task_/);
    await expect(attempts.nth(1)).toContainText(t('queue.attemptNotAccepted'));
    await attempts.nth(0).getByText(t('queue.whatWasSent')).click();
    await expect(attempts.nth(0)).toContainText('"prompt": "Shot 0010 of the sea"');
    await expect(details).toContainText('duration');
    await expectAccessible(page);
  });

  await test.step('it is made again as a new task, after its cost is shown', async () => {
    await button(details, 'Create a new task…').click();
    const question = page.getByRole('dialog', { name: t('queue.makeAgainQuestion', { count: 1 }) });
    await expect(question).toContainText(t('queue.makeAgainCost', { count: 1 }));
    await button(question, 'Create 1 new task').click();
    await expect(tab(page, 'Done 3')).toBeVisible();
    expect(ledger.commits).toBe(4);
    await page.reload();
    await expect(page.getByRole('banner')).toContainText(t('window.finishedWith', { counts: '3 saved' }));
  });
});

test('what is done has pictures and stands under its batch, and a batch that ended is reviewed from there @night', async ({
  app,
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 640 });
  await app.openInSystemTheme();
  await openProject(app, page);
  await makeTakes(page, stillList(['000', '010', '020', '030'], 'scenes.csv'), 4);
  const grid = page.getByRole('grid', { name: t('queue.groupDone') });
  const heading = grid.getByRole('row', { name: 'Film · scenes 4 takes' });

  await test.step('it has pictures, and the keyboard passes over the headings', async () => {
    await goTo(page, t('place.queue'));
    await expect(page.getByRole('combobox', { name: t('queue.projectShown') })).toHaveText(t('common.allProjects'));
    await page.keyboard.press('5');
    await expect(grid.locator('img')).toHaveCount(4);
    await choose(page.getByRole('combobox', { name: t('common.groups') }), t('review.groupBy', { by: 'batch' }));
    await expect(heading).toBeVisible();
    await expectAccessible(page);
    await grid.focus();
    await press(page, 'Home', 'ArrowDown', 'ArrowDown');
    // Takes are in the order in which they ended, which is any.
    await expect(grid.locator('[aria-selected="true"]')).toContainText(/0[0-3]0/);
    await expect(grid.locator('[aria-selected="true"]')).toHaveAttribute('aria-rowindex', '4');
  });

  await test.step('rates are behind one door, which stays open', async () => {
    const door = button(page, t('queue.rates'));
    await expect(page.getByRole('table')).toBeHidden();
    await door.press('Enter');
    await expect(page.getByRole('table')).toContainText(t('library.upload'));
    await page.reload();
    await expect(heading).toBeVisible();
    await expect(door).toHaveAttribute('aria-expanded', 'true');
    await expect(page.getByRole('table')).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await door.press('Enter');
    await expect(page.getByRole('table')).toBeHidden();
  });

  await test.step('a batch that ends while the window is open is reviewed from here by keys', async () => {
    await expect(button(page, t('review.reviewTakes', { count: 4 }))).toBeHidden();
    await chooseList(page, stillList(['1'], 'more.csv'));
    await button(page, t('queue.pause')).click();
    await startBatch(page);
    await goTo(page, t('place.queue'));
    const more = page.getByRole('region', { name: t('common.reviewBatch', { batch: 'more' }) });
    await expect(page.getByRole('banner')).toContainText('0 / 1 take');
    await button(page.getByRole('banner'), t('queue.resume')).click();
    await expect(more).toContainText(t('review.savedOf', { saved: 1, total: 1 }));
    await expectAccessible(page);
    await button(more, t('review.reviewTakes', { count: 1 })).press('Enter');
    await expect(page.getByRole('grid', { name: t('group.takes') }).getByRole('gridcell')).toHaveCount(1);
    await goTo(page, t('place.queue'));
    await expect(more).toBeHidden();
  });
});
