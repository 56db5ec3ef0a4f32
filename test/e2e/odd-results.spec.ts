import type { Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import type { Unfamiliar } from '../../src/demo/media/prepared.ts';
import { expect, test, type App } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, settled, startBatch } from './support/window.ts';

const list = csvFile('odd.csv', [
  ['shot', 'kind', 'model', 'prompt', 'duration', 'n'],
  ['010', 'image', 'image-demo', 'A modern picture', '', ''],
  ['020', 'image', 'image-demo', 'A drawing', '', ''],
  ['030', 'video', 'vgen-2.0-nt', 'A wave', '4', ''],
  ['040', 'music', 'music-demo', 'Low brass', '', ''],
  ['050', 'image', 'image-demo', 'Three posters', '', '3'],
]);

function answerOddly({ service }: App): void {
  const odd: [string, Unfamiliar][] = [
    ['modern', 'avif'],
    ['drawing', 'svg'],
    ['wave', 'avif'],
    ['brass', 'wav-streamed'],
  ];
  for (const [prompt, as] of odd)
    service.faults.add({ match: { path: '/media/*', prompt }, do: { fault: 'format', as } });
  const second = { path: '/media/*/2.png', times: 'always' } as const;
  service.faults.add({ match: second, do: { fault: 'redirect', to: 'private' } });
}

const tile = (page: Page, shot: string) =>
  page.getByRole('grid', { name: t('group.takes') }).getByRole('gridcell', { name: `${shot} take 1` });

async function open(page: Page, shot: string): Promise<void> {
  await tile(page, shot).dblclick();
  await expect(page.getByRole('button', { name: t('review.backToGrid') })).toBeVisible();
}

test('results of other formats and media are shown as far as they can be, and say what is odd', async ({
  app,
  page,
}) => {
  answerOddly(app);
  await app.open();
  await openProject(app, page);
  await chooseList(page, list);
  await startBatch(page);
  await settled(page, 5, 1);
  await goTo(page, t('place.review'));
  await expect(page.getByRole('grid', { name: t('group.takes') })).toBeFocused();

  await expect(tile(page, '010').getByText(t('remark.notVerified'), { exact: true })).toBeAttached();
  await expect(tile(page, '030').getByText(`${t('remark.notVerified')}, ${t('remark.otherMedium')}`)).toBeAttached();
  await expect(tile(page, '050').getByText('2 of 3 outputs saved')).toBeAttached();
  // A small picture of it is drawn by the window, since the engine draws none of such a file.
  await expect(tile(page, '010').locator('img')).toHaveJSProperty('naturalWidth', 64);

  await open(page, '010');
  await expect(page.getByText(t('review.remarkNotVerified', { format: 'AVIF' }))).toBeVisible();
  await expect(page.getByRole('img', { name: '010 · take 1' })).toHaveJSProperty('naturalWidth', 64);
  await page.keyboard.press('Escape');

  await open(page, '020');
  await expect(page.getByText(t('review.cannotShow', { format: 'SVG' }))).toBeVisible();
  await expect(
    page
      .getByRole('main')
      .getByRole('button', { name: /^Show in/ })
      .first(),
  ).toBeVisible();
  await page.keyboard.press('Escape');

  await open(page, '030');
  await expect(page.getByText(t('review.remarkOtherMedium', { found: 'still', wanted: 'moving' }))).toBeVisible();
  await expect(page.getByRole('img', { name: '030 · take 1' })).toHaveJSProperty('naturalWidth', 64);
  await expect(page.getByRole('toolbar', { name: t('group.player') })).toHaveCount(0);
  await page.keyboard.press('Escape');

  await open(page, '040');
  await expect(page.getByText(t('review.notVerified'))).toHaveCount(0);
  await expect(page.getByRole('slider', { name: t('review.position') })).toHaveAttribute('aria-valuemax', /^[1-9]/);
  await page.keyboard.press('Escape');

  await open(page, '050');
  const files = page.getByRole('group', { name: t('review.filesOfTake') });
  await expect(files.getByRole('button')).toHaveCount(2);
  await files.getByRole('button', { name: 'File 2 of 2' }).click();
  await expect(page.getByRole('img', { name: '050 · take 1' })).toHaveAttribute('src', /\/3$/);
  await expect(page.getByRole('alert')).toContainText('2 of 3 outputs saved. File 2 of 3 was not downloaded');
  app.service.faults.clear();
  await page.getByRole('button', { name: t('queue.downloadAgain') }).click();
  await expect(files.getByRole('button')).toHaveCount(3);
  await settled(page, 5);
});
