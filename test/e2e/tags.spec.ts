import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import { reviewStills } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('takes are tagged by keyboard alone, found by their tags, and a wrong search shows its problem only', async ({
  app,
  page,
}) => {
  const { takes } = await reviewStills(app, page);
  const tile = (shot: string) => takes.getByRole('gridcell', { name: `${shot} take 1` });

  await page.keyboard.press('Control+a');
  await expect(page.getByText(t('common.countSelected', { count: 3 }))).toBeVisible();
  await page.keyboard.press('t');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: t('review.newTags') })).toBeFocused();
  await page.keyboard.type('night, say "cut"');
  await expect(dialog.getByRole('alert')).toContainText('cannot be a tag');
  await expect(dialog.getByRole('button', { name: t('review.saveTags') })).toBeDisabled();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('night, hero');
  await page.keyboard.press('Enter');
  for (const shot of ['010', '020', '030']) await expect(tile(shot)).toContainText('Tags: hero, night');

  // One of them loses one: with a key on the tag itself.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Home');
  await page.keyboard.press('t');
  await page.keyboard.press('Tab');
  await expect(dialog.getByRole('checkbox', { name: 'hero' })).toBeFocused();
  await expect(dialog.getByRole('checkbox', { name: 'hero' })).toBeChecked();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(tile('010')).toContainText('Tags: night');
  await page.keyboard.press('Control+z');
  await expect(tile('010')).toContainText('Tags: hero, night');
  const answered = isDesktop ? null : page.waitForResponse(/\/commands\/undo$/);
  await page
    .getByRole('listitem')
    .filter({ hasText: '3 takes: tagged hero, night' })
    .getByRole('button', { name: t('menu.role.undo') })
    .click();
  await answered;
  await expect(takes).not.toContainText('Tags:');

  await tile('020').click();
  await page.keyboard.press('t');
  await page.keyboard.type('night');
  await page.keyboard.press('Enter');
  await expect(tile('020')).toContainText('Tags: night');
  await page.keyboard.press('/');
  await page.keyboard.type('tag:night');
  await page.keyboard.press('Enter');
  await expect(takes.getByRole('gridcell')).toHaveCount(1);
  await expect(tile('020')).toBeVisible();

  await page.keyboard.press('/');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('flag:perhaps');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('search').getByRole('alert')).toBeVisible();
  await expect(page.getByText(t('review.noMatches'))).toHaveCount(0);
  await expect(page.getByText(t('common.takes', { count: 0 }), { exact: true })).toHaveCount(0);
});
