import { t } from '../../src/contract/messages/words.ts';
import { reportPage } from '../../src/server/reports/report-page.ts';
import { hostile, since } from '../support/night-reports.ts';
import { expect, expectAccessible, isDesktop, test } from './support/app.ts';
import { chooseList, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

test.use({ demo: { speed: { videoMs: 100, jitter: 0 } } });

test('the window opens with the report of the night, until a person has seen it', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await goTo(page, t('place.settings'));
  // A frame is drawn when the film is saved, although no view shows it.
  await page.waitForRequest((request) => request.method() === 'PUT');
  await settled(page, 2);
  const panel = page.getByRole('region', { name: t('report.lastNight') });
  await expect(panel).toBeHidden();

  await goTo(page, t('place.projects'));
  // The queue is over a moment after its last take. Coming back to the window is enough.
  await expect(async () => {
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await expect(panel).toContainText(t('report.headlineAll', { total: 2 }), { timeout: 1000 });
  }).toPass();
  await expectAccessible(page);
  if (!isDesktop) {
    const [report] = await Promise.all([
      page.waitForEvent('popup'),
      panel.getByRole('button', { name: t('report.openInTab') }).click(),
    ]);
    await expect(report.getByRole('heading', { level: 1 })).toHaveText(t('report.headlineAll', { total: 2 }));
    await expect(report.locator('.take img')).toHaveCount(2);
    // The page runs nothing and has no origin, but its links lead into the window.
    await report.getByRole('link', { name: t('report.nextStep', { step: 'review', takes: 2 }) }).click();
    await expect(report.getByRole('main', { name: t('place.review') })).toBeVisible();
    await expect(report.getByRole('gridcell')).toHaveCount(2);
    await report.close();
  }

  // In the morning: the first thing in sight is what is new, with the facts of the night above it.
  await page.goto('about:blank');
  await app.open();
  await expect(page.getByRole('main', { name: t('place.review') })).toBeVisible();
  await expect(page.getByRole('gridcell')).toHaveCount(2);
  await expect(panel).toContainText(t('report.headlineAll', { total: 2 }));
  await expectAccessible(page);
  // One key is enough for the first verdict.
  await page.keyboard.press('p');
  await expect(page.getByRole('gridcell').first()).toContainText(t('review.picked'));
  await panel.getByRole('button', { name: t('report.dismiss') }).click();
  await expect(panel).toBeHidden();
  await page.reload();
  await expect(page.getByRole('gridcell')).toHaveCount(2);
  await expect(panel).toBeHidden();
});

test('the report of a full night prints on two pages', async ({ page }) => {
  const picture = await page.screenshot({ type: 'jpeg', clip: { x: 0, y: 0, width: 320, height: 180 } });
  const address = `data:image/jpeg;base64,${picture.toString('base64')}`;
  const pictures = new Map(hostile.firstTakes.map(({ takeId }) => [takeId, address]));
  await page.setContent(reportPage({ report: hostile, pictures, at: since }));
  const pdf = (await page.pdf({ format: 'A4', printBackground: true })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(2);
});
