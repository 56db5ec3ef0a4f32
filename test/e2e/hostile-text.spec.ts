import { existsSync } from 'node:fs';
import { t, setLanguage } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, spokenHere, test } from './support/app.ts';
import { chooseList, csvFile, filesUnder, goTo, openProject, startBatch } from './support/window.ts';

const MARKUP = '<img src=x onerror="document.title=`taken over`">';
const shots: readonly (readonly [key: string, prompt: string, fileName: string])[] = [
  ['<script>1</script>', MARKUP, '../../escaped'],
  ['../../up', `{@html "${MARKUP}"} \${1+1} {{1+1}}`, '..'],
  ['C:\\CON', 'Right to left \u202Egnp.exe\u202C and back', 'CON'],
  ['שלום', 'עולם ומלואו', 'שלום'],
  ['=1+1', 'x'.repeat(10_000), '<b>bold</b>'],
];

for (const language of spokenHere) {
  test.describe(language, () => {
    test.skip(isDesktop && language !== 'en', 'The app speaks the language of its system.');
    test.use({ locale: language });
    test.beforeEach(() => setLanguage(language));
    test.afterEach(() => setLanguage('en'));

    test('hostile prompts, keys, names of files and folders are shown as the text they are', async ({ app, page }) => {
      await app.open();
      // Windows allows no such names in the first place.
      const folder = await openProject(app, page, process.platform === 'win32' ? '${1+1}' : '<svg onload=alert(1)>');
      const list = csvFile(`${MARKUP.replaceAll('"', '')}.csv`, [
        ['shot', 'kind', 'model', 'prompt', 'file_name', MARKUP],
        ...shots.map(([key, prompt, fileName]) => [key, 'image', 'image-demo', prompt, fileName, MARKUP]),
      ]);
      const expectInert = async () => {
        await expect(page.locator('img[src="x"], main script, main b, main svg[onload]')).toHaveCount(0);
        await expect(page).toHaveTitle(/Dailies$/);
      };

      const grid = await chooseList(page, list);
      await expect(grid.getByText(MARKUP, { exact: true }).first()).toBeVisible();
      await expectInert();
      await startBatch(page);
      await expect.poll(() => filesUnder(folder, '.png').length).toBe(shots.length);
      await expectInert();

      await goTo(page, t('place.queue'));
      await page.getByRole('tab', { name: `${t('queue.groupDone')} ${shots.length}` }).click();
      const done = page.getByRole('grid', { name: t('queue.groupDone') });
      for (const [key] of shots) await expect(done.getByText(key, { exact: true })).toBeVisible();
      await expectInert();

      await goTo(page, t('place.review'));
      const takes = page.getByRole('grid', { name: t('group.takes') });
      for (const [key] of shots) await expect(takes.getByText(key, { exact: true })).toBeVisible();
      await takes.press('Enter');
      await expect(page.getByRole('toolbar', { name: t('group.verdict') })).toBeVisible();
      await expectInert();
      await goTo(page, t('place.projects'));
      await expectInert();

      expect(existsSync(app.path('escaped.png'))).toBe(false);
    });
  });
}
