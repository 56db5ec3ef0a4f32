import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, filesUnder, goTo, openProject, settled, startBatch } from './support/window.ts';
import { t } from '../../src/contract/messages/words.ts';

const MARKUP = '<img src=x onerror="document.title=`taken over`"><script>document.title = `taken over`</script>';
const lines = Array.from({ length: 400 }, (_, line) => `Line ${line + 1} of the script.`);
const script = [MARKUP, ...lines, 'The end.'].join('\n');

const list = csvFile('script.csv', [
  ['shot', 'kind', 'model', 'prompt'],
  ['010', 'text', 'chat-demo', 'A script'],
  ['020', 'image', 'image-demo', 'A poster'],
]);

test('a text is read in review as the text it is and judged by keys', async ({ app, page }) => {
  const body = { choices: [{ message: { role: 'assistant', content: script } }] };
  const answer = { fault: 'status', status: 200, body, commit: true } as const;
  app.service.faults.add({ match: { path: '/v1/chat/completions' }, do: answer });
  await app.open();
  const folder = await openProject(app, page);
  await chooseList(page, list);
  await startBatch(page);
  await settled(page, 2);
  expect(filesUnder(folder, '.md').map((file) => readFileSync(join(folder, file), 'utf8'))).toEqual([script]);

  await goTo(page, t('place.review'));
  const takes = page.getByRole('grid', { name: t('group.takes') });
  const tile = takes.getByRole('gridcell', { name: '010 take 1' });
  await expect(tile.getByText('Line 1 of the script.')).toBeVisible();
  await tile.dblclick();

  const shown = page.getByRole('document', { name: '010 · take 1' });
  await expect(shown).toContainText(MARKUP);
  await expect(shown).toContainText('Line 400 of the script.');
  await expect(page.locator('img[src="x"], main script')).toHaveCount(0);
  await expect(page).toHaveTitle(/Dailies$/);
  await expect(page.getByRole('toolbar', { name: t('group.player') })).toHaveCount(0);

  await shown.focus();
  await page.keyboard.press('End');
  await expect.poll(() => shown.evaluate((text) => text.scrollTop)).toBeGreaterThan(1000);
  // A verdict goes on to the next take.
  await page.keyboard.press('p');
  await expect(page.getByRole('img', { name: '020 · take 1' })).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await expect(shown).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tile).toContainText(t('review.picked'));
});
