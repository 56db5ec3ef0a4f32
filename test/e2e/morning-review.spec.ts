import { writeFileSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { reportPage } from '../../src/server/reports/report-page.ts';
import { hostile, since } from '../support/night-reports.ts';
import { expect, expectAccessible, inEachLanguage, isDesktop, test } from './support/app.ts';
import {
  button,
  chooseList,
  csvFile,
  goTo,
  makeTakes,
  narrow,
  openInProject,
  openProject,
  press,
  pressInTurn,
  runCommand,
  settled,
  showTakes,
  startBatch,
  stillList,
  takeCell,
  videoList,
} from './support/window.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const TAKES = 60;

inEachLanguage(() => {
  test('sixty takes are judged by keyboard alone with the service gone, and the verdicts survive a reload', async ({
    app,
    page,
  }) => {
    writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ maxRate: { submit: 50 } }));
    await openInProject(app, page);
    const shots = Array.from({ length: TAKES / 3 }, (_none, index) => `S${index + 10}`);
    const rows = shots.map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`, '3']);
    await chooseList(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt', 'takes'], ...rows]));
    await startBatch(page);
    await settled(page, TAKES);
    await app.service.faults.outage({ answer: 'refused' });

    await pressInTurn(page, 'g', 'r');
    const takes = page.getByRole('grid', { name: t('group.takes') });
    await expect(takes).toBeFocused();
    // A rating stays at its take unless it is told to go on. Keys may come before any timer of the page.
    await page.evaluate('timer = setTimeout; setTimeout = (run, ms, ...rest) => timer(run, ms || 3000, ...rest)');
    await runCommand(page, t('review.advanceAfterStars'));
    await expect(takes).toBeFocused();
    const verdicts = ['4', 'p', 'x'];
    const judge = async (count: number) => {
      for (let index = 0; index < count; index += 1) await page.keyboard.press(verdicts[index % 3] ?? '');
    };
    await judge(30);
    await page.evaluate('setTimeout = timer');
    await page.keyboard.press('Enter');
    await expect(page.getByText(t('common.countOf', { done: 31, total: TAKES }), { exact: true })).toBeVisible();
    await judge(30);
    await expect(page.getByText(t('common.countOf', { done: TAKES, total: TAKES }), { exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    const tally = page.getByText(t('review.tally', { picked: 20, alternates: 0, rejected: 20, open: 20 }));
    await expect(tally).toBeVisible();

    await page.reload();
    await expect(tally).toBeVisible();
    await expect(takes).toBeFocused();
    const tile = (shot: string, take: number) => takes.getByRole('gridcell', { name: takeCell(shot, take) });
    await page.keyboard.press('Home');
    await expect(tile('S10', 1)).toContainText(t('review.stars', { stars: 4 }));
    await expect(tile('S10', 2)).toContainText(t('review.picked'));
    await expect(tile('S10', 3)).toContainText(t('review.rejected'));
    await page.keyboard.press('End');
    await expect(tile('S29', 3)).toContainText(t('review.rejected'));
    await press(page, 'Home', 'a');
    await expect(tile('S10', 1)).toContainText(t('review.alternate'));
    await expect(tile('S10', 2)).toHaveAttribute('aria-selected', 'true');
  });
});

test('review finds what is not rated yet, says what is left out side by side, and takes a decision', async ({
  app,
  page,
}) => {
  app.service.faults.add({ match: { method: 'POST', prompt: 'still of 060' }, do: { fault: 'reset', commit: true } });
  await openInProject(app, page);
  await makeTakes(page, stillList(['010', '020', '030', '040', '050', '060']), 5);
  await expect(page.getByRole('banner')).toContainText('1 to decide');
  const takes = await showTakes(page);
  const expectTakes = (count: number) => expect(takes.getByRole('gridcell')).toHaveCount(count);
  await expectTakes(5);

  await test.step('more takes than fit side by side', async () => {
    await press(page, 'Control+a', 'c');
    await expect(page.getByText(t('review.compareLimit', { most: 4, total: 5 }))).toBeVisible();
    await press(page, 'Escape', 'Escape');
  });

  await test.step('ratings, and those that have none', async () => {
    await press(page, 'Home', '3');
    await narrow(page, t('review.rating'), t('review.notRated'));
    await expectTakes(4);
    await narrow(page, t('review.rating'), t('review.exactlyStars', { stars: 3 }));
    await expectTakes(1);
    await narrow(page, t('review.rating'), t('review.anyRating'));
  });

  await test.step('a take of unknown fate is decided from its recipe', async () => {
    await narrow(page, t('common.state'), t('state.needsDecision'));
    await expectTakes(1);
    await button(page.getByRole('complementary', { name: t('common.details') }), t('common.decide')).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('radio', { name: t('queue.writeOff', { count: 1 }) }).check();
    await button(sheet, 'Write off 1 take').click();
    await expect(page.getByText('1 take written off.')).toBeVisible();
    await expect(page.getByText(t('review.noMatches'))).toBeVisible();
  });
});

test('the window opens with the report of the night, and tells of one that needs a person @night', async ({
  app,
  page,
}) => {
  const headlineAll = t('report.headlineAll', { total: 2 });
  const panel = page.getByRole('region', { name: /^(Today|Last night)$/ });
  const shown = page.getByRole('gridcell');

  await test.step('a night that is over is told of, and its report is a page of its own', async () => {
    await openInProject(app, page);
    await chooseList(page, videoList(2));
    await startBatch(page);
    await goTo(page, t('place.settings'));
    // A frame is drawn when the film is saved, although no view shows it.
    await page.waitForRequest((request) => request.method() === 'PUT');
    await settled(page, 2);
    await expect(panel).toBeHidden();
    await goTo(page, t('place.projects'));
    // The queue is over a moment after its last take. Coming back to the window is enough.
    await expect(async () => {
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await expect(panel).toContainText(headlineAll, { timeout: 1000 });
    }).toPass();
    await expectAccessible(page);
    if (isDesktop) return;
    const [report] = await Promise.all([page.waitForEvent('popup'), button(panel, t('report.openInTab')).click()]);
    await expect(report.getByRole('heading', { level: 1 })).toHaveText(headlineAll);
    await expect(report.locator('.take img')).toHaveCount(2);
    // The page runs nothing and has no origin, but its links lead into the window.
    await report.getByRole('link', { name: t('report.nextStep', { step: 'review', takes: 2 }) }).click();
    await expect(report.getByRole('main', { name: t('place.review') })).toBeVisible();
    await expect(report.getByRole('gridcell')).toHaveCount(2);
    await report.close();
  });

  await test.step('in the morning the first thing in sight is what is new, and one key is the first verdict', async () => {
    await page.goto('about:blank');
    await app.open();
    await expect(page.getByRole('main', { name: t('place.review') })).toBeVisible();
    await expect(shown).toHaveCount(2);
    await expect(panel).toContainText(headlineAll);
    await expectAccessible(page);
    await page.keyboard.press('p');
    await expect(shown.first()).toContainText(t('review.picked'));
    await button(panel, t('common.dismiss')).click();
    await expect(panel).toBeHidden();
    await page.reload();
    await expect(shown).toHaveCount(2);
    await expect(panel).toBeHidden();
  });

  await test.step('of another project one take fails, one needs a decision, one goes on, and a cap holds the last', async () => {
    const { faults } = app.service;
    faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'status', status: 400 } });
    faults.add({ match: { method: 'POST', prompt: '0020' }, do: { fault: 'reset', commit: true } });
    faults.add({ match: { method: 'POST', prompt: '0040' }, do: { fault: 'outcome', end: 'never' } });
    await goTo(page, t('place.projects'));
    await openProject(app, page, 'Trailer');
    await chooseList(page, videoList(5));
    await button(page, t('start.start')).click();
    await page.getByRole('dialog').getByLabel(t('cap.maxTakes')).fill('3');
    await page.keyboard.press('Escape');
    await startBatch(page);
    await goTo(page, t('place.queue'));
    await expect(page.getByRole('list', { name: t('queue.obstacles') })).toContainText(t('gate.capReached'));
    await expect(page.getByRole('tab', { name: `${t('state.needsDecision')} 1` })).toBeVisible();
  });

  await test.step('a new window opens at what needs a person, with nothing that a browser keeps', async () => {
    await app.stop();
    // After the stop: calls of a window without its pass would be refused.
    await page.evaluate('localStorage.clear()');
    await page.goto('about:blank');
    await app.open();
    await expect(page.getByRole('main', { name: t('place.queue') })).toBeVisible();
    await expect(button(page.getByRole('banner'), /Trailer/)).toBeVisible();
    const headline = t('report.headline', { saved: 1, total: 5, issue: 'decide', count: 1 });
    await expect(page.getByRole('status').filter({ hasText: 'Trailer' })).toContainText(headline);
    await goTo(page, t('place.projects'));
    await expect(page.getByRole('region', { name: /so far/i })).toContainText('Trailer');
  });
});

test('the report of a full night prints on two pages @night', async ({ page }) => {
  test.skip(isDesktop, 'Only a browser prints without asking.');
  const picture = await page.screenshot({ type: 'jpeg', clip: { x: 0, y: 0, width: 320, height: 180 } });
  const address = `data:image/jpeg;base64,${picture.toString('base64')}`;
  const pictures = new Map(hostile.firstTakes.map(({ takeId }) => [takeId, address]));
  await page.setContent(reportPage({ report: hostile, pictures, at: since }));
  const pdf = (await page.pdf({ format: 'A4', printBackground: true })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(2);
});

test('a batch shows the takes of each shot as pictures, which open in review @night', async ({ app, page }) => {
  await openInProject(app, page);
  const rows = ['010', '020'].map((shot) => [shot, 'image', 'image-demo', `A still of ${shot}`, '3']);
  await makeTakes(page, csvFile('stills.csv', [['shot', 'kind', 'model', 'prompt', 'takes'], ...rows]), 6);
  const grid = page.getByRole('grid', { name: t('batch.shotsOf', { name: 'stills' }) });
  const open = (take: number, flag: 'pick' | 'none' = 'none') => t('batch.openTakeInReview', { take, flag });
  const strip = grid
    .getByRole('row')
    .nth(2)
    .getByRole('group', { name: t('batch.contactStrip') });
  const toBatch = async (): Promise<void> => {
    await goTo(page, t('place.batch'));
    const line = button(page, 'stills');
    await grid.or(line).first().waitFor();
    if (await line.isVisible()) await line.click();
    await expect(grid).toBeFocused();
  };

  await test.step('a picture opens its take, whose verdict is shown at once', async () => {
    await toBatch();
    await expect(strip.getByRole('button')).toHaveCount(3);
    await expect(strip.locator('img')).toHaveCount(3);
    await expectAccessible(page);
    await button(strip, open(2)).click();
    await expect(page.getByRole('img', { name: '020 · take 2' })).toBeVisible();
    await page.keyboard.press('p');
    await toBatch();
    await expect(button(strip, open(2, 'pick'))).toBeVisible();
  });

  await test.step('by keyboard: the pick of the row, or any take from the pane beside it', async () => {
    await press(page, 'ControlOrMeta+Home', 'ArrowDown', 'Enter');
    await expect(page.getByRole('img', { name: '020 · take 2' })).toBeVisible();
    await toBatch();
    await button(page.getByRole('complementary', { name: t('batch.shotDetails') }), open(3)).press('Enter');
    await expect(page.getByRole('img', { name: '010 · take 3' })).toBeVisible();
  });
});
