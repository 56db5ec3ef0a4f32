import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test, type App } from './support/app.ts';
import {
  button,
  choose,
  chooseList,
  csvFile,
  enter,
  goTo,
  makeTakes,
  openInProject,
  settled,
  startBatch,
} from './support/window.ts';

const header = ['shot', 'kind', 'model', 'prompt', 'duration'];
const shot = (key: string, prompt: string): string[] => [key, 'video', 'vgen-2.0-nt', prompt, '5'];

/** A picture in a folder that no list and no project is in. */
function pictureOutside(app: App): string {
  mkdirSync(app.path('Pictures'));
  const picture = join(realpathSync(app.path('Pictures')), 'hero.png');
  const bytes = Buffer.alloc(1082);
  bytes.write('BM');
  writeFileSync(picture, bytes);
  return picture;
}

test('an edited list under a new name goes to where its shots are, and pays for them again only when told to @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  const four = [shot('010', 'A gull'), shot('020', 'A pier'), shot('030', 'A boat'), shot('040', 'A lamp')];
  const name = page.getByRole('combobox', { name: t('start.batchName') });
  await chooseList(page, csvFile('shots.csv', [header, ...four]));
  await name.fill('Keeper');
  await startBatch(page);
  await settled(page, 4);
  expect(app.service.ledger.commits).toBe(4);

  const ways = page.getByRole('group', { name: t('start.chooseBatch') });
  const there = button(ways, /^Add to “Keeper”: 1 new take,/);
  await test.step('its shots are proposed to go to their batch', async () => {
    await chooseList(page, csvFile('shots_v2.csv', [header, ...four.slice(0, 3), shot('040', 'A long lamp')]));
    await expect(page.getByText(t('start.madeAlready', { shots: 4, ofShots: 4, batch: 'Keeper' }))).toBeVisible();
    await expect(name).toHaveValue('Keeper');
    await expect(page.getByText(/^1 new take,/)).toBeVisible();
    await expect(there).toHaveAttribute('aria-pressed', 'true');
  });

  await test.step('another batch is a choice, which is kept', async () => {
    await button(ways, /^New batch “shots_v2”: 4 new takes,/).click();
    await expect(name).toHaveValue('shots_v2');
    await expect(page.getByText(/^4 new takes,/)).toBeVisible();
    await button(page, t('common.allBatches')).click();
    await button(page, 'shots_v2').click();
    await expect(name).toHaveValue('shots_v2');
    await page.reload();
    await expect(name).toHaveValue('shots_v2');
  });

  await test.step('a batch is found by what is typed', async () => {
    await name.click();
    await name.fill('kee');
    await page.getByRole('option', { name: 'Keeper' }).click();
    await expect(name).toHaveValue('Keeper');
    await expect(there).toHaveAttribute('aria-pressed', 'true');
    await startBatch(page);
    await expect(button(page, '5 saved')).toBeVisible();
    expect(app.service.ledger.commits).toBe(5);
  });

  await test.step('shots under other keys are made again only once that was agreed to', async () => {
    const renamed = [header, ...four.map(([key, ...cells]) => [`S${key}`, ...cells])];
    await chooseList(page, csvFile('Keeper.csv', renamed));
    const facts = { shots: 4, ofShots: 4, batch: 'Keeper', shot: 'S010', madeAs: '010' };
    const moved = page.getByRole('status').filter({ hasText: t('start.madeUnderOtherKeys', facts) });
    await expect(moved).toBeVisible();
    await button(page, t('start.start')).click();
    const start = button(page.getByRole('dialog'), t('start.startTakes', { count: 4 }));
    await expect(start).toBeDisabled();
    await page.getByRole('switch', { name: t('start.makeAgain', { count: 4 }) }).click();
    await expect(start).toBeEnabled();
  });
});

test('a file outside the folders of list and project is sent once the person has agreed to it @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  const picture = pictureOutside(app);
  const columns = [...header, 'first_frame'];
  const dialog = page.getByRole('dialog');
  const agree = dialog.getByRole('switch', { name: t('start.sendOutside', { count: 1 }) });

  await test.step('a described shot asks for it', async () => {
    await goTo(page, t('place.batch'));
    await button(page, t('batch.describeShot')).click();
    const shotDialog = page.getByRole('dialog', { name: t('batch.describeShot') });
    await shotDialog.getByRole('textbox', { name: t('common.prompt') }).fill('A pier in the rain');
    await shotDialog.getByRole('combobox', { name: t('common.model') }).fill('vgen-2.0-nt');
    await shotDialog.getByLabel(t('column.duration')).fill('5');
    await button(shotDialog, `${t('media.chooseOrDrop')} ${t('column.firstFrame')}`).click();
    const picker = page.getByRole('dialog', { name: t('media.chooseFor', { column: t('column.firstFrame') }) });
    await picker.getByText(t('common.files'), { exact: true }).click();
    await picker.getByRole('textbox', { name: t('media.written') }).fill(picture);
    await page.keyboard.press('Enter');
    await expect(picker).toBeHidden();
    await button(shotDialog, 'Queue 1 take').click();
    await expect(shotDialog.getByText(t('start.outsideWarning', { count: 1 }))).toBeVisible();
    expect(app.service.ledger.posts()).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(shotDialog).toBeHidden();
  });

  await test.step('so does the start of a list', async () => {
    await chooseList(page, csvFile('shots.csv', [columns, [...shot('010', 'A gull'), picture]]));
    await button(page, t('start.start')).click();
    await expect(dialog.getByRole('region', { name: t('start.outside') }).getByText(picture)).toBeVisible();
    const start = button(dialog, /^Start \d/);
    await expect(start).toBeDisabled();
    await expectAccessible(page);
    await agree.click();
    await start.click();
    await settled(page, 1);
    expect(app.service.ledger.posts('/v1/assets/uploads')).toHaveLength(1);
  });
});

test('one shot is described without a list, with what does not fit said at its field, and what it costs @night', async ({
  app,
  page,
}) => {
  const prices = [{ model: 'vgen-2.0-nt', per: 'second', price: 0.5 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ currency: 'EUR', prices }));
  await openInProject(app, page);
  await goTo(page, t('place.batch'));
  await expect(button(page, t('batch.describeShot'))).toBeVisible();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: t('batch.describeShot') });
  const prompt = dialog.getByRole('textbox', { name: t('common.prompt') });
  const model = dialog.getByRole('combobox', { name: t('common.model') });

  await test.step('a missing prompt is said at its field', async () => {
    await expect(prompt).toBeFocused();
    // The number is there once the estimate is.
    await button(dialog, new RegExp(`^(${t('batch.queueShot')}|${t('batch.queueTakes', { count: 1 })})$`)).click();
    await expect(dialog.getByText(t('defect.noPrompt'), { exact: false })).toBeVisible();
    await prompt.fill('A lamp in the fog');
  });

  await test.step('models are offered, and Escape closes their list alone', async () => {
    const offered = dialog.getByRole('listbox', { name: 'Model: choices' });
    await model.fill('2.0-nt');
    const choice = offered.getByRole('option', { name: 'vgen-2.0-nt', exact: true });
    await expect(choice).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(offered).toBeHidden();
    await expect(dialog).toBeVisible();
    await model.fill('2.0-n');
    await choice.click();
    await expect(model).toHaveValue('vgen-2.0-nt');
  });

  await test.step('how many takes it asks for, how long they are and what they cost is said before it is queued', async () => {
    await dialog.getByLabel(t('column.duration')).fill('5');
    await expect(dialog.getByText('1 take, 5 s, 2.50 EUR')).toBeVisible();
    await dialog.getByText(t('menu.more'), { exact: true }).click();
    await dialog.getByLabel(t('column.takes')).fill('3');
    await expect(dialog.getByText('3 takes, 15 s, 7.50 EUR')).toBeVisible();
    await expectAccessible(page);
    await button(dialog, 'Queue 3 takes').click();
    await expect(dialog).toBeHidden();
    await settled(page, 3);
    expect(app.service.ledger.billableCommits()[0]?.body).toMatchObject({ prompt: 'A lamp in the fog', duration: 5 });
  });
});

test('a refused shot is named, leads to its cell, and once it is corrected nothing says any more that it failed @night', async ({
  app,
  page,
}) => {
  const { faults, ledger } = app.service;
  faults.add({ match: { method: 'POST', prompt: 'A bad door' }, do: { fault: 'status', status: 400 } });
  faults.add({ match: { method: 'POST', prompt: 'A red door' }, do: { fault: 'outcome', end: 'failed' } });
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ maxRate: { submit: 50 } }));
  await openInProject(app, page);
  const many = Array.from({ length: 60 }, (_none, index) => shot(`1${String(index).padStart(2, '0')}`, 'A pier'));
  const badDoor = page.getByRole('grid').locator('[role=gridcell]:is(.active, .was-active)');
  const shots = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'day' }) });
  const details = page.getByRole('complementary', { name: t('common.details') });

  await test.step('a batch keeps the order of its list', async () => {
    const list = [header, shot('930', 'A gull'), ...many, shot('900', 'A bad door')];
    await makeTakes(page, csvFile('day.csv', list), 61);
    await expect(shots.getByRole('row').nth(1)).toContainText('930');
  });

  await test.step('the queue leads to its cell', async () => {
    await goTo(page, t('place.queue'));
    const failed = page.getByRole('grid', { name: t('state.failed') }).getByRole('row');
    await failed.filter({ hasText: '900' }).click();
    await page.keyboard.press('i');
    await button(details, t('common.editShot')).click();
    await expect(badDoor).toHaveText('A bad door');
  });

  await test.step('its batch leads to its cell, and to its take in the queue', async () => {
    await button(page, t('common.allBatches')).click();
    await page.getByTitle('day', { exact: true }).click();
    await button(page, '1 failed').click();
    await button(page, t('batch.editAgain')).click();
    await expect(badDoor).toHaveText('A bad door');
    await page.goBack();
    await button(page, '1 failed').click();
    const pane = page.getByRole('complementary', { name: t('batch.shotDetails') });
    await button(pane, t('place.queue')).click();
    await expect(page.getByRole('tab', { name: 'Failed 1' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('row', { selected: true })).toContainText('900');
    await expect(details).toContainText('A bad door');
    // A finished one is found too, among many.
    await page.goBack();
    await shots.press('ControlOrMeta+Home');
    await button(pane, t('place.queue')).click();
    await expect(page.getByRole('row', { selected: true })).toContainText('930');
    await expect(page.getByRole('row', { selected: true })).toBeInViewport();
    await expect(details).toContainText(t('state.saved'));
    await page.goBack();
  });

  await test.step('once it is corrected nothing says any more that it failed', async () => {
    await button(page, '1 failed').click();
    await button(page, t('batch.editAgain')).click();
    const said = `${t('start.noNewTakes')} ${t('start.failed', { count: 1, shots: '900', others: 0 })}`;
    await expect(page.getByText(said)).toBeVisible();
    await expect(button(page, t('start.seeFailed'))).toBeVisible();
    await expect(button(page, t('common.sendAgain'))).toBeVisible();
    await badDoor.click();
    await enter(page, 'A good door');
    await startBatch(page);
    await expect(button(page, '62 saved')).toBeVisible();
    await expect(button(page, /\d failed$/)).toHaveCount(0);
    await expect(page.getByRole('banner').getByText('failed')).toHaveCount(0);
  });

  await test.step('a failed take is made again from the start of its list, once a second charge was agreed to', async () => {
    const list = (prompt: string) => csvFile('doors.csv', [header, shot('010', 'A red door'), shot('020', prompt)]);
    await makeTakes(page, list('A tram'), 1);
    await chooseList(page, list('A long tram'));
    const before = ledger.commits;
    await button(page, t('start.start')).click();
    const start = page.getByRole('dialog', { name: /^Start 1 take/ });
    await expect(start).toContainText(
      `${t('start.failed', { count: 1, shots: '010', others: 0 })} ${t('start.failedStay')}`,
    );
    await button(start, 'Create a new task…').click();
    const question = page.getByRole('dialog', { name: t('queue.makeAgainQuestion', { count: 1 }) });
    await expect(question).toContainText(t('queue.makeAgainCost', { count: 1 }));
    await page.keyboard.press('Escape');
    await expect(question).toBeHidden();
    await expect(start).toBeVisible();
    expect(ledger.commits).toBe(before);

    await button(start, 'Create a new task…').click();
    await button(question, 'Create 1 new task').click();
    await expect(start).not.toContainText('failed');
    await button(start, t('start.startTakes', { count: 1 })).click();
    await expect(button(page, '3 saved')).toBeVisible();
    expect(ledger.commits).toBe(before + 2);
  });
});

test('lists in work and batches are kept in order: opened once, discarded and had back, sorted by name or by hand @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  const still = (name: string) => csvFile(`${name}.csv`, [header, ['010', 'image', 'image-demo', `Of ${name}`, '']]);
  const back = button(page, t('common.allBatches'));
  const inWork = page.getByRole('region', { name: t('batch.listsInProgress') });
  const lines = inWork.getByRole('listitem');

  for (const name of ['Day 10', 'Day 2', 'Day 1']) await makeTakes(page, still(name), 1);
  await back.click();

  await test.step('the pencil opens the list of a batch once', async () => {
    for (let press = 0; press < 2; press += 1) {
      await button(page, t('batch.editBatchAgain', { batch: 'Day 1' })).click();
      await expect(page.getByRole('grid')).toBeVisible();
      await back.click();
      await expect(lines).toHaveCount(1);
    }
    await expect(lines.first()).toContainText(/Day 1.csv\s*· just now/);
  });

  await test.step('a list is discarded and had back', async () => {
    for (const name of ['one', 'two']) {
      await chooseList(page, still(name));
      await back.click();
    }
    await expect(lines).toHaveCount(3);
    await button(inWork, t('window.actionOn', { action: t('common.discard'), name: 'two' })).click();
    await expect(lines).toHaveCount(2);
    await expect(lines.filter({ hasText: 'two.csv' })).toHaveCount(0);
    await button(page, t('menu.role.undo')).click();
    await expect(lines).toHaveCount(3);
  });

  await test.step('batches are listed by name or by hand, dragged or moved by keyboard, everywhere the same', async () => {
    const list = page.getByRole('list', { name: t('common.batches') });
    const expectOrder = async (...names: string[]): Promise<void> => {
      for (const [at, name] of names.entries()) {
        await expect(list.getByRole('listitem').nth(at)).toContainText(name);
      }
    };
    const sort = (order: 'name' | 'hand') => choose(page.getByLabel(t('batch.order')), t('batch.orderName', { order }));
    await expectOrder('Day 1', 'Day 2', 'Day 10');
    await sort('hand');
    await expect(page.getByText(t('batch.orderHint'))).toBeVisible();
    await button(list, 'Day 1').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expectOrder('Day 2', 'Day 1', 'Day 10');
    await expect(button(list, 'Day 1')).toBeFocused();
    await list.getByRole('listitem').nth(2).dragTo(list.getByRole('listitem').nth(0));
    await expectOrder('Day 10', 'Day 2', 'Day 1');
    await expectAccessible(page);
    await goTo(page, t('place.projects'));
    await expectOrder('Day 10', 'Day 2', 'Day 1');
    await sort('name');
    await expectOrder('Day 1', 'Day 2', 'Day 10');
  });
});
