import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, expectAccessibleInBothThemes, isDesktop, test } from './support/app.ts';
import {
  anotherWindow,
  button,
  chooseFolder,
  enter,
  fromProjectMenu,
  goTo,
  makeTakes,
  openInProject,
  openProject,
  openProjectButton,
  press,
  runCommand,
  stillList,
  videoList,
} from './support/window.ts';

const detailsOf = (page: Page, project: string): Locator =>
  page.getByRole('complementary', { name: `Project ${project}` });

test('a project is renamed with its folder and archived by keyboard, looked at there, and opened again @night', async ({
  app,
  page,
}) => {
  await app.openInSystemTheme();
  const film = await openProject(app, page);
  await makeTakes(page, stillList(['010', '020']), 2);
  const rowOf = (folder: string): Locator => page.getByRole('main').getByRole('listitem').filter({ hasText: folder });

  await goTo(page, t('place.projects'));
  const other = isDesktop ? null : await anotherWindow(page);
  await test.step('it is renamed, in every window, and undone', async () => {
    await fromProjectMenu(page, 'Film', withDots('common.rename'));
    const dialog = page.getByRole('dialog', { name: 'Rename “Film”' });
    await expect(dialog.getByRole('textbox')).toBeFocused();
    await enter(page, 'The End');
    await expect(dialog).toBeHidden();
    await expect(rowOf(app.path('The End'))).toBeVisible();
    if (other) await expect(detailsOf(other, 'The End')).toBeVisible();
    expect(existsSync(app.path('The End', '.dailies'))).toBe(true);
    expect(existsSync(film)).toBe(false);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(rowOf(film)).toBeVisible();
    expect(existsSync(film)).toBe(true);
  });

  await test.step('who did what, of this project and of all', async () => {
    await runCommand(page, t('projects.history'));
    const history = page.getByRole('region', { name: t('projects.history'), exact: true });
    const line = (before: string, name: string) =>
      history.getByRole('row').filter({ hasText: `Renamed “${before}” to “${name}”` });
    await expect(line('Film', 'The End')).toContainText(t('projects.historyBy', { by: 'window' }));
    await expect(line('The End', 'Film')).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await history.getByLabel(t('common.project'), { exact: true }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option', { name: t('common.allProjects') })).toBeVisible();
    await press(page, 'Home', 'Enter');
    await expect(history.getByRole('columnheader', { name: t('common.project') })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(history).toBeHidden();
  });

  const archive = page.getByRole('region', { name: t('common.archive') });
  await test.step('it is archived and unarchived by keyboard', async () => {
    await fromProjectMenu(page, 'Film', t('common.archive'));
    await button(archive, 'Archive (1)').click();
    await expect(archive.getByText(film)).toBeVisible();
    if (other) await expect(button(other, 'Archive (1)')).toBeVisible();
    await expectAccessible(page);
    await button(archive, 'Unarchive: Film').press('Enter');
    await expect(detailsOf(page, 'Film')).toBeVisible();
    await expect(archive).toBeHidden();
  });

  await test.step('in the archive its menu has what changes nothing', async () => {
    await fromProjectMenu(page, 'Film', t('common.archive'));
    await button(archive, 'Archive (1)').press('Enter');
    await button(archive, 'Film').press('Enter');
    const details = detailsOf(page, 'Film');
    await expect(details.getByText(t('projects.readOnly'))).toBeVisible();
    await button(details, t('window.moreOf', { name: 'Film' })).press('Enter');
    await expect(page.getByRole('menuitem')).toHaveText([
      t('projects.facts'),
      t('projects.history'),
      t('projects.export'),
    ]);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(button(details, t('window.moreOf', { name: 'stills' }))).toBeHidden();
    await button(details, 'stills').press('Enter');
  });

  await test.step('its batch and its shots are looked at', async () => {
    const grid = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'stills' }) });
    await expect(grid.getByRole('row')).toHaveCount(3);
    await expect(archive).toContainText(t('projects.readOnly'));
    await expect(button(page, t('batch.editAgain'))).toBeDisabled();
    await button(page, t('common.allBatches')).press('Enter');
    await expect(button(page, 'stills')).toBeVisible();
    await expect(page.getByRole('complementary', { name: t('common.startBatch') })).toBeHidden();
    await expectAccessible(page);
  });

  const pick = button(page.getByRole('toolbar', { name: t('group.verdict') }), t('review.pick'));
  await test.step('its takes are played and exported, but not judged', async () => {
    await goTo(page, t('place.review'));
    const takes = page.getByRole('grid').getByRole('gridcell');
    await expect(takes).toHaveCount(2);
    await takes.first().press('Enter');
    await expect(page.getByRole('img', { name: '010 · take 1' })).toBeVisible();
    await expect(pick).toBeDisabled();
    await page.keyboard.press('p');
    await expect(button(page, t('review.withChanges'))).toBeDisabled();
    await expect(pick).toHaveAttribute('aria-pressed', 'false');
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('e');
    await expect(button(page.getByRole('dialog'), t('review.chooseFolder'))).toBeVisible();
    await page.keyboard.press('Escape');
    await goTo(page, t('place.research'));
    await expect(page.getByText(t('research.nothingKept'))).toBeVisible();
    await expect(page.getByRole('textbox')).toHaveCount(0);
    await expectAccessible(page);
    await goTo(page, t('place.review'));
  });

  await test.step('opened again, here or in another window, it takes verdicts where it is', async () => {
    await button(other ? detailsOf(other, 'Film') : archive, t('projects.openAgain')).click();
    await expect(archive).toBeHidden();
    await expect(pick).toBeEnabled();
    await page.keyboard.press('p');
    await expect(page.getByText('010 · take 1: picked')).toBeVisible();
  });
});

test('a batch is renamed, written about, put away and duplicated from its menu @night', async ({ app, page }) => {
  await openInProject(app, page);
  await makeTakes(page, videoList(2), 2);
  await goTo(page, t('place.projects'));
  const details = detailsOf(page, 'Film');
  const menu = async (batch: string, entry: string): Promise<void> => {
    await button(details, t('window.moreOf', { name: batch })).press('Enter');
    await page.getByRole('menuitem', { name: entry }).press('Enter');
  };
  const notes = page.getByRole('dialog', { name: t('batch.notesOf', { batch: 'Night one' }) });

  await test.step('it gets another name and notes', async () => {
    await menu('shots', withDots('common.rename'));
    await enter(page, 'Night one');
    await expect(details.getByText('Night one', { exact: true })).toBeVisible();
    await menu('Night one', t('common.withDots', { action: t('column.notes') }));
    await notes.getByRole('textbox').fill('The door is too dark.');
    await button(notes, t('common.save')).press('Enter');
    await expect(details.getByText('The door is too dark.')).toBeVisible();
  });

  await test.step('it gets hours of its own, and loses them', async () => {
    await menu('Night one', withDots('night.title'));
    const window = page.getByRole('dialog', { name: t('night.titleOfBatch', { batch: 'Night one' }) });
    await window.getByLabel(t('night.from')).fill('21:30');
    await button(window, t('common.save')).press('Enter');
    await expect(window).toBeHidden();
    await menu('Night one', withDots('night.title'));
    await expect(window.getByLabel(t('night.from'))).toHaveValue('21:30');
    await expectAccessible(page);
    await button(window, t('night.remove')).press('Enter');
    await expect(window).toBeHidden();
  });

  await test.step('put away it is looked at as it is, and opened again from there', async () => {
    await menu('Night one', t('common.archive'));
    await button(details, 'Archive (1)').press('Enter');
    await button(details, 'Night one').press('Enter');
    await expect(page.getByText(t('batch.isArchived'))).toBeVisible();
    const edit = button(page, t('batch.editAgain'));
    await expect(edit).toBeHidden();
    await expectAccessible(page);
    await button(page, t('projects.openAgain')).press('Enter');
    await expect(edit).toBeEnabled();
  });

  await test.step('a copy of it is a list again', async () => {
    await goTo(page, t('place.projects'));
    await menu('Night one', t('batch.duplicate'));
    await expect(page.getByRole('grid').getByRole('row')).toHaveCount(3);
    await expect(page.getByText('Night one copy').first()).toBeVisible();
  });
});

test('a project is exported and verified, and found again where its folder was moved to @night', async ({
  app,
  page,
}) => {
  const project = await openInProject(app, page);
  await makeTakes(page, videoList(2), 2);
  await goTo(page, t('place.projects'));
  mkdirSync(app.path('Backup'));
  const choice = page.getByRole('dialog');
  const exportHere = async (): Promise<void> => {
    await button(choice, t('review.chooseFolder')).press('Enter');
    await chooseFolder(page, app.path('Backup'), 'Export to “Backup”');
  };
  let gone = '';

  await test.step('into a folder, whose files have checksums', async () => {
    await fromProjectMenu(page, 'Film', t('projects.export'));
    await expect(choice.getByRole('radio')).toHaveCount(2);
    await expectAccessible(page);
    await exportHere();
    await expect(page.getByText(/Exported “Film”: \d+ files in/)).toBeVisible();
    const list = readFileSync(app.path('Backup', 'Film', 'checksums.sha256'), 'utf8');
    expect(list.match(/\.mp4$/gm)).toHaveLength(2);
    [gone = ''] = list.match(/(?<= {2}).*\.mp4$/gm) ?? [];
  });

  await test.step('a file that is gone is found, and its take shown', async () => {
    rmSync(join(project, gone));
    await fromProjectMenu(page, 'Film', t('projects.facts'));
    await button(page, t('projects.verify')).press('Enter');
    const check = page.getByRole('dialog', { name: t('projects.verifyNamed', { project: 'Film' }) });
    await expect(check.getByText('1 of 2 files is not as it was saved.')).toBeVisible();
    const missing = check.getByRole('region', { name: t('projects.verifyProblem', { problem: 'missing' }) });
    await expect(missing.getByRole('listitem')).toContainText(gone);
    await expectAccessible(page);
    await button(check, `Show in the queue: ${gone}`).press('Enter');
    await expect(page.getByText(/no longer in the project folder/).first()).toBeVisible();
    await goTo(page, t('place.projects'));
  });

  await test.step('into a zip file, which says what it left out', async () => {
    // Not every system takes such a name.
    writeFileSync(join(project, 'notes: day 1.txt'), 'Mine');
    await button(page, t('projects.export')).press('Enter');
    await choice.getByRole('radio', { name: 'A zip file' }).press('Space');
    await exportHere();
    await expect(page.getByText(/Exported “Film”: \d+ files in .*Film\.zip/)).toBeVisible();
    expect(readdirSync(app.path('Backup')).sort()).toEqual(['Film', 'Film.zip']);
    await expect(choice.getByRole('listitem')).toHaveText(/^Left out “notes: day 1\.txt”: its name has .*colon/);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(choice).toHaveCount(0);
  });

  await test.step('a folder that was moved is located, and no other one is taken for it', async () => {
    await goTo(page, t('place.projects'));
    await openProject(app, page, 'Other');
    const moved = app.path('Archive', 'Film 2026');
    mkdirSync(app.path('Archive'));
    renameSync(project, moved);
    await page.reload();
    const row = page.getByRole('listitem').filter({ hasText: `Folder not found: ${project}` });
    await button(row, t('projects.relink')).click();
    const chooser = page.getByRole('dialog', { name: 'Locate “Film”' });
    // A refusal is told in the dialogue; the browser's console stays empty, which every test looks at.
    await chooseFolder(page, app.path('Other'), 'Relink “Other”');
    await expect(chooser.getByRole('alert')).toContainText('another project');
    await chooseFolder(page, moved, 'Relink “Film 2026”');
    await expect(chooser).toBeHidden();
    await expect(page.getByRole('listitem').filter({ hasText: moved })).toBeVisible();
    await button(detailsOf(page, 'Film'), t('place.review')).click();
    // The other film is gone.
    await expect(page.getByRole('main', { name: t('place.review') })).toContainText('0020');
  });
});

test('a project that another machine has left behind opens with its takes, its failures and its open questions @night', async ({
  app,
  page,
}) => {
  const { faults, ledger } = app.service;
  faults.add({ match: { method: 'POST', prompt: '0020' }, do: { fault: 'reset', commit: true } });
  const film = await openInProject(app, page);
  await makeTakes(page, videoList(3), 2);
  await expect(button(page.getByRole('main'), '1 to decide')).toBeVisible();
  // A page of this run would go on asking the next one, which does not know it.
  if (!isDesktop) await page.goto('about:blank');
  await app.stop();

  // The other machine: nothing of it but the folder is left.
  renameSync(app.path('data'), app.path('data of the other machine'));
  mkdirSync(app.path('Disk'));
  renameSync(film, app.path('Disk', 'Film'));
  writeFileSync(app.path('Disk', 'Film', '.dailies', 'takes', 'broken.json'), '{');
  await app.open();
  await openProjectButton(page).click();
  await chooseFolder(page, app.path('Disk', 'Film'), 'Open “Film”');
  await expect(page.getByText(t('window.adopted', { count: 3, project: 'Film' }))).toBeVisible();
  await expect(page.getByText('broken.json')).toBeVisible();
  await expect(page.getByRole('banner')).toContainText('1 needs a decision');
  await goTo(page, t('place.queue'));
  await expect(page.getByRole('tab', { name: `${t('state.needsDecision')} 1` })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Done 2' })).toBeVisible();
  expect(ledger.commits).toBe(3);
});
