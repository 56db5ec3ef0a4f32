import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, goTo, openProject, startBatch, videoList } from './support/window.ts';

test('takes that were put first in line go back to where they were, by Undo and by hand', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.queue'));
  await expect(page.getByText(t('queue.maySleep'))).toBeVisible();
  await page.getByRole('button', { name: t('common.pause'), exact: true }).click();
  await chooseList(page, videoList(3));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await page.getByRole('tab', { name: 'Waiting 3' }).click();
  const rows = page.getByRole('grid', { name: t('state.waiting') }).getByRole('row');
  const inOrder = async (...shots: readonly string[]) => {
    // While the pointer is over them, rows keep their places.
    await page.mouse.move(0, 0);
    for (const [index, shot] of shots.entries()) await expect(rows.nth(index + 1)).toContainText(shot);
  };
  await inOrder('0010', '0020', '0030');
  await rows.filter({ hasText: '0030' }).click();
  await page.keyboard.press('Alt+ArrowUp');
  await inOrder('0030', '0010', '0020');
  await page.getByRole('button', { name: t('menu.role.undo') }).click();
  await inOrder('0010', '0020', '0030');
  await rows.filter({ hasText: '0010' }).click();
  await page.keyboard.press('Alt+ArrowDown');
  await inOrder('0020', '0030', '0010');
  await page.getByRole('button', { name: t('common.order') }).press('Enter');
  await page.getByRole('menuitem', { name: t('common.restoreOrder') }).press('Enter');
  await inOrder('0010', '0020', '0030');
});
