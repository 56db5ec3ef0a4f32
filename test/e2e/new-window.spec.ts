import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

test.use({ demo: { speed: { videoMs: 100, jitter: 0 } } });

test('a new window opens where the last one was, and tells of the night that needs a person', async ({ app, page }) => {
  await app.open();
  // One project is done first, and its night over.
  await openProject(app, page, 'Spot');
  await chooseList(page, videoList(1));
  await startBatch(page);
  await settled(page, 1);
  await goTo(page, t('place.projects'));
  const night = (name: string) => page.getByRole('region', { name });
  await expect(async () => {
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await expect(night(t('report.lastNight'))).toContainText(t('report.headlineAll', { total: 1 }), {
      timeout: 1000,
    });
  }).toPass();

  // Of another one take fails, one needs a decision, one is saved, one goes on, and a cap holds the last.
  app.service.faults.add({ match: { method: 'POST', prompt: '0010' }, do: { fault: 'status', status: 400 } });
  app.service.faults.add({ match: { method: 'POST', prompt: '0020' }, do: { fault: 'reset', commit: true } });
  app.service.faults.add({ match: { method: 'POST', prompt: '0040' }, do: { fault: 'outcome', end: 'never' } });
  await openProject(app, page, 'Film');
  await chooseList(page, videoList(5));
  await page.getByRole('button', { name: t('start.start') }).click();
  await page.getByRole('dialog').getByLabel(t('cap.maxTakes')).fill('3');
  await page.keyboard.press('Escape');
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await expect(page.getByRole('list', { name: t('queue.obstacles') })).toContainText(t('gate.capReached'));
  await expect(page.getByRole('tab', { name: `${t('state.needsDecision')} 1` })).toBeVisible();

  // Another run of the host, and nothing that a browser keeps.
  await page.evaluate('localStorage.clear()');
  await app.stop();
  await page.goto('about:blank');
  await app.open();
  await expect(page.getByRole('main', { name: t('place.queue') })).toBeVisible();
  const banner = page.getByRole('banner');
  await expect(banner.getByRole('button', { name: 'Film' })).toBeVisible();
  const headline = t('report.headline', { saved: 1, total: 5, issue: 'decide', count: 1 });
  await expect(page.getByRole('status').filter({ hasText: 'Film' })).toContainText(headline);
  await goTo(page, t('place.projects'));
  await expect(page.getByRole('region', { name: t('report.tonight') })).toContainText('Film');
});
