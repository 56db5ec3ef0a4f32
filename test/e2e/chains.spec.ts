import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { stageInWords, waitInWords } from '../../src/contract/in-words.ts';
import { t } from '../../src/contract/messages/words.ts';
import { formOf } from '../engine/library/media.ts';
import { type App, expect, expectAccessibleInBothThemes, test } from './support/app.ts';
import {
  button,
  chooseList,
  csvFile,
  goTo,
  openInProject,
  openProject,
  press,
  runCommand,
  showTakes,
  startBatch,
  takeCell,
} from './support/window.ts';

const HEADERS = ['shot', 'kind', 'model', 'prompt', 'takes', 'first_frame', 'wait_for'];
const still = (key: string, takes = '1') => [key, 'image', 'image-demo', `Harbour ${key}`, takes, '', ''];
const film = (key: string, first: string, wait: string) => [key, 'video', 'vgen-2.0-nt', 'A boat', '1', first, wait];

/** Starts two stills, a film of each that waits for its pick, and two takes that wait for a release. */
async function startChain(app: App, page: Page): Promise<void> {
  await app.openInSystemTheme();
  await openProject(app, page);
  const list = csvFile('chain.csv', [
    HEADERS,
    ...[still('010'), still('020', '2'), film('110', 'Shot://010', 'pick'), film('120', 'Shot://020', 'pick')],
    ...[film('300', '', 'release'), film('310', '', 'release')],
  ]);
  await chooseList(page, list);
  await startBatch(page);
  await expect(rowOf(page, '120')).toContainText(waitInWords({ wait: 'pick', waitsFor: '020' }));
  await expect(button(page, t('common.standingCount', { standing: 'saved', count: 3 }))).toBeVisible();
}

const rowOf = (page: Page, shot: string) =>
  page
    .getByRole('grid')
    .getByRole('row')
    .filter({ has: page.getByText(shot, { exact: true }) });
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const films = (app: App) => app.service.ledger.posts('/v1/videos').length;
/** The take that is open in Review. */
const opened = (page: Page, shot: string) =>
  page.getByRole('complementary', { name: t('common.details') }).getByRole('heading', { name: shot, exact: true });

test('a still, a pick and its film: the row says what it waits for, and a pick sends it and shows the next @night', async ({
  app,
  page,
}) => {
  await startChain(app, page);
  expect(films(app)).toBe(0);
  await page.keyboard.press('Shift+w');
  await expect(opened(page, '010')).toBeVisible();
  await page.keyboard.press('p');
  await expect(opened(page, '020')).toBeVisible();
  await page.keyboard.press('p');
  await expect.poll(() => films(app)).toBe(2);
  await page.keyboard.press('Shift+w');
  await expect(rowOf(page, '300')).toContainText(waitInWords({ wait: 'release' }));
  await expect(page.getByText(t('common.countSelected', { count: 1 }))).toBeVisible();
  await page.keyboard.press('Shift+r');
  await expect.poll(() => films(app)).toBe(3);
});

test('a batch shows its stages, and waits end for one take, a selection or all of them, and begin again @night', async ({
  app,
  page,
}) => {
  await startChain(app, page);
  await page.keyboard.press('ControlOrMeta+Shift+p');
  const stages = page.getByRole('list', { name: t('batch.stages') }).getByRole('listitem');
  const none = { picked: 0, underWay: 0, failed: 0, undecided: 0 };
  const first = { kinds: ['image', 'video'], shots: 4, saved: 2, ...none, waits: { pick: 0, failed: 0, release: 2 } };
  const second = { kinds: ['video'], shots: 2, saved: 0, ...none, waits: { pick: 2, failed: 0, release: 0 } };
  await expect(stages).toHaveText([stageInWords(first), stageInWords(second)]);
  await expectAccessibleInBothThemes(page);
  const waits = page.getByRole('row').filter({ hasText: waitInWords({ wait: 'release' }) });
  /** What can be undone is said. */
  const undo = async (takes: number) => {
    await expect(page.getByText(t('history.takesWaitEnded', { takes })).last()).toBeVisible();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(waits).toHaveCount(2);
  };

  await page.keyboard.press('Shift+a');
  await expect(waits).toHaveCount(0);
  await undo(2);
  await page.keyboard.press('End');
  await runCommand(page, t('queue.releaseWaits'));
  await expect(waits).toHaveCount(1);
  await undo(1);
  expect(films(app)).toBe(0);

  await goTo(page, t('place.queue'));
  await page.keyboard.press('4');
  await expect(waits).toHaveCount(2);
  await rowOf(page, '110').click();
  await press(page, 'Control+a', 'Shift+r');
  await expect(waits).toHaveCount(0);
  await undo(2);
  await press(page, 'Shift+r', 'ControlOrMeta+Shift+p');
  await expect.poll(() => films(app)).toBe(2);
});

test('picking in the grid goes to the next shot that is waited for, and on to the next take where none is @night', async ({
  app,
  page,
}) => {
  await startChain(app, page);
  const takes = await showTakes(page);
  const tile = (shot: string, take: number) => takes.getByRole('gridcell', { name: takeCell(shot, take) });
  await expect(button(page, new RegExp(t('window.nextWait')))).toBeVisible();
  await press(page, 'Home', 'p');
  await expect(tile('020', 2)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('p');
  await expect(tile('020', 1)).toContainText(t('review.picked'));
  await expect(tile('020', 2)).toHaveAttribute('aria-selected', 'true');
  await expect.poll(() => films(app)).toBe(2);
  await runCommand(page, t('window.nextWait'));
  await expect(page.getByRole('main', { name: t('place.queue') })).toBeVisible();
});

test('twenty stills, their films and films that go on from them: a row costs nothing before its pick @night', async ({
  app,
  page,
}) => {
  test.setTimeout(240_000);
  await app.openInSystemTheme();
  const folder = await openInProject(app, page);
  const chains = Array.from({ length: 20 }, (_, index) => String(index + 1).padStart(2, '0'));
  const rows = chains.flatMap((n) => [
    still(`${n}a`),
    film(`${n}b`, `Shot://${n}a`, 'pick'),
    film(`${n}c`, `Shot://${n}b#last`, ''),
  ]);
  await chooseList(page, csvFile('night.csv', [HEADERS, ...rows]));
  await startBatch(page);
  const patiently = { timeout: 60_000 };
  await expect(button(page, t('common.standingCount', { standing: 'saved', count: 20 }))).toBeVisible(patiently);
  expect(films(app)).toBe(0);
  await page.keyboard.press('Shift+w');
  for (const [index, n] of chains.entries()) {
    await expect(opened(page, `${n}a`)).toBeVisible(patiently);
    expect(films(app)).toBeLessThanOrEqual(2 * index);
    await page.keyboard.press('p');
  }
  await expect.poll(() => films(app), { timeout: 120_000 }).toBe(40);
  expect(app.service.ledger.posts()).toHaveLength(60);
  const kept = join(folder, '.dailies', 'frames');
  const frames = readdirSync(kept).map((name) => sha256(readFileSync(join(kept, name))));
  expect(new Set(frames).size).toBe(20);
  const sent = app.service.ledger.posts('/v1/assets/uploads').map((entry) => formOf(entry).files[0]?.sha256);
  expect(sent).toEqual(expect.arrayContaining(frames));
});
