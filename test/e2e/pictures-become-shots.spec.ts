import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  button,
  cellAt,
  chooseList,
  csvFile,
  dropFile,
  filesUnder,
  goTo,
  makeTakes,
  openInProject,
  picture,
  press,
  showTakes,
  startBatch,
  stillList,
  uploadPictures,
} from './support/window.ts';

type Well = 'column.firstFrame' | 'column.referenceImages';
const empty = (column: Well): string => `${t('media.chooseOrDrop')} ${t(column)}`;
const chooser = (page: Page, column: Well) =>
  page.getByRole('dialog', { name: t('media.chooseFor', { column: t(column) }) });
const oneAsset = /^Asset:\/\/\S+$/;
const listOf = (name: string) =>
  csvFile(name, [
    ['shot', 'kind', 'model', 'prompt', 'duration', 'first_frame', 'reference_images'],
    ['010', 'video', 'vgen-2.0-nt', 'The harbour at dawn', '4', '', ''],
    ['020', 'video', 'vgen-2.0-nt', 'The pier at noon', '4', '', ''],
  ]);

test('media of the library are chosen for the cells of a list, by keys, by a button and by a drag @night', async ({
  app,
  page,
}) => {
  const folder = await openInProject(app, page);
  await goTo(page, t('place.library'));

  await test.step('a picture that is dropped onto the library is uploaded', async () => {
    const place = `main button:has-text("${t('library.uploadFiles')}")`;
    await dropFile(page, place, 'harbour.png', await picture(40), 'image/png');
    const dialog = page.getByRole('dialog', { name: 'Upload 1 file' });
    await expect(dialog.getByRole('list', { name: t('common.files') })).toContainText('harbour.png');
    await button(dialog, t('library.upload')).click();
    const row = page.getByRole('grid', { name: t('library.allAssets') }).getByRole('row');
    await expect(row.filter({ hasText: 'harbour' })).toContainText(t('library.ready'));
    await uploadPictures(page, ['pier.png', 'keeper.png'], 3);
    await expectAccessible(page);
  });

  let grid = await chooseList(page, listOf('shots.csv'));
  const cells = grid.getByRole('row').nth(1).getByRole('gridcell');

  await test.step('several for a cell, by keys alone', async () => {
    await expect(grid).toBeFocused();
    await press(page, 'End', 'Alt+ArrowDown');
    const several = chooser(page, 'column.referenceImages');
    const field = several.getByRole('combobox', { name: t('library.findAssets') });
    await expect(field).toBeFocused();
    await expect(several.getByRole('option')).toHaveCount(3);
    await field.fill('pier');
    await expect(several.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await field.fill('keeper');
    await expect(several.getByRole('option', { name: /^keeper/ })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(several.getByRole('option', { checked: true })).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(grid).toBeFocused();
    await expect(cells.last()).toHaveText(/^Asset:\/\/\S+; Asset:\/\/\S+$/);
    await expect(cells.last().locator('img')).toHaveCount(2);
  });

  await test.step('larger pictures of what the active cell names, and none where it names nothing', async () => {
    const card = page.locator('[aria-hidden="true"].fixed img');
    await press(page, 'ArrowLeft', 'ArrowRight');
    await expect(card).toHaveCount(2);
    await page.keyboard.press('ArrowLeft');
    await expect(card).toHaveCount(0);
    await expectAccessible(page);
  });

  await test.step('one by a button, and none for a column of other things', async () => {
    await button(page, t('list.chooseAsset')).click();
    await chooser(page, 'column.firstFrame').getByRole('option', { name: /^pier/ }).click();
    await expect(cells.nth(5)).toHaveText(oneAsset);
    await cells.nth(3).click();
    await page.keyboard.press('ControlOrMeta+Shift+l');
    await expect(page.getByText(t('list.notMedia', { column: 'prompt' }))).toBeVisible();
  });

  await test.step('names of shots are offered once they are meant, and join what is there', async () => {
    await cells.last().click();
    await page.keyboard.press('F2');
    await page.keyboard.type('; sho');
    await expect(page.getByRole('option')).toHaveCount(0);
    await page.keyboard.type('t://0');
    await expect(page.getByRole('option')).toHaveText(['Shot://020']);
    await expectAccessible(page);
    await press(page, 'ArrowDown', 'Enter');
    await expect(cells.last()).toHaveText(/^Asset:\/\/\S+; Asset:\/\/\S+; Shot:\/\/020$/);
  });

  await test.step('an asset is dragged through the views into a cell, and its shot is made with it', async () => {
    grid = await chooseList(page, listOf('dragged.csv'));
    await goTo(page, t('place.library'));
    await page.getByRole('row').filter({ hasText: 'harbour' }).hover();
    await page.mouse.down();
    const views = page.getByRole('navigation', { name: t('window.views') });
    const cell = cellAt(grid, 1, 5);
    for (const place of [button(views, t('place.batch')), button(page, 'dragged'), cell]) {
      await place.hover();
      await place.hover();
    }
    await page.mouse.up();
    await expect(cell).toHaveText(oneAsset);
    const reference = await cell.innerText();
    await startBatch(page);
    await expect.poll(() => filesUnder(folder, '.mp4')).toEqual(['dragged/010_t1.mp4', 'dragged/020_t1.mp4']);
    expect(JSON.stringify(app.service.ledger.billableCommits().map(({ body }) => body))).toContain(reference.trim());
    await goTo(page, t('place.library'));
    await page.getByRole('row').filter({ hasText: 'harbour' }).click();
    await expect(page.getByRole('complementary').getByText('010')).toBeVisible();
  });
});

test('a described shot takes its media from the library, from takes and from dropped files, by keys alone @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  await goTo(page, t('place.library'));
  await uploadPictures(page, ['harbour.png', 'pier.png']);
  await makeTakes(page, stillList(['010']), 1);
  await goTo(page, t('place.batch'));
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: t('batch.describeShot') });
  const well = (name: string) => dialog.getByRole('group', { name, exact: true });
  await dialog.getByRole('combobox', { name: t('common.model') }).fill('vgen-2.0-nt');

  await test.step('several of the library: chosen again, one is left out', async () => {
    await button(dialog, empty('column.referenceImages')).focus();
    await page.keyboard.press('Enter');
    const several = chooser(page, 'column.referenceImages');
    await expect(several.getByRole('option')).toHaveCount(2);
    await expectAccessible(page);
    await page.keyboard.type('pier');
    await expect(several.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(several.getByRole('option', { checked: true })).toHaveCount(1);
    await several.getByRole('combobox').fill('');
    await press(page, 'ArrowRight', 'Enter', 'Enter', 'Escape');
    await expect(several).toBeHidden();
    await expect(well(t('column.referenceImages')).locator('img')).toHaveCount(1);
    await expect(button(dialog, 'pier.png')).toBeFocused();
  });

  await test.step('one of the takes, with its picture', async () => {
    await button(dialog, empty('column.firstFrame')).focus();
    await page.keyboard.press('Enter');
    const takes = chooser(page, 'column.firstFrame');
    await press(page, 'Shift+Tab', 'ArrowRight');
    const take = takes.getByRole('option', { name: /^010/ });
    await expect(take.locator('img')).toBeVisible();
    await expect(take).toContainText(t('media.thisFile'));
    await expectAccessible(page);
    await press(page, 'Tab', 'Enter');
    await expect(takes).toBeHidden();
    await expect(well(t('column.firstFrame')).locator('img')).toBeVisible();
  });

  await test.step('a dropped file goes to the library, and only images go here', async () => {
    const place = `[data-field="last_frame"] [role="group"]`;
    await dropFile(page, place, 'shots.csv', 'shot');
    await expect(page.getByText(t('media.otherType', { type: 'image' }))).toBeVisible();
    await dropFile(page, place, 'keeper.png', await picture(200), 'image/png');
    await expect(button(dialog, 'keeper.png').locator('img')).toBeVisible();
    await button(dialog, t('window.actionOn', { action: t('settings.remove'), name: 'pier.png' })).press('Enter');
    await expect(button(dialog, empty('column.referenceImages'))).toBeFocused();
  });

  await test.step('it is sent with all of them; the file of a take is the project’s own, and nobody is asked about it', async () => {
    await button(dialog, 'Queue 1 take').click();
    const asset: unknown = expect.stringMatching(/^Asset:/);
    const sent = () => app.service.ledger.billableCommits().at(-1)?.body;
    await expect.poll(sent, { timeout: 30_000 }).toMatchObject({ first_frame_url: asset, last_frame_url: asset });
  });
});

test('a video waits for its still, and review leads from one to the other and back @night', async ({ app, page }) => {
  const list = csvFile('night.csv', [
    ['shot', 'kind', 'model', 'prompt', 'first_frame'],
    ['010', 'image', 'image-demo', 'A lighthouse', ''],
    ['020', 'video', 'vgen-2.0-nt', 'The light comes on', 'Shot://010'],
  ]);
  await openInProject(app, page);

  await test.step('it waits for as long as nobody decides about a still whose answer was lost', async () => {
    await chooseList(page, list);
    app.service.faults.add({ match: { method: 'POST', prompt: 'A lighthouse' }, do: { fault: 'reset', commit: true } });
    await startBatch(page);
    await goTo(page, t('place.queue'));
    await page.getByRole('tab', { name: /^Waiting/ }).click();
    const waiting = page.getByRole('grid', { name: t('state.waiting') }).getByRole('row');
    await expect(waiting.filter({ hasText: '020' })).toContainText('Waiting for 010');

    await page.getByRole('tab', { name: `${t('state.needsDecision')} 1` }).click();
    const undecided = page.getByRole('grid', { name: t('state.needsDecision') });
    await undecided.getByRole('row').filter({ hasText: '010' }).click();
    await button(page.getByRole('toolbar', { name: t('queue.selectedTakes') }), t('common.decide')).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: t('common.sendAgain') }).check();
    await dialog.getByRole('checkbox', { name: t('queue.agreeToSecondCharge') }).check();
    await button(dialog, t('queue.submitTakesAgain', { count: 1 })).click();
    await expect(page.getByRole('tab', { name: 'Done 2' })).toBeVisible();
  });

  const grid = page.getByRole('grid');
  await test.step('the list shows the still in the cell that names it, larger where the keyboard comes to', async () => {
    await chooseList(page, list);
    await expect(grid.locator('[data-shot="010"] img')).toBeVisible();
    await grid.getByRole('gridcell', { name: 'Shot://010' }).click();
    await expect(page.locator('[aria-hidden="true"].fixed [data-shot="010"] img')).toBeVisible();
  });

  await test.step('a take of the picker names its shot where that shot means it now, and follows a later pick', async () => {
    await cellAt(grid, 2, 4).click();
    await press(page, 'Delete', 'Alt+ArrowDown');
    const picker = chooser(page, 'column.firstFrame');
    await picker.getByText(t('group.takes'), { exact: true }).click();
    const take = picker.getByRole('option', { name: /^010/ });
    await expect(take).toContainText(t('media.followsPick'));
    await take.click();
    await expect(grid.getByRole('gridcell', { name: 'Shot://010' })).toBeVisible();
  });

  await test.step('review leads there and back', async () => {
    const takes = await showTakes(page);
    const recipe = page.getByRole('complementary', { name: t('common.details') });
    await takes.getByRole('gridcell', { name: '020 take 1' }).click();
    await button(recipe, 'From 010 · take 1').click();
    await expect(recipe.getByRole('heading', { name: '010' })).toBeVisible();
    await button(recipe, 'Used in 020 · take 1').click();
    await expect(recipe.getByRole('heading', { name: '020' })).toBeVisible();
  });
});
