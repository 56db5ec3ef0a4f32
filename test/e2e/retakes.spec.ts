import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { button, press, reviewStills, takeCell } from './support/window.ts';

test('a retake by the note of a take, by keyboard alone, and the pair of it side by side @night', async ({
  app,
  page,
}) => {
  await reviewStills(app, page);
  const dialog = page.getByRole('dialog');
  const note = dialog.getByRole('textbox', { name: t('review.retakeNote') });
  const prompt = dialog.getByRole('textbox', { name: t('common.prompt') });

  await test.step('R, the note, and Enter twice: a model changes the prompt, and a person accepts it', async () => {
    await press(page, 'r');
    await expect(note).toBeFocused();
    await expect(dialog).toContainText(t('review.takesCost', { count: 1, cost: t('common.priceUnknown') }));
    await expectAccessible(page);
    await dialog.getByText(t('review.promptByModel')).click();
    await dialog.getByRole('combobox', { name: t('tools.textModel') }).fill('chat-demo');
    await note.click();
    await page.keyboard.press('Enter');
    await expect(dialog).toContainText(t('review.noteNeeded'));
    await page.keyboard.type('Too dark');
    expect(app.service.ledger.commits).toBe(3);
    await page.keyboard.press('Enter');
    await expect(dialog.locator('ins')).not.toHaveCount(0);
    await expectAccessible(page);
    expect(app.service.ledger.commits).toBe(4);
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByText(t('review.takesQueued', { count: 1 }))).toBeVisible();
    await expect(page.getByRole('gridcell', { name: takeCell('010', 2) })).toBeVisible();
    expect(app.service.ledger.commits).toBe(5);
  });

  await test.step('the retake is found, and opens beside its predecessor with the words that changed', async () => {
    await press(page, '/');
    await page.keyboard.type('is:retake');
    await expect(page.getByRole('gridcell')).toHaveCount(1);
    await page.getByRole('gridcell').click();
    await press(page, 'Shift+P');
    await expect(page.getByText(t('review.comparing', { count: 2 }))).toBeVisible();
    const changes = page.getByLabel(t('review.pairChanges'));
    await expect(changes).toContainText('Too dark');
    await expect(changes.locator('ins')).not.toHaveCount(0);
    await expectAccessible(page);
  });

  await test.step('a prompt that a person writes is queued as it is', async () => {
    await press(page, 'Escape');
    await press(page, 'r');
    await dialog.getByText(t('review.promptByHand')).click();
    await prompt.fill('A lamp at noon');
    await expect(dialog.locator('ins')).not.toHaveCount(0);
    // Nothing is queued before its price was shown.
    await expect(dialog).toContainText(t('review.takesCost', { count: 1, cost: t('common.priceUnknown') }));
    await prompt.press('Enter');
    await expect(dialog).toBeHidden();
    await expect.poll(() => app.service.ledger.commits).toBe(6);
    expect(app.service.ledger.billableCommits().at(-1)?.body).toMatchObject({ prompt: 'A lamp at noon' });
  });
});

test('finals of picks are queued with other settings once their price was shown @night', async ({ app, page }) => {
  await reviewStills(app, page);
  const dialog = page.getByRole('dialog');
  const finals = async (): Promise<void> => {
    await page.getByRole('gridcell', { name: takeCell('010', 1) }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: t('review.finals') }).click();
  };
  await finals();
  await expect(dialog).toContainText(t('review.finalsNone'));
  await press(page, 'Escape');
  await press(page, 'p');
  await finals();
  await expect(dialog).toContainText(t('review.finalsDescription', { count: 1 }));
  await expect(button(dialog, t('review.queueFinals', { count: 0 }))).toBeDisabled();
  await dialog.locator('input').first().waitFor();
  await expectAccessible(page);
  await dialog.getByLabel(t('column.size'), { exact: true }).fill('2048x2048');
  await button(dialog, t('review.queueFinals', { count: 1 })).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('gridcell', { name: takeCell('010', 2) })).toBeVisible();
  expect(app.service.ledger.billableCommits().at(-1)?.body).toMatchObject({ size: '2048x2048' });
  expect(app.service.ledger.commits).toBe(4);
});
