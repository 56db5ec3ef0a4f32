import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, expectAccessibleInBothThemes, test, type App } from './support/app.ts';
import {
  button,
  cellAt,
  chooseFolder,
  chooseList,
  csvFile,
  dropFile,
  enter,
  goTo,
  openInProject,
  press,
  pressInTurn,
  runCommand,
  settled,
  showTakes,
  startBatch,
} from './support/window.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

/** A window that goes by the theme of the system, with a price for a call of a text model. */
async function openPriced(app: App, page: Page): Promise<string> {
  const prices = [{ model: 'chat-*', per: 'take', price: 0.02 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ currency: 'USD', prices, appearance: 'system' }));
  return openInProject(app, page);
}

test('names in prompts and settings of rows are kept in a library, seen before they are sent, and taken back @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  const grid = await chooseList(
    page,
    csvFile('day.csv', [
      ['shot', 'model', 'prompt', 'duration'],
      ['010', 'vgen-2.0-nt', '{hero} on a pier', '4'],
      ['020', 'vgen-2.0-nt', 'A {{boat}}', '5'],
    ]),
  );

  await test.step('a name gets its text, and is no defect any more', async () => {
    await cellAt(grid, 1, 2).click();
    await expect(cellAt(grid, 1, 2)).toHaveClass(/error/);
    await runCommand(page, t('list.promptLibrary'));
    const dialog = page.getByRole('dialog', { name: t('list.promptLibrary') });
    await expect(dialog.getByRole('textbox', { name: t('common.name') })).toBeFocused();
    await page.keyboard.type('{hero}');
    await dialog.getByRole('textbox', { name: t('common.text') }).fill('A tall woman');
    await button(dialog, t('list.addVariable')).click();
    await expect(dialog.getByRole('listitem')).toContainText(['A tall woman']);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('the text is shown as it is sent', async () => {
    await expect(page.getByText(t('list.sentAs', { text: 'A tall woman on a pier' }))).toBeVisible();
    await expect(page.getByText(t('start.noDefects'))).toBeVisible();
    await cellAt(grid, 1, 2).dblclick();
    await expect(page.getByText(t('list.promptLengthExpanded', { characters: 22, written: 16 }))).toBeVisible();
    await page.keyboard.press('Escape');
    await cellAt(grid, 2, 2).click();
    await expect(page.getByText(t('list.sentAs', { text: 'A {boat}' }))).toBeVisible();
  });

  const dialog = page.getByRole('dialog', { name: t('list.presets') });
  await test.step('the settings of a row are kept under a name', async () => {
    await cellAt(grid, 1, 3).click();
    await runCommand(page, t('list.presets'));
    await dialog.getByRole('textbox', { name: t('list.presetOf', { shot: '010' }) }).fill('Four seconds');
    await page.keyboard.press('Enter');
    await expect(dialog.getByText('model vgen-2.0-nt, duration 4')).toHaveCount(2);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('they are given to another row as one step', async () => {
    await cellAt(grid, 2, 3).click();
    await runCommand(page, t('list.presets'));
    await button(
      dialog,
      t('window.actionOn', { action: t('list.applyPreset', { count: 1 }), name: 'Four seconds' }),
    ).click();
    await expect(cellAt(grid, 2, 3)).toHaveText('4');
    await expect(cellAt(grid, 2, 2)).toHaveText('A {{boat}}');
    await page.keyboard.press('Control+z');
    await expect(cellAt(grid, 2, 3)).toHaveText('5');
  });

  await test.step('the text is what is sent, and the list is opened again as it was written', async () => {
    await startBatch(page);
    await settled(page, 2);
    const sent = app.service.ledger.entries.map(({ body }) => JSON.stringify(body));
    expect(sent.filter((body) => body.includes('A tall woman on a pier'))).toHaveLength(1);
    expect(sent.filter((body) => body.includes('"A {boat}"'))).toHaveLength(1);
    await button(page, t('batch.editAgain')).click();
    await expect(cellAt(grid, 1, 2)).toHaveText('{hero} on a pier');
    await expect(cellAt(grid, 2, 2)).toHaveText('A {{boat}}');
    await expect(grid.getByRole('columnheader')).toHaveCount(5);
  });
});

test('prompts are rewritten by keyboard and taken back at once; a lost answer is a decision, and a paid one outlives its window @night', async ({
  app,
  page,
}) => {
  await openPriced(app, page);
  const prompts = ['A red door', 'A hand on the rail', 'A street in the rain'];
  const grid = await chooseList(
    page,
    csvFile('night.csv', [
      ['shot', 'kind', 'model', 'prompt'],
      ...prompts.map((prompt, index) => [`0${index + 1}0`, 'image', 'image-demo', prompt]),
    ]),
  );
  const prompt = (text: string) => grid.getByRole('gridcell', { name: text, exact: true });
  const taken = (count: number) => expect(page.getByText(t('tools.taken', { taken: count, count: 3 }))).toBeVisible();
  const posts = (): number => app.service.ledger.posts().length;
  const askAboutAll = async (ask: string): Promise<void> => {
    await expect(grid).toBeFocused();
    await press(page, 'ControlOrMeta+Home', 'Shift+ArrowDown', 'Shift+ArrowDown', 'ControlOrMeta+j');
    await expect(page.getByRole('textbox', { name: t('tools.whatToChange') })).toBeFocused();
    await page.keyboard.type(ask);
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: t('tools.textModel') }).fill('chat-demo');
    await expect(page.getByText('1 call, 0.02 USD')).toBeVisible();
    await page.keyboard.press('Enter');
  };

  await test.step('one of three is left out, and one undo takes it all back', async () => {
    await askAboutAll('Make it night');
    const changes = page.getByRole('listbox', { name: t('tools.changes') });
    await expect(changes).toBeFocused();
    const chosen = changes.getByRole('option', { selected: true });
    await expect(chosen).toHaveCount(3);
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('ArrowDown');
    // A key of an input method is no key of the list.
    await changes.dispatchEvent('keydown', { key: ' ', isComposing: true });
    await expect(chosen).toHaveCount(3);
    await page.keyboard.press('Space');
    await taken(2);
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(grid).toBeFocused();
    await expect(prompt('A red door')).toHaveCount(0);
    await expect(prompt('A hand on the rail')).toBeVisible();
    await expect(prompt('A street in the rain')).toHaveCount(0);
    await page.keyboard.press('ControlOrMeta+z');
    for (const text of prompts) await expect(prompt(text)).toBeVisible();
    await expect(page.getByRole('button', { name: t('menu.role.undo') })).toBeDisabled();
    expect(posts()).toBe(1);
  });

  const waiting = page.getByRole('list', { name: t('tools.openCalls') });
  await test.step('a call of unknown fate is a decision', async () => {
    app.service.faults.add({ match: { method: 'POST' }, do: { fault: 'reset', commit: true } });
    await askAboutAll('Make it day');
    const dialog = page.getByRole('dialog', { name: t('tools.newPrompts') });
    await expect(dialog.getByRole('alert')).toContainText('It may have been charged');
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Enter');
    await expect(waiting).toContainText('It may have been charged');
    await expect(waiting).toContainText('One call costs 0.02 USD');
    await page.reload();
    await button(waiting, withDots('common.sendAgain')).click();
    const question = page.getByRole('dialog', { name: t('tools.sendAgainQuestion') });
    await button(question, t('common.sendAgain')).click();
    await taken(3);
  });

  await test.step('a paid answer outlives its window, and its list', async () => {
    await page.reload();
    await expect(waiting).toContainText(t('tools.callAnswered'));
    await expectAccessibleInBothThemes(page);
    await button(waiting, t('tools.showAnswer')).click();
    await taken(3);
    await button(page, t('common.decideLater')).click();
    await button(page, t('common.allBatches')).click();
    await expect(waiting).toBeHidden();
    await button(page, 'Discard “night”').click();
    await button(waiting, t('tools.showAnswer')).click();
    await taken(3);
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(prompt('A red door')).toHaveCount(0);
    await expect(waiting).toBeHidden();
    expect(posts()).toBe(3);
  });
});

test('the web is searched, a result kept and put into the notes of a list, and its picture sent to the library @night', async ({
  app,
  page,
}) => {
  const folder = await openInProject(app, page);
  const grid = await chooseList(
    page,
    csvFile('night.csv', [
      ['shot', 'kind', 'model', 'prompt'],
      ['010', 'image', 'image-demo', 'A lighthouse in fog'],
      ['020', 'image', 'image-demo', 'Gulls over the quay'],
    ]),
  );
  const calls = (path: string): number => app.service.ledger.posts(path).length;
  const results = page.getByRole('grid', { name: t('research.results') });

  await test.step('a search whose answer is lost may have been charged, and is sent again by hand', async () => {
    await goTo(page, t('place.research'));
    await expect(page.getByText('Each call: price unknown')).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('/');
    await page.keyboard.type('lighthouse lens');
    // The request is taken, and its answer never comes.
    app.service.faults.add({ match: { path: '/v1/web-search' }, do: { fault: 'reset', commit: true } });
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText('It may have been charged');
    expect(calls('/v1/web-search')).toBe(1);
    await button(page, t('common.sendAgainMaybe')).press('Enter');
    await expect(results.getByRole('row').first()).toContainText('Fresnel');
    await expectAccessible(page);
  });

  await test.step('asked once more by mistake, what was paid for is shown', async () => {
    await button(page, t('common.search')).click();
    await expect(page.getByText(t('research.paidEarlier'))).toBeVisible();
    expect(calls('/v1/web-search')).toBe(2);
  });

  await test.step('a result is kept in the project', async () => {
    await results.focus();
    await page.keyboard.press('k');
    await expect(results.getByRole('row').first()).toContainText(t('research.kept'));
    const clippings = join(folder, '.dailies', 'clippings');
    const kept = () => (existsSync(clippings) ? readdirSync(clippings).filter((name) => name.endsWith('.json')) : []);
    await expect.poll(kept).toHaveLength(1);
    expect(JSON.parse(readFileSync(join(clippings, kept()[0] ?? ''), 'utf8'))).toMatchObject({
      url: 'https://lights.example/fresnel',
      askedFor: 'lighthouse lens',
    });
  });

  await test.step('an address opens nothing before it was said and agreed to', async () => {
    await page.keyboard.press('o');
    const question = page.getByRole('dialog', { name: 'Open lights.example in a new tab?' });
    await expect(question).toContainText('https://lights.example/fresnel');
    await page.keyboard.press('Escape');
  });

  const pictures = page.getByRole('region', { name: t('library.images') });
  await test.step('no picture is loaded by itself, nor from another host; it is shown, and goes to the library', async () => {
    await expect(pictures.getByRole('listitem')).toHaveCount(1);
    await expect(pictures.getByRole('img')).toHaveCount(0);
    await button(pictures, /^Show picture “/).click();
    await expect(pictures.getByRole('img')).toHaveAttribute('src', /^\/web-picture\/[0-9a-f]{64}\?/);
    await expect
      .poll(() => page.evaluate<number>(`document.querySelector('img[src^="/web-picture"]')?.naturalWidth ?? 0`))
      .toBeGreaterThan(0);
    await expectAccessible(page);
    await button(page, /^Send to library “/).click();
    await expect(page.getByText('Picture sent to the library')).toBeVisible();
  });

  await test.step('it is put into the notes of a list, and taken back there', async () => {
    await page.keyboard.press('n');
    const notes = page.getByRole('dialog', { name: t('review.addToNote') });
    await notes.getByRole('checkbox', { name: /010/ }).press('Space');
    await expectAccessible(page);
    await button(notes, t('review.addToNote')).press('Enter');
    await expect(page.getByText('Added to the notes of 1 row')).toBeVisible();
    await pressInTurn(page, 'g', 'b');
    await expect(grid.getByText('lights.example/fresnel').first()).toBeVisible();
    await page
      .getByRole('button', { name: t('menu.role.undo') })
      .first()
      .click();
    await expect(grid.getByText('lights.example/fresnel')).toHaveCount(0);
  });

  await test.step('what was kept is deleted, had back and read', async () => {
    await goTo(page, t('place.research'));
    // Its keys are there once it is drawn.
    await expect(page.getByRole('main', { name: t('place.research') }).getByRole('grid')).toBeVisible();
    await page.keyboard.press('c');
    const clippings = page.getByRole('grid', { name: t('research.clippings') });
    await expect(clippings.getByRole('row')).toHaveCount(1);
    await page.keyboard.press('Delete');
    await expect(page.getByText(t('research.nothingKept'))).toBeVisible();
    await page.keyboard.press('Control+z');
    await expect(clippings.getByRole('row')).toHaveCount(1);
    await clippings.focus();
    await page.keyboard.press('r');
    const address = page.getByRole('textbox', { name: t('research.pageAddress') });
    await expect(address).toHaveValue('https://lights.example/fresnel');
    await page.keyboard.press('Enter');
    const read = page.getByRole('document', { name: t('common.text') });
    await expect(read).toContainText('Keep the lamp out of the frame');
    expect(calls('/v1/web-reader')).toBe(1);
  });

  await test.step('with the switch on, those of every finding that is looked at come', async () => {
    await page.reload();
    await expect(page.getByRole('main', { name: t('place.research') })).toBeVisible();
    await page.locator('label', { hasText: t('research.clippings') }).click();
    await expect(pictures.getByRole('listitem')).toHaveCount(1);
    await expect(pictures.getByRole('img')).toHaveCount(0);
    await pictures.getByRole('switch', { name: t('research.showPictures') }).click();
    await expect(pictures.getByRole('img')).toBeVisible();
  });
});

const script = [
  'One line about a lighthouse',
  'A woman reads the line aloud',
  'A hand, wet, on a "cold" rail',
  '',
  'The host speaks',
  'The light comes on',
  'Slow cello',
  '=1+1 <img src=x onerror=alert(1)>',
  'The tram leaves.',
].join('\n');

/** What a person adds to the shots of the script. */
const added = [
  ['kind', 'model', 'voice', 'avatar', 'audio', 'first_frame', 'operation'],
  ['text', 'chat-demo', '', '', '', '', ''],
  ['speech', 'speech-demo', 'alto', '', '', '', ''],
  ['image', 'image-demo', '', '', '', '', ''],
  ['presenter', 'presenter-demo', '', 'Shot://030', 'Shot://020', '', ''],
  ['video', 'vgen-2.0-nt', '', '', '', 'Shot://030', ''],
  ['music', 'music-demo', '', '', '', '', ''],
  ['image', 'image-demo', '', '', '', '', 'imagine'],
];

/** Makes a list of the script by keyboard, without its last shot. */
async function shotsOfScript(page: Page): Promise<void> {
  await goTo(page, t('place.batch'));
  await expect(button(page, t('tools.scriptToShots'))).toBeVisible();
  await page.keyboard.press('s');
  const field = page.getByRole('textbox', { name: t('tools.script') });
  await expect(field).toBeFocused();
  await dropFile(page, '[role="dialog"] textarea', 'script.txt', script);
  await expect(field).toHaveValue(script);
  await page.getByRole('combobox', { name: t('tools.textModel') }).fill('chat-demo');
  await expect(page.getByText('1 call, 0.02 USD')).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Enter');
  const changes = page.getByRole('listbox', { name: t('tools.changes') });
  await expect(changes).toBeFocused();
  await expect(changes.getByRole('option', { selected: true })).toHaveCount(8);
  await expectAccessibleInBothThemes(page);
  await press(page, 'End', 'Space', 'ControlOrMeta+Enter');
  const grid = page.getByRole('grid');
  await expect(grid.getByRole('row')).toHaveCount(8);
  for (const line of script.split('\n').filter(Boolean).slice(0, 7)) {
    await expect(grid.getByText(line, { exact: true })).toBeVisible();
  }
  await expect(grid.getByText('The tram leaves.')).toHaveCount(0);
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
  await page.keyboard.press('F8');
  await expect(button(page, t('list.chooseModel'))).toBeVisible();
}

/** Adds the columns that the script says nothing about, and pastes their cells. */
async function fillIn(page: Page): Promise<void> {
  const [headers = [], ...rows] = added;
  const grid = page.getByRole('grid');
  const columns = button(page, t('list.columns'));
  await columns.click();
  const another = page.getByRole('textbox', { name: t('list.addColumn') });
  for (const header of headers) {
    await another.fill(header);
    await another.press('Enter');
    // The grid shows the columns that have room, the pane all of them.
    await expect(button(page, `Remove “${header}”`)).toBeVisible();
  }
  await columns.click();
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(rows.map((row) => row.join('\t')).join('\n'))})`);
  await cellAt(grid, 1, 4).click();
  await page.keyboard.press('ControlOrMeta+v');
  await expect(cellAt(grid, 7, 5)).toHaveText('image-demo');
  await cellAt(grid, 2, 1).click();
  await enter(page, 'Shot://010');
  await expect(cellAt(grid, 2, 1)).toHaveText('Shot://010');
  await expect(page.getByText(/^No problems$|^\d+ warnings?$/)).toBeVisible();
}

test('a film goes from a script over its texts, voices and stills to films and the export @night', async ({
  app,
  page,
}) => {
  await openPriced(app, page);
  await test.step('a script becomes a list of shots', () => shotsOfScript(page));
  await test.step('a person adds what it says nothing about', () => fillIn(page));
  await startBatch(page);
  await settled(page, 7);

  const takes = await showTakes(page);
  const recipe = page.getByRole('complementary', { name: t('common.details') });
  const tile = (name: string): Locator => takes.getByRole('gridcell', { name });
  await test.step('each take says which others it was made of', async () => {
    await tile('040 take 1').click();
    await expect(button(recipe, 'From 030 · take 1')).toBeVisible();
    await button(recipe, 'From 020 · take 1').click();
    await expect(button(recipe, 'From 010 · take 1')).toBeVisible();
    await button(page, t('review.backToGrid')).click();
  });

  await test.step('all of it is exported', async () => {
    const selects = app.path('selects');
    mkdirSync(selects);
    await page.keyboard.press('e');
    const exported = page.getByRole('dialog', { name: t('review.exportSelects') });
    await exported.getByRole('radio', { name: t('review.selects', { name: 'shown', where: 'project' }) }).check();
    await button(exported, t('review.chooseFolder')).click();
    await chooseFolder(page, selects, 'Export to “selects”');
    await expect(page.getByText('Copied 7 files and selects.csv to')).toBeVisible();
    expect(readdirSync(selects).sort()).toEqual([
      '010_t1.md',
      '020_t1.mp3',
      '030_t1.png',
      '040_t1.mp4',
      '050_t1.mp4',
      '060_t1.mp3',
      '070_t1.png',
      'selects.csv',
    ]);
    // Seven takes and the script.
    expect(app.service.ledger.commits).toBe(8);
  });
});
