import { t } from '../../../src/contract/messages/words.ts';
import { nightStart } from '../../../src/engine/projects/spending.ts';
import { openDatabase } from '../../../src/engine/db/open.ts';
import { chooseList, goTo, openProject, startBatch, videoList } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

/** What the nights before this one sent, as shares of it. */
const EARLIER = [0.4, 0.9, 0.7, 0, 0.3, 1, 0.6, 0.8, 0.2, 0, 0.5, 0.75, 0.95];
const DAY_MS = 24 * 60 * 60_000;

/** Writes requests of earlier nights, beside those of this one. */
function addEarlierNights(dataFolder: string): void {
  const { facts, close } = openDatabase(dataFolder);
  const lines = facts.prepare('SELECT id FROM ledger ORDER BY id').pluck().all() as string[];
  const copy = facts.prepare(
    `INSERT INTO ledger (id, at, state, job_id, project_id, batch_id, model, micros, facts)
     SELECT id || @night, @at, state, job_id, project_id, batch_id, model, micros, facts FROM ledger WHERE id = @id`,
  );
  for (const [index, share] of EARLIER.entries()) {
    const at = nightStart(Date.now()) - (EARLIER.length - index) * DAY_MS + 8 * 60 * 60_000;
    for (const id of lines.slice(0, Math.round(lines.length * share))) copy.run({ id, night: index, at });
  }
  close();
}

/** What was spent, where it went, and a cap that holds takes back. */
export const spendingScene: Scene = {
  name: 'spending',
  service: { media: 'tiny', speed: { videoMs: 100, jitter: 0 } },
  play: async ({ app, page, camera }) => {
    const { faults } = app.service;
    for (const shot of ['0030', '0110']) {
      faults.add({ match: { method: 'POST', prompt: shot }, do: { fault: 'reset', commit: true } });
    }
    faults.add({ match: { method: 'POST', prompt: '0050' }, do: { fault: 'status', status: 400 } });
    await app.open();
    await openProject(app, page, 'The Keeper');
    await goTo(page, t('place.spending'));
    await page.getByText(t('spending.nothing')).waitFor();
    await camera.take('spending-empty');
    await goTo(page, t('place.batch'));
    await chooseList(
      page,
      videoList(24, (shot) => `A wave breaks over the rocks (${shot})`),
    );
    await startBatch(page);
    await goTo(page, t('place.queue'));
    const done = page.getByRole('tab', { name: new RegExp(`^${t('queue.groupDone')} 2[12]`) });
    await done.waitFor({ timeout: 60_000 });
    await page.getByRole('tab', { name: new RegExp(`^${t('state.needsDecision')} 2`) }).waitFor();
    await app.stop();
    addEarlierNights(app.path('data'));
    await app.open();
    await goTo(page, t('place.spending'));
    await page.getByRole('button', { name: t('spending.addNightCap') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(t('cap.maxSpend')).fill('20');
    await dialog.getByLabel(t('cap.maxTakes')).fill('26');
    await camera.take('spending-cap');
    await dialog.getByRole('button', { name: t('cap.save') }).click();
    await dialog.waitFor({ state: 'hidden' });
    await camera.take('spending-full');
    await goTo(page, t('place.batch'));
    await chooseList(
      page,
      videoList(12, (shot) => `Gulls wheel around the mast (${shot})`),
    );
    await startBatch(page);
    await goTo(page, t('place.queue'));
    await page
      .getByRole('list', { name: t('queue.obstacles') })
      .getByRole('button', { name: t('cap.raise') })
      .click();
    await dialog.waitFor();
    await camera.take('spending-raise');
    await page.keyboard.press('Escape');
    await camera.take('spending-gate');
  },
};
