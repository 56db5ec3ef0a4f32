import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import { reviewStills, runCommand } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

/** Takes back the last change, and waits until the window says that it is. */
async function undo(page: Page, words: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByText(t('common.undone', { done: words }), { exact: true })).toBeVisible();
}

test('changes are taken back by key long after, in any view, but none that another window changed since', async ({
  app,
  page,
}) => {
  await page.clock.install();
  const { takes } = await reviewStills(app, page);
  const tile = takes.getByRole('gridcell', { name: '010 take 1' });
  await page.keyboard.press('4');
  await expect(tile).toContainText('4 of 5');

  await runCommand(page, t('batch.renameNamed', { batch: 'stills' }));
  await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused();
  await page.keyboard.type('Night one');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await runCommand(page, t('batch.notesOf', { batch: 'Night one' }));
  await page.getByRole('dialog').getByRole('textbox').fill('Too dark');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('common.save') })
    .press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await runCommand(page, t('night.titleOfBatch', { batch: 'Night one' }));
  await expect(page.getByLabel(t('night.from'))).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await runCommand(page, t('batch.archiveNamed', { batch: 'Night one' }));
  const archived = t('history.batchArchived', { batch: 'Night one' });
  await expect(page.getByText(archived, { exact: true })).toBeVisible();

  // Longer than a message with its button stays.
  await page.clock.fastForward(60_000);
  await expect(page.getByText(archived, { exact: true })).toBeHidden();
  await runCommand(page, t('place.queue'));
  await undo(page, archived);
  await undo(page, t('history.windowChanged', { scope: 'batch', batch: 'Night one' }));
  await undo(page, t('history.batchNoted', { batch: 'Night one' }));

  const other = isDesktop ? null : await page.context().newPage();
  if (other) {
    await other.goto(page.url());
    await expect(other.getByRole('heading', { level: 1 }).or(other.getByRole('grid')).first()).toBeVisible();
    await runCommand(other, t('batch.renameNamed', { batch: 'Night one' }));
    await expect(other.getByRole('dialog').getByRole('textbox')).toBeFocused();
    await other.keyboard.type('Day one');
    await other.keyboard.press('Enter');
    await expect(other.getByRole('dialog')).toBeHidden();
    await page.keyboard.press('ControlOrMeta+z');
    const renamed = t('history.batchRenamed', { before: 'stills', name: 'Night one' });
    await expect(page.getByText(t('common.notUndone', { done: renamed }))).toBeVisible();
    await expect(page.getByText(t('common.changedSince'))).toBeVisible();
  } else await undo(page, t('history.batchRenamed', { before: 'stills', name: 'Night one' }));

  await page.keyboard.press('ControlOrMeta+z');
  await runCommand(page, t('place.review'));
  await expect(tile).toBeVisible();
  await expect(tile).not.toContainText('4 of 5');
});
