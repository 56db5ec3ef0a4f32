import type { Locator } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import { goTo, reviewStills } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

const tileOf = (takes: Locator, shot: string): Locator => takes.getByRole('gridcell', { name: `${shot} take 1` });

test('taking many picks back leaves the rating and the note given since', async ({ app, page }) => {
  const { takes } = await reviewStills(app, page);
  await page.keyboard.press('Control+a');
  await expect(page.getByText('3 selected')).toBeVisible();
  await page.keyboard.press('p');
  await expect(tileOf(takes, '030')).toContainText(t('review.picked'));
  await page.keyboard.press('Escape');
  await page.keyboard.press('5');
  await page.keyboard.press('Home');
  await page.keyboard.press('n');
  await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused();
  await page.keyboard.type('Lovely light');
  await page.keyboard.press('Enter');

  const toast = page.getByRole('listitem').filter({ hasText: '3 takes: picked' });
  await toast.getByRole('button', { name: t('menu.role.undo') }).click();
  for (const shot of ['010', '020', '030']) await expect(tileOf(takes, shot)).not.toContainText(t('review.picked'));
  await page.reload();
  await expect(tileOf(takes, '010')).toContainText('5 of 5');
  await expect(tileOf(takes, '010')).toContainText(t('review.hasNote'));
  for (const shot of ['010', '020', '030']) await expect(tileOf(takes, shot)).not.toContainText(t('review.picked'));

  // A verdict can be taken back after a look at another view too.
  await tileOf(takes, '020').click();
  await page.keyboard.press('4');
  await expect(tileOf(takes, '020')).toContainText('4 of 5');
  await goTo(page, t('place.queue'));
  await page.goBack();
  await expect(takes).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(tileOf(takes, '020')).not.toContainText('4 of 5');
  await page.reload();
  await expect(tileOf(takes, '020')).toBeVisible();
  await expect(tileOf(takes, '020')).not.toContainText('4 of 5');
});

test('a second pick moves the pick of its shot, and its undo moves it back', async ({ app, page }) => {
  const { takes } = await reviewStills(app, page);
  const [first, second] = [1, 2].map((take) => takes.getByRole('gridcell', { name: `010 take ${take}` })) as [
    Locator,
    Locator,
  ];
  await page.keyboard.press('p');
  await expect(first).toContainText(t('review.picked'));
  await page.keyboard.press('Home');
  await page.keyboard.press('ControlOrMeta+Enter');
  await second.click();
  await page.keyboard.press('p');
  await expect(second).toContainText(t('review.picked'));
  await expect(first).toContainText(t('review.alternate'));
  await page.keyboard.press('ControlOrMeta+z');
  await expect(first).toContainText(t('review.picked'));
  await expect(second).not.toContainText(t('review.picked'));
  // Both at once are refused, and nothing of it stays on the screen.
  await page.keyboard.press('ControlOrMeta+a');
  await expect(page.getByText('4 selected')).toBeVisible();
  await page.keyboard.press('p');
  await expect(page.getByText(t('remedy.onePick'))).toBeVisible();
  await expect(second).not.toContainText(t('review.picked'));
});

test('a verdict is shown in another window, which reads no list for it', async ({ app, page }) => {
  test.skip(isDesktop, 'a second window is opened in a browser only');
  const { takes } = await reviewStills(app, page);
  const other = await page.context().newPage();
  await other.goto(page.url());
  const otherTakes = other.getByRole('grid', { name: t('group.takes') });
  await expect(tileOf(otherTakes, '030')).toBeVisible();
  await expect(other.getByText(t('review.tally', { picked: 0, alternates: 0, rejected: 0, open: 3 }))).toBeVisible();
  const calls: string[] = [];
  for (const each of [page, other]) each.on('request', (request) => calls.push(new URL(request.url()).pathname));

  await takes.press('4');
  await expect(tileOf(otherTakes, '010')).toContainText('4 of 5');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('x');
  await expect(tileOf(otherTakes, '020')).toContainText(t('review.rejected'));
  await expect(other.getByText(t('review.tally', { picked: 0, alternates: 0, rejected: 1, open: 2 }))).toBeVisible();
  await expect(page.getByText(t('review.tally', { picked: 0, alternates: 0, rejected: 1, open: 2 }))).toBeVisible();
  expect(calls.filter((path) => path.endsWith('/takes/judge'))).toHaveLength(2);
  expect(calls.filter((path) => path.endsWith('/takes/tally'))).toHaveLength(2);
  for (const unneeded of ['takes/list', 'takes/models']) {
    expect(calls.filter((path) => path.endsWith(unneeded))).toEqual([]);
  }
});
