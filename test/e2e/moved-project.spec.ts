import { t } from '../../src/contract/messages/words.ts';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { expect, isDesktop, test } from './support/app.ts';
import { chooseFolder, chooseList, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

test('a project whose folder was moved is found again, and no other folder is taken for it', async ({ app, page }) => {
  await app.open();
  const film = await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await settled(page, 2);
  await goTo(page, t('place.projects'));
  await openProject(app, page, 'Other');

  const moved = app.path('Archive', 'Film 2026');
  mkdirSync(app.path('Archive'));
  renameSync(film, moved);
  await page.reload();
  const row = page.getByRole('listitem').filter({ hasText: `Folder not found: ${film}` });
  await row.getByRole('button', { name: t('projects.relink') }).click();
  const chooser = page.getByRole('dialog', { name: 'Locate “Film”' });
  // A refusal is told in the dialogue; the browser's console stays empty, which every test looks at.
  await chooseFolder(page, app.path('Other'), 'Relink “Other”');
  await expect(chooser.getByRole('alert')).toContainText('another project');
  await chooseFolder(page, moved, 'Relink “Film 2026”');
  await expect(chooser).toBeHidden();
  await expect(page.getByRole('listitem').filter({ hasText: moved })).toBeVisible();
  await page
    .getByRole('complementary', { name: 'Project Film' })
    .getByRole('button', { name: t('place.review'), exact: true })
    .click();
  await expect(page.getByRole('main', { name: t('place.review') })).toContainText('0010');
});

test('a project that another machine has left behind opens with its takes, its failures and its open questions', async ({
  app,
  page,
}) => {
  const { faults, ledger } = app.service;
  faults.add({ match: { method: 'POST', prompt: '0020' }, do: { fault: 'reset', commit: true } });
  await app.open();
  const film = await openProject(app, page);
  await chooseList(page, videoList(3));
  await startBatch(page);
  const batch = page.getByRole('main');
  await expect(batch.getByRole('button', { name: '2 saved' })).toBeVisible();
  await expect(batch.getByRole('button', { name: '1 to decide' })).toBeVisible();
  // A page of this run would go on asking the next one, which does not know it.
  if (!isDesktop) await page.goto('about:blank');
  await app.stop();

  // The other machine: nothing of it but the folder is left.
  renameSync(app.path('data'), app.path('data of the other machine'));
  mkdirSync(app.path('Disk'));
  renameSync(film, app.path('Disk', 'Film'));
  writeFileSync(app.path('Disk', 'Film', '.dailies', 'takes', 'broken.json'), '{');
  await app.open();
  await page.getByRole('button', { name: t('projects.openOrCreateProject') }).click();
  await chooseFolder(page, app.path('Disk', 'Film'), 'Open “Film”');
  await expect(page.getByText(t('window.adopted', { count: 3, project: 'Film' }))).toBeVisible();
  await expect(page.getByText('broken.json')).toBeVisible();
  await expect(page.getByRole('banner')).toContainText('1 needs a decision');
  await goTo(page, t('place.queue'));
  await expect(page.getByRole('tab', { name: `${t('state.needsDecision')} 1` })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Done 2' })).toBeVisible();
  expect(ledger.commits).toBe(3);
});
