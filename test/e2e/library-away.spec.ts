import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { goTo } from './support/window.ts';

test('the library of a service that has none says so, keeps out of the way, and comes back when there is one', async ({
  app,
  page,
}) => {
  const { faults } = app.service;
  for (const path of ['/v1/assets*', '/v1/asset-groups*']) {
    faults.add({ match: { path, times: 'always' }, do: { fault: 'status', status: 404, body: '404 page not found' } });
  }
  await app.open();
  await goTo(page, t('place.library'));
  await expect(page.getByText(t('library.notSynced'))).toBeVisible();
  await page.getByRole('button', { name: t('library.syncWithService') }).click();
  const note = page.getByRole('alert').filter({ hasText: 'Not synced with the service' });
  await expect(note).toBeVisible();
  await expect(note).toContainText(t('library.syncFailedNote'));
  await expect(page.getByRole('button', { name: t('library.uploadFiles') })).toBeVisible();

  await page.keyboard.press('n');
  const group = page.getByRole('dialog', { name: t('library.newGroup') });
  await group.getByRole('textbox', { name: t('common.name') }).fill('Keeper');
  await group.getByRole('button', { name: t('library.createGroup') }).click();
  await expect(group.getByRole('alert')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(group).toBeHidden();

  faults.clear();
  await note.getByRole('button', { name: t('common.tryAgain') }).click();
  await expect(note).toBeHidden();
  await expect(page.getByText('synced just now')).toBeVisible();
});
