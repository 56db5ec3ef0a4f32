import { say } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, isDesktop, test } from './support/app.ts';
import { chooseList, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

test.use({ demo: { speed: { videoMs: 100, jitter: 0 } } });

test('the window opens with what the night came to, until a person has seen it', async ({ app, page }) => {
  await app.open();
  await openProject(app, page);
  await chooseList(page, videoList(2));
  await startBatch(page);
  await settled(page, 2);
  const panel = page.getByRole('region', { name: say('report.lastNight') });
  await expect(panel).toBeHidden();

  await goTo(page, say('place.projects'));
  // The queue is over a moment after its last take. Coming back to the window is enough.
  await expect(async () => {
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await expect(panel).toContainText(say('report.headlineAll', { total: 2 }), { timeout: 1000 });
  }).toPass();
  await expectAccessible(page);
  if (!isDesktop) {
    const [report] = await Promise.all([
      page.waitForEvent('popup'),
      panel.getByRole('button', { name: say('report.open') }).click(),
    ]);
    await expect(report.getByRole('heading', { level: 1 })).toHaveText(say('report.headlineAll', { total: 2 }));
    await report.close();
  }
  await panel.getByRole('button', { name: say('report.dismiss') }).click();
  await expect(panel).toBeHidden();
  await page.reload();
  await expect(page.getByRole('main', { name: say('place.projects') })).toBeVisible();
  await expect(panel).toBeHidden();
});
