import { expect, type Locator, type Page } from '@playwright/test';
import { mkdirSync, readdirSync } from 'node:fs';
import { say } from '../../../src/contract/messages/words.ts';
import { appOf, type App } from './app.ts';

/** Makes an empty folder and opens it as a project, through the folder chooser. */
export async function openProject(app: App, page: Page, name = 'Film'): Promise<string> {
  const folder = app.path(name);
  mkdirSync(folder);
  await openProjectButton(page).click();
  await chooseFolder(page, folder, say('window.actionOn', { action: say('common.open'), name }));
  await expect(page.getByRole('heading', { name, exact: true })).toBeVisible();
  return folder;
}

/** Of a window without projects, or of the list of them. */
export const openProjectButton = (page: Page): Locator =>
  page
    .getByRole('button', { name: say('welcome.open') })
    .or(page.getByRole('button', { name: say('projects.openOrCreate'), exact: true }));

/** Chooses a folder in the chooser that is open: the window's own, or the system's. `button` is what its button says. */
export async function chooseFolder(page: Page, folder: string, button: string): Promise<void> {
  await appOf(page).chooseFolder(folder, button);
}

export async function goTo(page: Page, view: string): Promise<void> {
  await page
    .getByRole('navigation', { name: say('window.views') })
    .getByRole('button', { name: view })
    .click();
  await expect(page.getByRole('main', { name: view })).toBeVisible();
}

interface ListFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** Chooses a shot list in the batch view of the open project. */
export async function chooseList(page: Page, file: ListFile): Promise<Locator> {
  await goTo(page, say('place.batch'));
  // A view comes back as it was left; from within, its button leads to its beginning.
  await goTo(page, say('place.batch'));
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: say('batch.chooseList') }).click();
  await (await chooser).setFiles(file);
  const grid = page.getByRole('grid');
  await expect(grid).toBeVisible();
  return grid;
}

export const csvFile = (name: string, rows: readonly (readonly string[])[]): ListFile => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n')),
});

/** A list of short videos, one take each. `prompt` makes each shot's words. */
export const videoList = (count: number, prompt = (shot: string): string => `Shot ${shot} of the sea`): ListFile =>
  csvFile('shots.csv', [
    ['shot', 'kind', 'model', 'prompt', 'duration'],
    ...Array.from({ length: count }, (_none, index) => {
      const shot = String((index + 1) * 10).padStart(4, '0');
      return [shot, 'video', 'vgen-2.0-nt', prompt(shot), '4'];
    }),
  ]);

/** Starts the list that is open, through its last question. */
export async function startBatch(page: Page): Promise<void> {
  await page.getByRole('button', { name: say('start.start') }).click();
  await page.getByRole('dialog').getByRole('button', { name: /\d/ }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
}

/**
 * The line at the top: how many takes are settled, of how many. The window looks how far a run has got once a second: of
 * one that was over by then it shows the end alone.
 */
export async function settled(page: Page, words: string): Promise<void> {
  const [, total, failed] = /^(\d+) \/ \1 takes?(?:, (\d+) failed)?$/.exec(words) ?? [];
  const isFailed = failed === undefined ? '' : `, ${failed} failed`;
  const end = `Finished: ${Number(total) - Number(failed ?? 0)} saved${isFailed}`;
  const shown = new RegExp(`^(${words}|${end})$`);
  await expect(page.getByRole('banner').getByText(shown)).toBeVisible({ timeout: 120_000 });
}

/** Names of files of one kind anywhere in a folder, without what is hidden; with `/` on every system. */
export const filesUnder = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith(ending) && !name.split('/').some((part) => part.startsWith('.')));

/** Lets a file fall onto an element as from the desktop. */
export async function dropFile(page: Page, place: string, name: string, text: string): Promise<void> {
  const carried = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    carried.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: 'text/csv' }));
    return carried;
  })()`);
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await page.dispatchEvent(place, event, { dataTransfer: carried });
  }
}
