import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { chooseFiles, goTo, openProject } from './support/window.ts';

test('a file that no shot can use is left out of an upload, unless it is asked for', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await goTo(page, t('place.library'));
  await chooseFiles(page.getByRole('button', { name: /^Upload/ }).first(), [
    { name: 'shots400.csv', mimeType: 'text/csv', buffer: Buffer.from('shot,prompt\n1,A pier\n') },
    { name: 'pier.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a', 'hex') },
  ]);
  const dialog = page.getByRole('dialog', { name: 'Upload 1 file' });
  const list = dialog.getByRole('listitem').filter({ hasText: 'shots400.csv' });
  await expect(list).toContainText(t('library.notMediaLeftOut'));
  await expect(dialog).toContainText('8 B');
  await expectAccessible(page);
  await dialog.getByRole('switch', { name: t('library.uploadOthers', { count: 1 }) }).click();
  await expect(page.getByRole('dialog', { name: 'Upload 2 files' })).toBeVisible();
});
