import { existsSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import type { CDPSession, Locator, Page } from '@playwright/test';
import en from '../../src/contract/messages/en.json' with { type: 'json' };
import { t, type MessageKey } from '../../src/contract/messages/words.ts';
import { expect, inEachLanguage, isDesktop, test, type App } from './support/app.ts';
import { pseudo, speakEnglish, speakPseudo, strayTexts } from './support/pseudo.ts';
import {
  button,
  chooseList,
  csvFile,
  filesUnder,
  goTo,
  openInProject,
  openProject,
  press,
  showTakes,
  startBatch,
  uploadPictures,
} from './support/window.ts';

const MARKUP = '<img src=x onerror="document.title=`taken over`">';
const shots: readonly (readonly [key: string, prompt: string, fileName: string])[] = [
  ['<script>1</script>', MARKUP, '../../escaped'],
  ['../../up', `{@html "${MARKUP}"} \${1+1} {{1+1}}`, '..'],
  ['C:\\CON', 'Right to left \u202Egnp.exe\u202C and back', 'CON'],
  ['שלום', 'עולם ומלואו', 'שלום'],
  ['=1+1', 'x'.repeat(10_000), '<b>bold</b>'],
];

inEachLanguage(() => {
  test('hostile prompts, keys, names of files and folders are shown as the text they are @night', async ({
    app,
    page,
  }) => {
    await app.open();
    // Windows allows no such names in the first place.
    const folder = await openProject(app, page, process.platform === 'win32' ? '${1+1}' : '<svg onload=alert(1)>');
    const list = csvFile(`${MARKUP.replaceAll('"', '')}.csv`, [
      ['shot', 'kind', 'model', 'prompt', 'file_name', MARKUP],
      ...shots.map(([key, prompt, fileName]) => [key, 'image', 'image-demo', prompt, fileName, MARKUP]),
    ]);
    const expectInert = async () => {
      await expect(page.locator('img[src="x"], main script, main b, main svg[onload]')).toHaveCount(0);
      await expect(page).toHaveTitle(/Dailies$/);
    };

    const grid = await chooseList(page, list);
    await expect(grid.getByText(MARKUP, { exact: true }).first()).toBeVisible();
    await expectInert();
    await startBatch(page);
    await expect.poll(() => filesUnder(folder, '.png').length).toBe(shots.length);
    await expectInert();

    await goTo(page, t('place.queue'));
    await page.getByRole('tab', { name: `${t('queue.groupDone')} ${shots.length}` }).click();
    const done = page.getByRole('grid', { name: t('queue.groupDone') });
    for (const [key] of shots) await expect(done.getByText(key, { exact: true })).toBeVisible();
    await expectInert();

    await goTo(page, t('place.review'));
    const takes = page.getByRole('grid', { name: t('group.takes') });
    for (const [key] of shots) await expect(takes.getByText(key, { exact: true })).toBeVisible();
    await takes.press('Enter');
    await expect(page.getByRole('toolbar', { name: t('group.verdict') })).toBeVisible();
    await expectInert();
    await goTo(page, t('place.projects'));
    await expectInert();

    expect(existsSync(app.path('escaped.png'))).toBe(false);
  });
});

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

test('keys with which an input method composes a word do nothing else @night', async ({ app, page }) => {
  test.skip(isDesktop, 'The words are composed through the browser.');
  await openInProject(app, page);
  const grid = await chooseList(
    page,
    csvFile('stills.csv', [
      ['shot', 'kind', 'model', 'prompt'],
      ['010', 'image', 'image-demo', 'A still'],
      ['020', 'image', 'image-demo', 'A door'],
    ]),
  );
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
  await expect(button(page, '2 saved')).toBeVisible();
  await (await showTakes(page)).press('n');
  const note = page.getByRole('dialog').getByRole('textbox');
  await expect(note).toBeFocused();
  await compose(input, 'hao');
  await take(input, '好');
  await expect(note).toHaveValue('好');
  await page.keyboard.press('Enter');
  await expect(note).toBeHidden();
  await expect(page.getByText('好', { exact: true }).first()).toBeVisible();
});

const DATA: readonly RegExp[] = [
  // The project, files and references of this test.
  /Film|(night|broken)\.csv|harbour\.png|Asset:\/\/\w+/,
  // Names of things: of the product, its formats, models, prices and sizes.
  /Dailies( \d[\w.-]*)?|CSV|TSV|XLSX|JSON|HTML|EDL|FCPXML|WAV|ZIP|SHA-256|png|mp3|mp4|wav|UTF-\d+|USD|\d+ ?[KMG]?B\b|[KMG]B/,
  /\b[\w.]+-demo\b|\bvgen-[\w.]+/,
  // Times and dates are made by Intl.
  /\d{1,2} [A-Z][a-z]{2,4}( \d{4})?|\d{2}:\d{2}(:\d{2})?/,
  // Languages are named in themselves; a key of the keyboard.
  /English|简体中文|alt\+T/,
  /Webhook|ntfy|Slack|Discord/,
];

/** A text as it is on the screen now. */
const said = (key: MessageKey, values: Record<string, string | number> = {}): string =>
  String(
    new IntlMessageFormat(pseudo(en[key]), 'en', undefined, { ignoreTag: true, requiresOtherClause: false }).format(
      values,
    ),
  );

const list = csvFile('night.csv', [
  ['shot', 'kind', 'model', 'prompt', 'takes', 'duration'],
  ['010', 'image', 'image-demo', 'A still', '2', ''],
  ['020', 'video', 'vgen-2.0-nt', 'A wave', '', '4'],
  ['030', 'music', 'music-demo', 'Low brass', '', ''],
  ['040', 'image', 'image-demo', 'Of no clear answer', '', ''],
  ['050', 'image', 'image-demo', 'Refused', '', ''],
]);
const broken = csvFile('broken.csv', [
  ['shot', 'kind', 'model', 'prompt', 'duration', 'mood'],
  ['010', 'film noir', 'vgen-2.0-nt', 'A street', '4', 'grey'],
  ['020', 'video', 'vgen-2.0-nt', '', 'long', ''],
]);

/** Walks through the window, and notes what is no text of the deck or cannot be read whole. */
class Walk {
  readonly found = new Map<string, string>();
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async look(place: string, shown: Locator): Promise<void> {
    await expect(shown.first(), place).toBeVisible();
    for (const text of await strayTexts(this.#page, DATA)) if (!this.found.has(text)) this.found.set(text, place);
  }

  async view(place: MessageKey): Promise<void> {
    // Its name goes on where something needs a person.
    await this.#page
      .getByRole('navigation')
      .getByRole('button', { name: said(place) })
      .click();
    await this.look(place, this.#page.getByRole('main', { name: said(place) }));
  }

  /** Opens something over the view by a key or a click, looks, and closes it again. */
  async over(place: string, open: string | Locator, role: 'dialog' | 'menu' | 'listbox' = 'dialog'): Promise<void> {
    await (typeof open === 'string' ? this.#page.keyboard.press(open) : open.click());
    const over = this.#page.getByRole(role).last();
    await this.look(place, over);
    await this.#page.keyboard.press('Escape');
    await expect(over, place).toBeHidden();
  }
}

test('every text of the window comes from the deck, and is whole or can be read whole @night', async ({
  app,
  page,
}) => {
  test.skip(isDesktop, 'The deck is replaced on its way into a browser.');
  await page.setViewportSize({ width: 1024, height: 640 });
  await app.open();
  const walk = new Walk(page);
  await speakPseudo(page);
  await firstMinutes(walk, page);
  await speakEnglish(page);
  await work(app, page);
  await speakPseudo(page);
  await shotLists(walk, page);
  await queue(walk, page);
  await review(walk, page);
  await others(walk, page);
  expect([...walk.found].map(([text, place]) => `${place}: ${text}`)).toEqual([]);
});

async function firstMinutes(walk: Walk, page: Page): Promise<void> {
  await walk.look('first window', button(page, said('welcome.sample')));
  await walk.view('place.queue');
  await walk.view('place.library');
  await walk.over('palette', 'ControlOrMeta+k');
  await walk.over('keys', 'Shift+?');
}

/** Takes that are saved, failed and to be decided; a list with defects, and an asset. */
async function work(app: App, page: Page): Promise<void> {
  const { faults } = app.service;
  faults.add({ match: { method: 'POST', prompt: 'Of no clear' }, do: { fault: 'reset', commit: true } });
  faults.add({ match: { method: 'POST', prompt: 'Refused' }, do: { fault: 'status', status: 400 } });
  await goTo(page, t('place.projects'));
  await openProject(app, page);
  await chooseList(page, broken);
  await expect(button(page, t('batch.errors', { count: 3 }))).toBeVisible();
  await chooseList(page, list);
  await startBatch(page);
  await goTo(page, t('place.library'));
  await uploadPictures(page, ['harbour.png']);
  await goTo(page, t('place.queue'));
  await expect(page.getByRole('tab', { name: `${t('queue.groupDone')} 4` })).toBeVisible();
}

async function shotLists(walk: Walk, page: Page): Promise<void> {
  await walk.view('place.projects');
  await walk.view('place.batch');
  await walk.view('place.batch');
  await walk.look('batches', button(page, said('batch.chooseList')));
  await walk.over('script to shots', 's');
  await walk.over('describe', 'n');
  await walk.over('paste', button(page, said('batch.pasteList')));
  await walk.over('templates', button(page, said('batch.getTemplate')), 'menu');
  const lists = page.getByRole('region', { name: said('batch.listsInProgress') });
  await lists.getByRole('button', { name: 'broken', exact: true }).click();
  const grid = page.getByRole('grid');
  await walk.look('list', grid);
  for (const pane of ['list.defects', 'list.columns', 'list.defaults'] as const) {
    await button(page, said(pane)).click();
    await walk.look(pane, page.getByRole('complementary', { name: said(pane) }));
  }
  await button(page, said('list.defaults')).click();
  await walk.over('prompt tools', button(page, said('list.promptTools')), 'menu');
  await grid.focus();
  await walk.over('rewrite', 'ControlOrMeta+j');
  await grid.getByRole('gridcell').first().click({ button: 'right' });
  await walk.look('rows', page.getByRole('menu'));
  await page.keyboard.press('Escape');
}

async function queue(walk: Walk, page: Page): Promise<void> {
  await walk.view('place.queue');
  for (const tab of [0, 1, 2, 3, 4]) {
    await page.getByRole('tab').nth(tab).click();
    await walk.look(`queue ${tab}`, page.getByRole('main'));
  }
  for (const tab of [4, 2, 1]) {
    await page.getByRole('tab').nth(tab).click();
    await page.getByRole('grid').getByRole('row').nth(1).click();
    if (tab === 4) await page.getByRole('grid').press('Enter');
    await walk.look(`take ${tab}`, page.getByRole('complementary'));
  }
  await walk.over('decision', page.getByRole('button', { name: said('common.decide') }).first());
}

async function review(walk: Walk, page: Page): Promise<void> {
  await walk.view('place.review');
  const takes = page.getByRole('grid', { name: said('group.takes') });
  await walk.look('takes', takes.getByRole('gridcell'));
  await walk.over('note', 'n');
  await walk.over('export', 'e');
  await walk.over('new take', 'ControlOrMeta+Shift+Enter');
  await press(page, 'Home', 'c');
  await walk.look('side by side', page.getByText(said('review.comparing', { count: 2 })));
  await page.keyboard.press('w');
  await walk.look('wipe', page.getByRole('slider', { name: said('review.wipeEdge') }));
  await page.keyboard.press('Escape');
  for (const shot of ['020', '030']) {
    await takes.getByRole('gridcell', { name: shot }).dblclick();
    await walk.look(`player ${shot}`, page.getByRole('toolbar', { name: said('group.player') }));
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Shift+s');
  await walk.look('search by meaning', page.getByRole('region', { name: said('review.searchByMeaning') }));
}

async function others(walk: Walk, page: Page): Promise<void> {
  await walk.view('place.library');
  await page.getByRole('row').filter({ hasText: 'harbour' }).click();
  await walk.look('asset', page.getByRole('complementary'));
  await walk.over('new group', 'n');
  await walk.over('address', 'a');
  await walk.view('place.spending');
  await walk.view('place.research');
  const question = page.getByRole('textbox', { name: said('research.question') });
  await question.fill('a lighthouse');
  await question.press('Enter');
  const results = page.getByRole('grid', { name: said('research.results') });
  await walk.look('results', results.getByRole('row'));
  await results.press('k');
  await walk.look('kept', results.getByText(said('research.kept')));
  await walk.over('clipping into notes', 'n');
  await walk.view('place.settings');
  for (const key of ['limits', 'folders', 'messages', 'prices', 'appearance', 'advanced', 'about'] as const) {
    const section = button(page, said(`settings.${key}`));
    await section.press('Enter');
    await walk.look(key, page.locator('[aria-current="page"]').and(section));
  }
  await walk.over('palette', 'ControlOrMeta+k');
  await walk.over('keys', 'Shift+?');
}
