import type { Locator, Page } from '@playwright/test';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, test } from './support/app.ts';
import {
  anotherWindow,
  button,
  choose,
  csvFile,
  enter,
  goTo,
  makeTakes,
  narrow,
  openInProject,
  press,
  pressInTurn,
  reviewStills,
  showTakes,
} from './support/window.ts';

const tileOf = (takes: Locator, shot: string): Locator => takes.getByRole('gridcell', { name: `${shot} take 1` });

/** Looks for takes by what is written, by keys alone. */
async function search(page: Page, query: string): Promise<void> {
  await press(page, '/', 'Control+a');
  await enter(page, query);
}

test('a search keeps its keys while it is typed, and leads to the takes @night', async ({ app, page }) => {
  const takes = await reviewStills(app, page);
  const field = page.getByRole('searchbox', { name: t('review.searchWords') });
  await page.keyboard.press('/');
  await page.keyboard.type('rating:');
  await expect(page.locator('#search-problem')).toBeVisible();
  await expect(takes).toBeHidden();
  await page.keyboard.type('<4');
  await expect(takes).toBeVisible();
  await expect(field).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(takes).toBeFocused();
});

test('takes are filtered, tagged by keyboard alone and found by their tags @night', async ({ app, page }) => {
  const takes = await reviewStills(app, page);
  const tile = (shot: string): Locator => tileOf(takes, shot);
  const shots = ['010', '020', '030'];

  await test.step('many are tagged at once; what cannot be a tag is said', async () => {
    await press(page, 'Control+a', 't');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('textbox', { name: t('review.newTags') })).toBeFocused();
    await page.keyboard.type('night, say "cut"');
    await expect(dialog.getByRole('alert')).toContainText('cannot be a tag');
    await expect(button(dialog, t('common.save'))).toBeDisabled();
    await page.keyboard.press('Control+a');
    await enter(page, 'night, hero');
    for (const shot of shots) await expect(tile(shot)).toContainText('Tags: hero, night');
  });

  await test.step('one of them loses one, with a key on the tag itself', async () => {
    await press(page, 'Escape', 'Home', 't', 'Tab');
    const hero = page.getByRole('dialog').getByRole('checkbox', { name: 'hero' });
    await expect(hero).toBeFocused();
    await expect(hero).toBeChecked();
    await press(page, 'Space', 'Shift+Tab', 'Enter');
    await expect(tile('010')).toContainText('Tags: night');
    await page.keyboard.press('Control+z');
    await expect(tile('010')).toContainText('Tags: hero, night');
    const answered = isDesktop ? null : page.waitForResponse(/\/commands\/undo$/);
    const toast = page.getByRole('listitem').filter({ hasText: '3 takes: tagged hero, night' });
    await button(toast, t('menu.role.undo')).click();
    await answered;
    await expect(takes).not.toContainText('Tags:');
  });

  await test.step('takes are found by their tags, and a wrong search shows its problem only', async () => {
    await tile('020').click();
    await page.keyboard.press('t');
    await enter(page, 'night');
    await expect(tile('020')).toContainText('Tags: night');
    await search(page, 'tag:night');
    await expect(takes.getByRole('gridcell')).toHaveCount(1);
    await expect(tile('020')).toBeVisible();
    await search(page, 'flag:perhaps');
    await expect(page.getByRole('search').getByRole('alert')).toBeVisible();
    await expect(page.getByText(t('review.noMatches'))).toHaveCount(0);
    await expect(page.getByText(t('common.takes', { count: 0 }), { exact: true })).toHaveCount(0);
    await button(page.getByRole('search'), t('review.showAllSaved')).click();
    await expect(takes.getByRole('gridcell')).toHaveCount(3);
  });

  await test.step('after a choice in a filter a key judges the take, which leaves the list', async () => {
    const flag = page.getByRole('combobox', { name: t('review.flag') });
    await narrow(page, t('review.flag'), t('review.noFlag'));
    await expect(flag).toHaveText(t('review.noFlag'));
    await page.keyboard.press('p');
    await expect(page.getByText(/^1 picked · 0 rejected/)).toBeVisible();
    await expect(flag).toHaveText(t('review.noFlag'));
    await expect(takes.getByRole('gridcell')).toHaveCount(2);
  });

  await test.step('while the choices are shown a key only looks for one', async () => {
    await choose(button(page, t('common.filter')), t('review.rating'), 'menuitem');
    await expect(page.getByRole('option', { name: t('review.anyRating') })).toBeVisible();
    await press(page, '5', 'p');
    await expect(page.getByRole('option', { name: '5 of 5' })).toHaveAttribute('data-highlighted', '');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('option')).toHaveCount(0);
    await expect(page.getByRole('combobox', { name: t('review.rating') })).toHaveText(t('review.anyRating'));
    await expect(page.getByText(/^1 picked · 0 rejected/)).toBeVisible();
    await page.keyboard.press('x');
    await expect(page.getByText(/ · 1 rejected · /)).toBeVisible();
  });
});

test('a search is saved under a name, shown from menu and palette, renamed and deleted with a way back, in every window @night', async ({
  app,
  page,
}) => {
  const takes = await reviewStills(app, page);
  const headings = takes.getByText(t('common.takes', { count: 1 }));
  const dialog = page.getByRole('dialog');
  const menu = page.getByRole('button', { name: t('review.savedViews') });
  const showView = async (): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('twenties');
    await page.getByRole('option', { name: t('review.showView', { name: 'Twenties' }) }).waitFor();
    await page.keyboard.press('Enter');
    await expect(headings).toHaveCount(1);
    await expect(menu).toContainText('Twenties');
  };
  const other = isDesktop ? null : await anotherWindow(page);

  await test.step('it is saved with what it is grouped by', async () => {
    await search(page, 'shot:02*');
    await expect(takes.getByRole('gridcell')).toHaveCount(1);
    await page.keyboard.press('s');
    await expect(headings).toHaveCount(1);
    await page.keyboard.press('Shift+V');
    await expect(dialog.getByRole('textbox', { name: t('common.name') })).toBeFocused();
    await enter(page, 'Twenties');
    await expect(menu).toContainText('Twenties');
  });

  if (other) {
    await test.step('another window has it too', async () => {
      await choose(other.getByRole('button', { name: t('review.savedViews') }), 'Twenties', 'menuitem');
      await expect(tileOf(other.getByRole('grid', { name: t('group.takes') }), '020')).toBeVisible();
      await other.close();
    });
  }

  await test.step('it is shown again from the palette, in this view and from any other', async () => {
    await button(page.getByRole('search'), t('review.showAllSaved')).click();
    await expect(tileOf(takes, '030')).toBeVisible();
    await expect(menu).toContainText(t('window.views'));
    await showView();
    await expect(tileOf(takes, '030')).toHaveCount(0);
    await pressInTurn(page, 'g', 'p');
    await expect(menu).toHaveCount(0);
    await showView();
  });

  await test.step('it is renamed, and deleted with a way back', async () => {
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: withDots('review.renameView') }).click();
    await dialog.getByRole('textbox', { name: t('common.name') }).fill('Scene two');
    await button(dialog, t('review.renameView')).click();
    await expect(menu).toContainText('Scene two');
    await choose(menu, t('window.actionOn', { action: t('research.delete'), name: 'Scene two' }), 'menuitem');
    await expect(menu).toContainText(t('window.views'));
    const told = page.getByRole('listitem').filter({ hasText: t('history.viewRemoved', { name: 'Scene two' }) });
    await button(told, t('menu.role.undo')).click();
    await expect(menu).toContainText('Scene two');
    await page.reload();
    await expect(menu).toContainText('Scene two');
  });
});

const scenes = csvFile('night.csv', [
  ['shot', 'kind', 'model', 'prompt', 'Scene'],
  ['010', 'image', 'image-demo', 'A child eats an apple', '10'],
  ['020', 'image', 'image-demo', 'A storm over the harbour at night', '2'],
  ['030', 'image', 'image-demo', 'A harbour in the morning', ''],
  ['040', 'image', 'image-demo', 'A tram', '2'],
]);

test('takes stand together by a column of the list, and are found by meaning, paid for once @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  await makeTakes(page, scenes, 4);
  const takes = await showTakes(page);
  const cells = takes.getByRole('gridcell');
  const grouping = page.getByRole('combobox', { name: t('common.groups') });
  const headings = async (): Promise<string[]> =>
    (await cells.allTextContents())
      .map((text) => text.replace(/\s+/g, ' ').trim())
      .filter((text) => / takes?$/.test(text));
  const expectHeadings = (...wanted: string[]) => expect.poll(headings).toEqual(wanted);
  const ofScenes = ['10 1 take', '2 2 takes', 'Without Scene 1 take'];

  await test.step('by a column, with counts, also after a reload', async () => {
    await choose(grouping, t('review.groupByColumn', { column: 'Scene' }));
    await expectHeadings(...ofScenes);
    await expect(takes.getByRole('gridcell', { name: /0 Take/i })).toContainText(['010', '020', '040', '030']);
    await page.reload();
    await expectHeadings(...ofScenes);
  });

  await test.step('by their verdicts, as these are given', async () => {
    await choose(grouping, t('review.groupBy', { by: 'verdict' }));
    await expectHeadings('No flag 4 takes');
    await tileOf(takes, '040').click();
    await page.keyboard.press('p');
    await expectHeadings('Picked 1 take', 'No flag 3 takes');
    await expect(takes.getByRole('gridcell', { name: /0 Take/i }).first()).toContainText('040');
  });

  await test.step('a key puts them together by shot, and apart again', async () => {
    await page.keyboard.press('s');
    await expect(grouping).toHaveText(t('review.groupBy', { by: 'shot' }));
    await page.keyboard.press('s');
    await expect(grouping).toHaveText(t('review.notGrouped'));
    await expectHeadings();
  });

  const calls = (): number => app.service.ledger.posts('/v1/embeddings').length;
  const bar = page.getByRole('region', { name: t('review.searchByMeaning') });
  const near = page.getByRole('searchbox', { name: t('review.searchByMeaning') });
  await test.step('texts are indexed once that was agreed to, and a lost answer is asked about', async () => {
    await page.keyboard.press('Shift+s');
    await expect(near).toBeFocused();
    await bar.getByRole('combobox', { name: t('review.embeddingModel') }).fill('embed-demo');
    await page.keyboard.press('Enter');
    await expect(bar).toContainText('4 of 4 texts are new: 1 call to embed-demo, price unknown');
    expect(calls()).toBe(0);
    await expectAccessible(page);
    // The request is taken, and its answer never comes.
    app.service.faults.add({ match: { path: '/v1/embeddings' }, do: { fault: 'reset', commit: true } });
    await button(bar, 'Index 4 texts for search').press('Enter');
    await expect(bar.getByRole('alert')).toContainText('It may have been charged');
    await button(bar, t('common.sendAgainMaybe')).press('Enter');
    await expect(bar).toContainText('4 texts can be searched. A new question: 1 call to embed-demo');
    expect(calls()).toBe(2);
  });

  await test.step('the nearest come first, are judged there, and a question is paid for once', async () => {
    await near.fill('storm at the harbour');
    await page.keyboard.press('Enter');
    await expect(cells.first()).toContainText('020');
    await expect(bar).toContainText('4 takes, nearest first');
    await press(page, 'Home', 'p');
    await expect(cells.first()).toContainText(t('review.picked'));
    await page.reload();
    await expect(cells.first()).toContainText('020');
    expect(calls()).toBe(3);
    await expectAccessible(page);
    await near.focus();
    await page.keyboard.press('Escape');
    await expect(cells.first()).toContainText('010');
  });
});

test('commands and takes are found by letters in the palette, and come first the next time @night', async ({
  app,
  page,
}) => {
  const field = page.getByRole('combobox', { name: t('window.searchCommands') });
  const options = page.getByRole('listbox', { name: t('window.commands') }).getByRole('option');
  const first = options.first();
  await reviewStills(app, page);
  await goTo(page, t('place.queue'));

  await test.step('a command is chosen by arrows and run by Enter', async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await expect(field).toBeFocused();
    await expect(first).toHaveAttribute('aria-selected', 'true');
    await field.press('ArrowUp');
    await expect(options.last()).toHaveAttribute('aria-selected', 'true');
    await field.fill('gset');
    await expect(first).toHaveAccessibleName(/^Go to Settings/);
    await expect(first).toHaveAttribute('aria-selected', 'true');
    await expect(field).toHaveAttribute('aria-activedescendant', (await first.getAttribute('id')) ?? '');
    await field.press('Enter');
    await expect(page.getByRole('main', { name: t('place.settings') })).toBeVisible();
    await expect(field).toBeHidden();
    await page.keyboard.press('ControlOrMeta+k');
    await expect(field).toHaveValue('');
    await expect(page.getByText(t('group.recent'), { exact: true })).toBeVisible();
    await expect(first).toHaveAccessibleName(/^Go to Settings/);
  });

  await test.step('a take is found by its shot or its prompt, and opened in Review', async () => {
    const nameOf = (shot: string) => t('review.takeName', { shot, take: 1 });
    const beginning = (shot: string) => new RegExp(`^\\s*${nameOf(shot)}`);
    await field.fill('a still of');
    await expect(options).toHaveText(['010', '020', '030'].map(beginning));
    await expectAccessible(page);
    await field.fill('030');
    await expect(options).toHaveCount(1);
    await expect(options).toHaveAccessibleName(`${nameOf('030')} A still of 030`);
    await field.press('Enter');
    await expect(page.getByRole('img', { name: nameOf('030') })).toBeVisible();
    // What was opened last comes first, whatever the view.
    await page.keyboard.press('ControlOrMeta+k');
    await field.fill('still');
    await expect(options.filter({ hasText: 'A still of' })).toHaveText(['030', '010', '020'].map(beginning));
    await field.fill('no such take');
    await expect(page.getByRole('status').filter({ hasText: 'no such take' })).toBeVisible();
  });
});
