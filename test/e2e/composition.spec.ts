import type { CDPSession, Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

const list = csvFile('stills.csv', [
  ['shot', 'kind', 'model', 'prompt'],
  ['010', 'image', 'image-demo', 'A still'],
  ['020', 'image', 'image-demo', 'A door'],
]);

/** A word under way in the field with the focus, and the keys with which people choose among its candidates. */
async function compose(input: CDPSession, syllables: string): Promise<void> {
  await input.send('Input.imeSetComposition', {
    text: syllables,
    selectionStart: syllables.length,
    selectionEnd: syllables.length,
  });
  for (const key of ['ArrowDown', 'Enter', 'Tab', 'Escape', ' ']) {
    await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, windowsVirtualKeyCode: 229 });
    await input.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }
}

const take = (input: CDPSession, word: string) => input.send('Input.insertText', { text: word });

const palette = (page: Page) => page.getByRole('combobox', { name: t('window.searchCommands') });

test('keys with which an input method composes a word do nothing else', async ({ app, page }) => {
  test.skip(isDesktop, 'The words are composed through the browser.');
  await app.open();
  await openProject(app, page);
  const grid = await chooseList(page, list);
  const input = await page.context().newCDPSession(page);

  await expect(grid.getByRole('gridcell', { name: 'A still', exact: true })).toBeVisible();
  await grid.focus();
  await page.keyboard.press('ControlOrMeta+Home');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  const cell = page.getByRole('textbox', { name: 'prompt', exact: true });
  await expect(cell).toBeFocused();
  await cell.fill('');
  await compose(input, 'deng ta');
  await expect(cell).toBeFocused();
  await expect(cell).toHaveValue('deng ta');
  await take(input, '灯塔');
  await page.keyboard.press('Enter');
  await expect(grid.getByRole('gridcell', { name: '灯塔', exact: true })).toBeVisible();
  await expect(grid.getByRole('gridcell', { name: 'A door', exact: true })).toBeVisible();

  await page.keyboard.press('ControlOrMeta+k');
  await expect(palette(page)).toBeFocused();
  await compose(input, 'dui lie');
  await expect(palette(page)).toHaveValue('dui lie');
  await take(input, '队列');
  await expect(palette(page)).toHaveValue('队列');
  await page.keyboard.press('Escape');
  await expect(palette(page)).toBeHidden();

  await startBatch(page);
  await settled(page, 2);
  await goTo(page, t('place.review'));
  await page.getByRole('grid', { name: t('group.takes') }).press('n');
  const note = page.getByRole('dialog').getByRole('textbox');
  await expect(note).toBeFocused();
  await compose(input, 'hao');
  await take(input, '好');
  await expect(note).toHaveValue('好');
  await page.keyboard.press('Enter');
  await expect(note).toBeHidden();
  await expect(page.getByText('好', { exact: true }).first()).toBeVisible();
});
