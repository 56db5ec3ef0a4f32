import { expect, test } from './support/app.ts';
import { t } from '../../src/contract/messages/words.ts';

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
