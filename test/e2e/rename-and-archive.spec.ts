import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, test, wear } from './support/app.ts';
import {
  chooseFolder,
  chooseList,
  fromProjectMenu,
  goTo,
  openProject,
  settled,
  startBatch,
  videoList,
} from './support/window.ts';

test('a project is renamed with its folder and archived by keyboard, each with a way back', async ({ app, page }) => {
  await app.openInSystemTheme();
  const film = await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await settled(page, 2);
  // What there is of it, from the palette and back by Esc.
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type(t('window.showProjectFacts'));
  await page.keyboard.press('Enter');
  const facts = page.getByRole('region', { name: t('projects.factsOf', { project: 'Film' }) });
  await expect(facts.getByRole('row', { name: /Saved 2 / })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(facts).toBeHidden();
  await goTo(page, t('place.projects'));
  const other = isDesktop ? null : await page.context().newPage();
  await other?.goto(page.url());

  await fromProjectMenu(page, 'Film', withDots('common.rename'));
  const dialog = page.getByRole('dialog', { name: 'Rename “Film”' });
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('The End');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(
    page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: app.path('The End') }),
  ).toBeVisible();
  if (other) await expect(other.getByRole('complementary', { name: 'Project The End' })).toBeVisible();
  expect(existsSync(app.path('The End', '.dailies'))).toBe(true);
  expect(existsSync(film)).toBe(false);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: film })).toBeVisible();
  expect(existsSync(film)).toBe(true);
  // Who did what, of this project and of all, while another window goes on.
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type(t('projects.historyShow'));
  await page.keyboard.press('Enter');
  const history = page.getByRole('region', { name: t('projects.history'), exact: true });
  const line = (before: string, name: string) =>
    history.getByRole('row').filter({ hasText: `Renamed “${before}” to “${name}”` });
  await expect(line('Film', 'The End')).toContainText(t('projects.historyBy', { by: 'window' }));
  await expect(line('The End', 'Film')).toBeVisible();
  for (const theme of ['light', 'dark'] as const) {
    await wear(page, theme);
    await expectAccessible(page);
  }
  await history.getByLabel(t('common.project'), { exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { name: t('common.allProjects') })).toBeVisible();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(history.getByRole('columnheader', { name: t('common.project') })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(history).toBeHidden();

  await fromProjectMenu(page, 'Film', t('common.archive'));
  const archive = page.getByRole('region', { name: t('common.archive') });
  await archive.getByRole('button', { name: 'Archive (1)' }).click();
  await expect(archive.getByText(film)).toBeVisible();
  if (other) await expect(other.getByRole('button', { name: 'Archive (1)' })).toBeVisible();
  await expectAccessible(page);
  await archive.getByRole('button', { name: 'Unarchive: Film' }).press('Enter');
  await expect(page.getByRole('complementary', { name: 'Project Film' })).toBeVisible();
  await expect(archive).toBeHidden();
});

test('a batch is renamed, written about, put away and duplicated from its menu', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await settled(page, 2);
  await goTo(page, t('place.projects'));
  const details = page.getByRole('complementary', { name: 'Project Film' });
  const menu = async (batch: string, entry: string): Promise<void> => {
    await details.getByRole('button', { name: t('batch.moreOf', { batch }) }).press('Enter');
    await page.getByRole('menuitem', { name: entry }).press('Enter');
  };
  await expect(details.getByRole('listitem').first()).toBeVisible();
  const [first = ''] = await details.getByRole('listitem').first().getByRole('paragraph').allTextContents();
  await menu(first, withDots('common.rename'));
  await page.keyboard.type('Night one');
  await page.keyboard.press('Enter');
  await expect(details.getByText('Night one', { exact: true })).toBeVisible();

  await menu('Night one', t('batch.notes'));
  const notes = page.getByRole('dialog', { name: t('batch.notesOf', { batch: 'Night one' }) });
  await notes.getByRole('textbox').fill('The door is too dark.');
  await notes.getByRole('button', { name: t('common.save') }).press('Enter');
  await expect(details.getByText('The door is too dark.')).toBeVisible();

  await menu('Night one', withDots('night.title'));
  const window = page.getByRole('dialog', { name: t('night.titleOfBatch', { batch: 'Night one' }) });
  await window.getByLabel(t('night.from')).fill('21:30');
  await window.getByRole('button', { name: t('common.save') }).press('Enter');
  await expect(window).toBeHidden();
  await menu('Night one', withDots('night.title'));
  await expect(window.getByLabel(t('night.from'))).toHaveValue('21:30');
  await expectAccessible(page);
  await window.getByRole('button', { name: t('night.remove') }).press('Enter');
  await expect(window).toBeHidden();

  // The same from the palette, in any place of its project.
  await goTo(page, t('place.review'));
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type(t('batch.notesOf', { batch: 'night one' }));
  await expect(page.getByRole('option').first()).toContainText(t('batch.notesOf', { batch: 'Night one' }));
  await page.keyboard.press('Enter');
  await notes.getByRole('textbox').fill('The door is fine.');
  await expectAccessible(page);
  await notes.getByRole('button', { name: t('common.save') }).press('Enter');
  await expect(notes).toBeHidden();
  await goTo(page, t('place.projects'));
  await expect(details.getByText('The door is fine.')).toBeVisible();

  await menu('Night one', t('common.archive'));
  await details.getByRole('button', { name: 'Archive (1)' }).press('Enter');
  await expectAccessible(page);
  // Looked at as it is, and opened again from there.
  await details.getByRole('button', { name: 'Night one', exact: true }).press('Enter');
  await expect(page.getByText(t('batch.isArchived'))).toBeVisible();
  const edit = page.getByRole('button', { name: t('batch.editAgain') });
  await expect(edit).toBeHidden();
  await expectAccessible(page);
  await page.getByRole('button', { name: t('projects.openAgain') }).press('Enter');
  await expect(edit).toBeEnabled();
  await goTo(page, t('place.projects'));
  await menu('Night one', t('batch.duplicate'));
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(3);
  await expect(page.getByText('Night one copy').first()).toBeVisible();
});

test('a project is exported into a folder, whose files have checksums', async ({ app, page }) => {
  await app.open();
  const project = await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await settled(page, 2);
  await goTo(page, t('place.projects'));
  mkdirSync(app.path('Backup'));
  await fromProjectMenu(page, 'Film', t('projects.export'));
  const choice = page.getByRole('dialog');
  await expect(choice.getByRole('radio')).toHaveCount(2);
  await expectAccessible(page);
  await choice.getByRole('button', { name: t('review.chooseFolder') }).press('Enter');
  await chooseFolder(page, app.path('Backup'), 'Export here “Backup”');
  await expect(page.getByText(/Exported “Film”: \d+ files in/)).toBeVisible();
  const list = readFileSync(app.path('Backup', 'Film', 'checksums.sha256'), 'utf8');
  expect(list.match(/\.mp4$/gm)).toHaveLength(2);

  // A file that is gone is found, and its take shown.
  const [film = ''] = list.match(/(?<= {2}).*\.mp4$/gm) ?? [];
  rmSync(join(project, film));
  await fromProjectMenu(page, 'Film', t('projects.facts'));
  await page.getByRole('button', { name: t('projects.verify') }).press('Enter');
  const check = page.getByRole('dialog', { name: t('projects.verifyNamed', { project: 'Film' }) });
  await expect(check.getByText('1 of 2 files is not as it was saved.')).toBeVisible();
  await expect(
    check.getByRole('region', { name: t('projects.verifyProblem', { problem: 'missing' }) }).getByRole('listitem'),
  ).toContainText(film);
  await expectAccessible(page);
  await check.getByRole('button', { name: `Show in the queue: ${film}` }).press('Enter');
  await expect(page.getByText(/no longer in the project folder/).first()).toBeVisible();
  await goTo(page, t('place.projects'));

  // Not every system takes such a name.
  writeFileSync(join(project, 'notes: day 1.txt'), 'Mine');
  await page.getByRole('button', { name: t('projects.export') }).press('Enter');
  await choice.getByRole('radio', { name: 'A zip file' }).press('Space');
  await choice.getByRole('button', { name: t('review.chooseFolder') }).press('Enter');
  await chooseFolder(page, app.path('Backup'), 'Export here “Backup”');
  await expect(page.getByText(/Exported “Film”: \d+ files in .*Film\.zip/)).toBeVisible();
  expect(readdirSync(app.path('Backup')).sort()).toEqual(['Film', 'Film.zip']);
  await expect(choice.getByRole('listitem')).toHaveText(/^Left out “notes: day 1\.txt”: its name has .*colon/);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(choice).toHaveCount(0);
});
