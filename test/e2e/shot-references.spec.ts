import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, startBatch } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, videoMs: 100, jitter: 0 } } });

test('a video waits for its still, and review leads from one to the other and back', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  const list = [
    ['shot', 'kind', 'model', 'prompt', 'first_frame'],
    ['010', 'image', 'image-demo', 'A lighthouse', ''],
    ['020', 'video', 'vgen-2.0-nt', 'The light comes on', 'Shot://010'],
  ];
  await chooseList(page, csvFile('night.csv', list));
  // A lost answer: the video waits for as long as nobody decides about its still.
  app.service.faults.add({ match: { method: 'POST', prompt: 'A lighthouse' }, do: { fault: 'reset', commit: true } });
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await page.getByRole('tab', { name: /^Waiting/ }).click();
  const waiting = page.getByRole('grid', { name: t('state.waiting') });
  await expect(waiting.getByRole('row').filter({ hasText: '020' })).toContainText('Waiting for 010');

  await page.getByRole('tab', { name: `${t('state.needsDecision')} 1` }).click();
  await page
    .getByRole('grid', { name: t('state.needsDecision') })
    .getByRole('row')
    .filter({ hasText: '010' })
    .click();
  await page
    .getByRole('toolbar', { name: t('queue.selectedTakes') })
    .getByRole('button', { name: t('common.decide') })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: t('common.sendAgain') }).check();
  await dialog.getByRole('checkbox', { name: t('queue.agreeToSecondCharge') }).check();
  await dialog.getByRole('button', { name: t('queue.submitTakesAgain', { count: 1 }) }).click();
  await expect(page.getByRole('tab', { name: 'Done 2' })).toBeVisible();

  // The list shows the still in the cell that names it, larger where the keyboard comes to.
  const grid = await chooseList(page, csvFile('night.csv', list));
  await expect(grid.locator('[data-shot="010"] img')).toBeVisible();
  await grid.getByRole('gridcell', { name: 'Shot://010' }).click();
  await expect(page.locator('[aria-hidden="true"].fixed [data-shot="010"] img')).toBeVisible();

  // A take of the picker names its shot where that shot means it now, and follows a later pick.
  await grid.getByRole('row').nth(2).getByRole('gridcell').last().click();
  await page.keyboard.press('Delete');
  await page.keyboard.press('Alt+ArrowDown');
  const picker = page.getByRole('dialog', { name: t('media.chooseFor', { column: t('column.firstFrame') }) });
  await picker.getByText(t('group.takes'), { exact: true }).click();
  const take = picker.getByRole('option', { name: /^010/ });
  await expect(take).toContainText(t('media.followsPick'));
  await take.click();
  await expect(grid.getByRole('gridcell', { name: 'Shot://010' })).toBeVisible();

  await goTo(page, t('place.review'));
  const recipe = page.getByRole('complementary', { name: t('review.recipe') });
  await page.getByRole('gridcell', { name: '020 take 1' }).click();
  await recipe.getByRole('button', { name: 'From 010 · take 1' }).click();
  await expect(recipe.getByRole('heading', { name: '010' })).toBeVisible();
  await recipe.getByRole('button', { name: 'Used in 020 · take 1' }).click();
  await expect(recipe.getByRole('heading', { name: '020' })).toBeVisible();
});
