import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, test, wear } from './support/app.ts';
import { chooseList, csvFile, fromProjectMenu, goTo, openProject, settled, startBatch } from './support/window.ts';

test.use({ demo: { speed: { imageMs: 100, jitter: 0 } } });

test('an archived project is looked at, and takes no change until it is opened again', async ({ app, page }) => {
  await app.openInSystemTheme();
  await openProject(app, page);
  const rows = ['010', '020'].map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`]);
  await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt'], ...rows]));
  await startBatch(page);
  await settled(page, 2);
  await goTo(page, t('place.projects'));
  const other = isDesktop ? null : await page.context().newPage();
  await other?.goto(page.url());
  await fromProjectMenu(page, 'Film', t('common.archive'));

  const archive = page.getByRole('region', { name: t('common.archive') });
  await archive.getByRole('button', { name: 'Archive (1)' }).press('Enter');
  await archive.getByRole('button', { name: 'Film', exact: true }).press('Enter');
  const details = page.getByRole('complementary', { name: 'Project Film' });
  await expect(details.getByText(t('projects.readOnly'))).toBeVisible();
  await details.getByRole('button', { name: t('projects.moreOf', { project: 'Film' }) }).press('Enter');
  await expect(page.getByRole('menuitem')).toHaveText([
    t('projects.facts'),
    t('projects.history'),
    t('projects.export'),
  ]);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(details.getByRole('button', { name: t('batch.moreOf', { batch: 'stills' }) })).toBeHidden();
  await expectAccessible(page);

  // Its batch and its shots.
  await details.getByRole('button', { name: 'stills', exact: true }).press('Enter');
  const grid = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'stills' }) });
  await expect(grid.getByRole('row')).toHaveCount(3);
  await expect(archive).toContainText(t('projects.readOnly'));
  await expect(page.getByRole('button', { name: t('batch.editAgain') })).toBeDisabled();
  await expectAccessible(page);
  await page.getByRole('button', { name: t('common.allBatches') }).press('Enter');
  await expect(page.getByRole('button', { name: 'stills', exact: true })).toBeVisible();
  await expect(page.getByRole('complementary', { name: t('common.startBatch') })).toBeHidden();
  await expectAccessible(page);

  // Its takes: played and exported, but not judged.
  await goTo(page, t('place.review'));
  const takes = page.getByRole('grid').getByRole('gridcell');
  await expect(takes).toHaveCount(2);
  await takes.first().press('Enter');
  await expect(page.getByRole('img', { name: '010 · take 1' })).toBeVisible();
  const pick = page.getByRole('toolbar', { name: t('group.verdict') }).getByRole('button', { name: t('review.pick') });
  await expect(pick).toBeDisabled();
  await page.keyboard.press('p');
  await expect(page.getByRole('button', { name: t('review.withChanges') })).toBeDisabled();
  await expect(pick).toHaveAttribute('aria-pressed', 'false');
  for (const theme of ['light', 'dark'] as const) {
    await wear(page, theme);
    await expectAccessible(page);
  }
  await page.keyboard.press('e');
  await expect(page.getByRole('dialog').getByRole('button', { name: t('review.chooseFolder') })).toBeVisible();
  await page.keyboard.press('Escape');
  await goTo(page, t('place.research'));
  await expect(page.getByText(t('research.nothingKept'))).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await expectAccessible(page);
  await goTo(page, t('place.review'));

  // Opened again, here or in another window, it takes verdicts where it is.
  if (other) {
    await other
      .getByRole('complementary', { name: 'Project Film' })
      .getByRole('button', { name: t('projects.openAgain') })
      .click();
  } else {
    await archive.getByRole('button', { name: t('projects.openAgain') }).click();
  }
  await expect(archive).toBeHidden();
  await expect(pick).toBeEnabled();
  await page.keyboard.press('p');
  await expect(page.getByText('010 · take 1: picked')).toBeVisible();
});
