import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import { reviewStills } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('a search is saved under a name, shown from menu and palette, renamed and deleted with a way back, in every window', async ({
  app,
  page,
}) => {
  const { takes } = await reviewStills(app, page);
  const other = isDesktop ? null : await page.context().newPage();
  await other?.goto(page.url());

  await page.keyboard.press('/');
  await page.keyboard.type('shot:02*');
  await page.keyboard.press('Enter');
  await expect(takes.getByRole('gridcell')).toHaveCount(1);
  await page.keyboard.press('s');
  const headings = takes.getByText(t('common.takes', { count: 1 }));
  await expect(headings).toHaveCount(1);

  await page.keyboard.press('Shift+V');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: t('common.name') })).toBeFocused();
  await page.keyboard.type('Twenties');
  await page.keyboard.press('Enter');
  const menu = page.getByRole('button', { name: t('review.savedViews') });
  await expect(menu).toContainText('Twenties');

  if (other) {
    await other.getByRole('button', { name: t('review.savedViews') }).click();
    await other.getByRole('menuitem', { name: 'Twenties' }).click();
    const cells = other.getByRole('grid', { name: t('group.takes') }).getByRole('gridcell', { name: '020 take 1' });
    await expect(cells).toBeVisible();
    await other.close();
  }

  await page
    .getByRole('search')
    .getByRole('button', { name: t('review.showAllSaved') })
    .click();
  await expect(takes.getByRole('gridcell', { name: '030 take 1' })).toBeVisible();
  await expect(menu).toContainText(t('window.views'));
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('twenties');
  await page.getByRole('option', { name: t('review.showView', { name: 'Twenties' }) }).waitFor();
  await page.keyboard.press('Enter');
  await expect(takes.getByRole('gridcell', { name: '030 take 1' })).toHaveCount(0);
  await expect(headings).toHaveCount(1);
  await expect(menu).toContainText('Twenties');

  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await expect(menu).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('twenties');
  await page.getByRole('option', { name: t('review.showView', { name: 'Twenties' }) }).waitFor();
  await page.keyboard.press('Enter');
  await expect(headings).toHaveCount(1);
  await expect(menu).toContainText('Twenties');

  await menu.press('Enter');
  await page.getByRole('menuitem', { name: t('review.renameViewEllipsis', { name: 'Twenties' }) }).click();
  await dialog.getByRole('textbox', { name: t('common.name') }).fill('Scene two');
  await dialog.getByRole('button', { name: t('review.renameView') }).click();
  await expect(menu).toContainText('Scene two');

  await menu.click();
  await page.getByRole('menuitem', { name: t('review.deleteView', { name: 'Scene two' }) }).click();
  await expect(menu).toContainText(t('window.views'));
  await page
    .getByRole('listitem')
    .filter({ hasText: t('history.viewRemoved', { name: 'Scene two' }) })
    .getByRole('button', { name: t('menu.role.undo') })
    .click();
  await expect(menu).toContainText('Scene two');
  await page.reload();
  await expect(menu).toContainText('Scene two');
});
