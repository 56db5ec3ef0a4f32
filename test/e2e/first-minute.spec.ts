import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { t } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { button, chooseFolder, countActions, settled } from './support/window.ts';

// The whole sample is drawn, here and nowhere else.
test.slow();

test('the first visit leads through the sample project to reviewed selects, without a key @night', async ({
  app,
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await app.open({ DAILIES_API_KEY: '', DAILIES_BASE_URL: '' });
  await expectAccessible(page);
  const takes = page.getByRole('grid', { name: t('group.takes') });
  const tile = (take: string) => takes.getByRole('gridcell', { name: `010 take ${take}` });

  await test.step('who has a service is led to its settings', async () => {
    await button(page, t('welcome.service')).click();
    await expect(page.getByRole('heading', { name: t('settings.service'), exact: true })).toBeVisible();
    await page.goBack();
  });

  await test.step('one click leads from an empty data folder to a film that plays, and gives way to a person', async () => {
    const actions = await countActions(page);
    await button(page, t('welcome.sample')).click();
    await expect(page.getByText(t('review.arrivingHint'))).toBeVisible();
    const film = takes.locator('video');
    await expect(film).toBeVisible({ timeout: 120_000 });
    await expect.poll(() => page.evaluate(`document.querySelector('video').currentTime`)).toBeGreaterThan(0);
    expect(await actions()).toBe(1);
    await page.keyboard.press('ArrowRight');
    await expect(film).toHaveCount(0);
    await page.reload();
    await expect(takes.getByRole('gridcell').first()).toBeVisible();
    await expect(film).toHaveCount(0);
    await settled(page, 24);
  });

  await test.step('a rating stays at its take, and a pick goes on to the next', async () => {
    await tile('1').click();
    await expect(tile('1')).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('5');
    await expect(tile('1')).toContainText('5 of 5');
    await expect(tile('1')).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('p');
    await expect(tile('1')).toContainText(t('review.picked'));
    await expect(tile('2')).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByText(t('review.tally', { picked: 1, alternates: 0, rejected: 0, open: 23 }))).toBeVisible();
  });

  await test.step('what was rated is exported', async () => {
    await page.keyboard.press('e');
    const which = page.getByRole('dialog', { name: t('review.exportSelects') });
    await expect(which.getByRole('radio', { name: 'Picked in the project 1' })).toBeChecked();
    await which.getByRole('radio', { name: 'Rated 4 or 5 in the project 1' }).check();
    await button(which, t('review.chooseFolder')).click();
    await chooseFolder(page, app.folder, `Export to “${basename(app.folder)}”`);
    await expect(page.getByText(/^Copied 1 file and selects\.csv to /)).toBeVisible();
    expect(readdirSync(app.folder).filter((name) => name.endsWith('.mp4'))).toHaveLength(1);
    expect(readFileSync(app.path('selects.csv'), 'utf8')).toContain('010');
    expect(existsSync(app.path('data', 'Sample project'))).toBe(true);
  });
});
