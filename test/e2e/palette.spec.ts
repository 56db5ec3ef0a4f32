import { expect, expectAccessible, test } from './support/app.ts';
import { t } from '../../src/contract/messages/words.ts';
import { goTo, reviewStills } from './support/window.ts';

test('a command is found by letters, chosen by arrows and run by Enter, and comes first the next time', async ({
  app,
  page,
}) => {
  await app.open();
  // The view adds commands of its own once it is there.
  await expect(page.getByRole('button', { name: t('welcome.sample') })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  const field = page.getByRole('combobox', { name: t('window.searchCommands') });
  const options = page.getByRole('listbox', { name: t('window.commands') }).getByRole('option');
  const first = options.first();
  await expect(field).toBeFocused();
  await expect(first).toHaveAttribute('aria-selected', 'true');

  await field.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await field.press('ArrowDown');
  await expect(first).toHaveAttribute('aria-selected', 'true');

  await field.fill('no such command');
  await expect(page.getByRole('status').filter({ hasText: 'no such command' })).toBeVisible();
  await field.fill('gset');
  await expect(first).toHaveAccessibleName(/^Go to Settings/);
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await expect(field).toHaveAttribute('aria-activedescendant', (await first.getAttribute('id')) ?? '');
  await field.press('Enter');
  await expect(page.getByRole('main', { name: t('place.settings') })).toBeVisible();
  await expect(field).toBeHidden();

  await page.keyboard.press('ControlOrMeta+k');
  await expect(field).toHaveValue('');
  await expect(page.getByText(t('group.recent'), { exact: true })).toBeVisible();
  await expect(first).toHaveAccessibleName(/^Go to Settings/);
});

test('a take is found by its shot or its prompt, and opened in Review', async ({ app, page }) => {
  await reviewStills(app, page);
  await goTo(page, t('place.queue'));
  await page.keyboard.press('ControlOrMeta+k');
  const field = page.getByRole('combobox', { name: t('window.searchCommands') });
  const options = page.getByRole('listbox', { name: t('window.commands') }).getByRole('option');
  const nameOf = (shot: string) => t('review.takeName', { shot, take: 1 });
  const beginning = (shot: string) => new RegExp(`^\\s*${nameOf(shot)}`);
  await field.fill('a still of');
  await expect(options).toHaveText(['010', '020', '030'].map(beginning));
  await expectAccessible(page);
  await field.fill('030');
  await expect(options).toHaveCount(1);
  await expect(options).toHaveAccessibleName(`${nameOf('030')} A still of 030`);
  await field.press('Enter');
  await expect(page.getByRole('img', { name: nameOf('030') })).toBeVisible();

  // What was opened last comes first, whatever the view.
  await page.keyboard.press('ControlOrMeta+k');
  await field.fill('still');
  await expect(options.filter({ hasText: 'A still of' })).toHaveText(['030', '010', '020'].map(beginning));
  await field.fill('no such take');
  await expect(page.getByRole('status').filter({ hasText: 'no such take' })).toBeVisible();
});
