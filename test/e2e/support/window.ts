import { expect, type Locator, type Page } from '@playwright/test';
import { mkdirSync, readdirSync } from 'node:fs';
import sharp from 'sharp';
import { countsInWords } from '../../../src/contract/in-words.ts';
import type { ValuesOf } from '../../../src/contract/messages/message.ts';
import { t, type MessageKey } from '../../../src/contract/messages/words.ts';
import { appOf, type App } from './app.ts';

/** Makes an empty folder and opens it as a project, through the folder chooser. */
export async function openProject(app: App, page: Page, name = 'Film'): Promise<string> {
  const folder = app.path(name);
  mkdirSync(folder);
  await openProjectButton(page).click();
  await chooseFolder(page, folder, t('window.actionOn', { action: t('common.open'), name }));
  await expect(page.getByRole('heading', { name, exact: true })).toBeVisible();
  return folder;
}

/** Of a window without projects, or of the list of them. */
export const openProjectButton = (page: Page): Locator =>
  page.getByRole('button', { name: t('projects.openOrCreateProject') });

/** Chooses a folder in the chooser that is open: the window's own, or the system's. `button` is what its button says. */
export async function chooseFolder(page: Page, folder: string, button: string): Promise<void> {
  await appOf(page).chooseFolder(folder, button);
}

/** Opens the window, and a new project in it. */
export async function openInProject(app: App, page: Page): Promise<string> {
  await app.open();
  return openProject(app, page);
}

/** Another window at the same place, where the host allows one. */
export async function anotherWindow(page: Page): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(page.url());
  return other;
}

export const button = (scope: Page | Locator, name: string | RegExp): Locator =>
  scope.getByRole('button', { name, exact: true });

/** Chooses from the list or the menu that something opens. An entry of a menu may say its keys behind its name. */
export async function choose(
  opens: Locator,
  choice: string | RegExp,
  role: 'option' | 'menuitem' = 'option',
): Promise<void> {
  await opens.click();
  await opens
    .page()
    .getByRole(role, { name: choice, exact: role === 'option' })
    .click();
}

/** A cell of a grid, by its row below the headers. */
export const cellAt = (grid: Locator, row: number, column: number): Locator =>
  grid.getByRole('row').nth(row).getByRole('gridcell').nth(column);

export async function goTo(page: Page, view: string): Promise<void> {
  await page
    .getByRole('navigation', { name: t('window.views') })
    .getByRole('button', { name: view })
    .click();
  await expect(page.getByRole('main', { name: view })).toBeVisible();
}

/** Shows one section of Settings. */
export async function showSettings(page: Page, section: string): Promise<void> {
  await goTo(page, t('place.settings'));
  const sections = page.getByRole('navigation', { name: t('place.settings') });
  await sections.getByRole('button', { name: section, exact: true }).press('Enter');
  await expect(page.getByRole('heading', { name: section }).and(page.locator(':focus'))).toBeVisible();
}

interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** Gives files to the chooser that a button opens. A click may meet it just as the view is drawn again, and open nothing. */
export async function chooseFiles(button: Locator, files: readonly ChosenFile[]): Promise<void> {
  await expect(async () => {
    const [chooser] = await Promise.all([
      button.page().waitForEvent('filechooser', { timeout: 5000 }),
      button.click({ timeout: 5000 }),
    ]);
    await chooser.setFiles([...files]);
  }).toPass({ timeout: 60_000 });
}

export const picture = (shade: number): Promise<Buffer> =>
  sharp({ create: { width: 320, height: 240, channels: 3, background: { r: shade, g: 90, b: 140 } } })
    .png()
    .toBuffer();

/** Uploads pictures of one colour each into the library that is open; `done` uploads are over then. */
export async function uploadPictures(page: Page, names: readonly string[], done = names.length): Promise<void> {
  const files = names.map(async (name, index) => ({ name, mimeType: 'image/png', buffer: await picture(index * 20) }));
  await chooseFiles(button(page.getByRole('main'), t('library.upload')), await Promise.all(files));
  await button(page.getByRole('dialog'), t('library.upload')).click();
  const uploads = page.getByRole('region', { name: t('library.uploads') });
  await expect(uploads).toContainText(t('library.uploadsDone', { count: done }));
}

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Types a text where the focus is, and ends it with Enter. */
export async function enter(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Presses the keys of a sequence so that nothing comes between them: one that rests for a second is over. */
export async function pressInTurn(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** Clicks, and keys with what is held beside them, from now on. */
export async function countActions(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    globalThis.counted = 0;
    const count = (event) => {
      if (event.isTrusted && !['Control', 'Shift', 'Meta', 'Alt'].includes(event.key)) counted += 1;
    };
    for (const type of ['pointerdown', 'keydown']) addEventListener(type, count, true);
  `);
  return () => page.evaluate<number>('counted');
}

/** Runs the command with this title from the palette. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type(title);
  await expect(page.getByRole('option').first()).toContainText(title);
  await page.keyboard.press('Enter');
}

/** Runs an entry of the menu of a project, by keys. */
export async function fromProjectMenu(page: Page, project: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: t('window.moreOf', { name: project }), exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: entry, exact: true }).press('Enter');
}

/** Chooses a shot list in the batch view of the open project. */
export async function chooseList(page: Page, file: ChosenFile): Promise<Locator> {
  await goTo(page, t('place.batch'));
  // A view comes back as it was left; from within, its button leads to its beginning.
  await goTo(page, t('place.batch'));
  await chooseFiles(page.getByRole('button', { name: t('batch.chooseList') }), [file]);
  const grid = page.getByRole('grid');
  await expect(grid).toBeVisible();
  return grid;
}

export const csvFile = (name: string, rows: readonly (readonly string[])[]): ChosenFile => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n')),
});

/** A list of short videos, one take each. `prompt` makes each shot's words. */
export const videoList = (count: number, prompt = (shot: string): string => `Shot ${shot} of the sea`): ChosenFile =>
  csvFile('shots.csv', [
    ['shot', 'kind', 'model', 'prompt', 'duration'],
    ...Array.from({ length: count }, (_none, index) => {
      const shot = String((index + 1) * 10).padStart(4, '0');
      return [shot, 'video', 'vgen-2.0-nt', prompt(shot), '4'];
    }),
  ]);

/** Hours of UTC that begin in two hours, so that a window on every day is closed however long a test takes. */
export function closedWindow(): { readonly opens: string; readonly closes: string } {
  const hour = new Date().getUTCHours();
  const clock = (ahead: number) => `${String((hour + ahead) % 24).padStart(2, '0')}:00`;
  return { opens: clock(2), closes: clock(10) };
}

/** A list of stills, one take each. */
export const stillList = (shots: readonly string[], name = 'stills.csv'): ChosenFile =>
  csvFile(name, [
    ['shot', 'kind', 'model', 'prompt'],
    ...shots.map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`]),
  ]);

/** Starts the list that is open, through its last question. */
export async function startBatch(page: Page): Promise<void> {
  await page.getByRole('button', { name: t('start.start') }).click();
  await page.getByRole('dialog').getByRole('button', { name: /\d/ }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
}

/**
 * The line at the top: every take is settled, and so many of them failed. The window looks how far a run has got once a
 * second: of one that was over by then it shows the end alone.
 */
export async function settled(page: Page, total: number, failed = 0): Promise<void> {
  const progress = t('window.progress', { done: total, total, failed });
  const counts = countsInWords({ saved: total - failed, failed, unknown: 0, cancelled: 0, unfinished: 0 });
  const banner = page.getByRole('banner');
  const end = banner.getByText(t('window.finishedWith', { counts }), { exact: true });
  await expect(banner.getByText(progress, { exact: true }).or(end)).toBeVisible({ timeout: 200_000 });
}

/** Has every take of a list made, all but those that fail, and waits in its batch until it is. */
export async function makeTakes(page: Page, list: ChosenFile, saved: number): Promise<void> {
  await chooseList(page, list);
  await startBatch(page);
  const count = button(page, t('common.standingCount', { standing: 'saved', count: saved }));
  await expect(count).toBeVisible({ timeout: 200_000 });
}

/** Shows the takes of the open project. */
export async function showTakes(page: Page): Promise<Locator> {
  await goTo(page, t('place.review'));
  const takes = page.getByRole('grid', { name: t('group.takes') });
  await expect(takes).toBeFocused();
  return takes;
}

/** Facts that a test does not know, for `saying`. */
export const anything = '\u{F0000}';
export const anyCount = 87;

/** Finds a text of the deck in the language of the test, whatever it has for `anything` and `anyCount`. */
export function saying<Key extends MessageKey>(key: Key, ...values: ValuesOf<Key>): RegExp {
  const words = t(key, ...values).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${words}`.replaceAll(anything, '.+').replaceAll(String(anyCount), '[\\d,]+'));
}

/** What a take in the grid of Review is called. */
export const takeCell = (shot: string, take: number): string => `${shot} ${t('review.take', { take })}`;

/** Every take that is in sight has its picture, and no icon in place of it: films are opened one after the other for theirs. */
export async function pictured(takes: Locator): Promise<void> {
  await expect(takes.locator('svg.text-faint')).toHaveCount(0, { timeout: 120_000 });
}

/** Names of files of one kind anywhere in a folder, without what is hidden; with `/` on every system. */
export const filesUnder = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith(ending) && !name.split('/').some((part) => part.startsWith('.')));

/** Lets a file fall onto an element as from the desktop. */
export async function dropFile(
  page: Page,
  place: string,
  name: string,
  content: string | Buffer,
  type = 'text/csv',
): Promise<void> {
  const carried = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    const bytes = new Uint8Array(${JSON.stringify([...Buffer.from(content)])});
    carried.items.add(new File([bytes], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} }));
    return carried;
  })()`);
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await page.dispatchEvent(place, event, { dataTransfer: carried });
  }
}

/** Makes three stills and shows them in review. */
export async function reviewStills(app: App, page: Page): Promise<Locator> {
  await openInProject(app, page);
  await makeTakes(page, stillList(['010', '020', '030']), 3);
  return showTakes(page);
}

/** Chooses a value of a filter of Review, which is shown once it is used. */
export async function narrow(page: Page, field: string, choice: string): Promise<void> {
  const chip = page.getByRole('combobox', { name: field });
  if (await chip.isVisible()) await chip.click();
  else {
    await page.getByRole('button', { name: t('common.filter'), exact: true }).click();
    await page.getByRole('menuitem', { name: field }).click();
  }
  await page.getByRole('option', { name: choice, exact: true }).click();
}
