import { IntlMessageFormat } from 'intl-messageformat';
import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import en from '../../src/contract/messages/en.json' with { type: 'json' };
import { t, type MessageKey } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test, type App } from './support/app.ts';
import { pseudo, speakEnglish, speakPseudo, strayTexts } from './support/pseudo.ts';
import { chooseFiles, chooseList, csvFile, goTo, openProject, startBatch } from './support/window.ts';

test.use({ viewport: { width: 1024, height: 640 } });

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

test('every text of the window comes from the deck, and is whole or can be read whole', async ({ app, page }) => {
  test.skip(isDesktop, 'The deck is replaced on its way into a browser.');
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
  await walk.look('first window', page.getByRole('button', { name: said('welcome.sample') }));
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
  await expect(page.getByRole('button', { name: t('batch.errors', { count: 3 }) })).toBeVisible();
  await chooseList(page, list);
  await startBatch(page);
  await goTo(page, t('place.library'));
  const buffer = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const upload = page.getByRole('button', { name: t('library.uploadFiles') });
  await chooseFiles(upload, [{ name: 'harbour.png', mimeType: 'image/png', buffer }]);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('library.upload'), exact: true })
    .click();
  await expect(page.getByText(t('library.uploadsDone', { count: 1 }))).toBeVisible();
  await goTo(page, t('place.queue'));
  await expect(page.getByRole('tab', { name: `${t('queue.groupDone')} 4` })).toBeVisible();
}

async function shotLists(walk: Walk, page: Page): Promise<void> {
  await walk.view('place.projects');
  await walk.view('place.batch');
  await walk.view('place.batch');
  await walk.look('batches', page.getByRole('button', { name: said('batch.chooseList') }));
  await walk.over('script to shots', 's');
  await walk.over('describe', 'n');
  await walk.over('paste', page.getByRole('button', { name: said('batch.pasteList') }));
  await walk.over('templates', page.getByRole('button', { name: said('batch.getTemplate') }), 'menu');
  const lists = page.getByRole('region', { name: said('batch.listsInProgress') });
  await lists.getByRole('button', { name: 'broken', exact: true }).click();
  const grid = page.getByRole('grid');
  await walk.look('list', grid);
  for (const pane of ['list.defects', 'list.columns', 'list.defaults'] as const) {
    await page.getByRole('button', { name: said(pane), exact: true }).click();
    await walk.look(pane, page.getByRole('complementary', { name: said(pane) }));
  }
  await page.getByRole('button', { name: said('list.defaults'), exact: true }).click();
  await walk.over('prompt tools', page.getByRole('button', { name: said('list.promptTools') }), 'menu');
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
  await page.keyboard.press('Home');
  await page.keyboard.press('c');
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
  await walk.look('kept', results.getByText(said('research.isKept')));
  await walk.over('clipping into notes', 'n');
  await walk.view('place.settings');
  for (const key of ['limits', 'folders', 'messages', 'prices', 'appearance', 'advanced', 'about'] as const) {
    const section = page.getByRole('button', { name: said(`settings.${key}`), exact: true });
    await section.press('Enter');
    await walk.look(key, page.locator('[aria-current="page"]').and(section));
  }
  await walk.over('palette', 'ControlOrMeta+k');
  await walk.over('keys', 'Shift+?');
}
