import { t, withDots } from '../../src/contract/messages/words.ts';
import { writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, expectAccessibleInBothThemes, test, type App } from './support/app.ts';
import { chooseList, csvFile, openProject } from './support/window.ts';

const prompts = ['A red door', 'A hand on the rail', 'A street in the rain'];
const list = csvFile('night.csv', [
  ['shot', 'kind', 'model', 'prompt'],
  ...prompts.map((prompt, index) => [`0${index + 1}0`, 'image', 'image-demo', prompt]),
]);

async function open(app: App, page: Page): Promise<void> {
  const prices = [{ model: 'chat-*', per: 'take', price: 0.02 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ currency: 'USD', prices, appearance: 'system' }));
  await app.open();
  await openProject(app, page);
}

/** Asks about the three rows of the list, with the keyboard alone. */
async function askAboutAll(page: Page, ask: string): Promise<void> {
  const grid = page.getByRole('grid');
  await expect(grid).toBeFocused();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('ControlOrMeta+j');
  await expect(page.getByRole('textbox', { name: t('tools.whatToChange') })).toBeFocused();
  await page.keyboard.type(ask);
  await page.keyboard.press('Tab');
  await page.getByRole('combobox', { name: t('tools.textModel') }).fill('chat-demo');
  await expect(page.getByText('1 call, 0.02 USD')).toBeVisible();
  await page.keyboard.press('Enter');
}

const posts = (app: App): number => app.service.ledger.posts().length;

test('three prompts are rewritten by keyboard, one is left out, and one undo takes it all back', async ({
  app,
  page,
}) => {
  await open(app, page);
  const grid = await chooseList(page, list);
  await askAboutAll(page, 'Make it night');

  const changes = page.getByRole('listbox', { name: t('tools.changes') });
  await expect(changes).toBeFocused();
  await expect(changes.getByRole('option', { selected: true })).toHaveCount(3);
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('ArrowDown');
  // A key of an input method is no key of the list.
  await changes.dispatchEvent('keydown', { key: ' ', isComposing: true });
  await expect(changes.getByRole('option', { selected: true })).toHaveCount(3);
  await page.keyboard.press('Space');
  await expect(page.getByText(t('tools.taken', { taken: 2, count: 3 }))).toBeVisible();
  await page.keyboard.press('ControlOrMeta+Enter');

  const prompt = (text: string) => grid.getByRole('gridcell', { name: text, exact: true });
  await expect(grid).toBeFocused();
  await expect(prompt('A red door')).toHaveCount(0);
  await expect(prompt('A hand on the rail')).toBeVisible();
  await expect(prompt('A street in the rain')).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+z');
  for (const text of prompts) await expect(prompt(text)).toBeVisible();
  await expect(page.getByRole('button', { name: t('menu.role.undo') })).toBeDisabled();
  expect(posts(app)).toBe(1);
});

test('a call of unknown fate is a decision, and a paid answer outlives its window', async ({ app, page }) => {
  await open(app, page);
  await chooseList(page, list);
  app.service.faults.add({ match: { method: 'POST' }, do: { fault: 'reset', commit: true } });
  await askAboutAll(page, 'Make it night');
  await expect(page.getByRole('dialog', { name: t('tools.newPrompts') }).getByRole('alert')).toContainText(
    'It may have been charged',
  );
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Enter');
  const waiting = page.getByRole('list', { name: t('tools.openCalls') });
  await expect(waiting).toContainText('It may have been charged');
  await expect(waiting).toContainText('One call costs 0.02 USD');
  await page.reload();
  await waiting.getByRole('button', { name: withDots('common.sendAgain') }).click();
  await page
    .getByRole('dialog', { name: t('tools.sendAgainQuestion') })
    .getByRole('button', { name: t('common.sendAgain') })
    .click();
  await expect(page.getByText(t('tools.taken', { taken: 3, count: 3 }))).toBeVisible();

  await page.reload();
  await expect(waiting).toContainText(t('tools.callAnswered'));
  await expectAccessibleInBothThemes(page);
  await waiting.getByRole('button', { name: t('tools.showAnswer') }).click();
  await expect(page.getByText(t('tools.taken', { taken: 3, count: 3 }))).toBeVisible();
  await page.getByRole('button', { name: t('common.decideLater') }).click();

  await page.getByRole('button', { name: t('common.allBatches') }).click();
  await expect(waiting).toBeHidden();
  await page.getByRole('button', { name: 'Discard night' }).click();
  await waiting.getByRole('button', { name: t('tools.showAnswer') }).click();
  await expect(page.getByText(t('tools.taken', { taken: 3, count: 3 }))).toBeVisible();
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(page.getByRole('gridcell', { name: 'A red door', exact: true })).toHaveCount(0);
  await expect(waiting).toBeHidden();
  expect(posts(app)).toBe(2);
});
