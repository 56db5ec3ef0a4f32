import { t } from '../../../src/contract/messages/words.ts';
import { chooseList, goTo, openProject, startBatch, videoList } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

const prompts: Readonly<Record<string, string>> = {
  '0010': 'Dawn over a small fishing harbour, fog lifting off still water',
  '0020': 'The keeper, seen from behind, rows out alone',
  '0030': 'Gulls wheel around the mast of a passing trawler',
  '0040': 'The lighthouse rises out of the fog, tiny at first',
};

/** The queue at work, with what goes wrong, and with what it waits for. */
export const queueScene: Scene = {
  name: 'queue',
  service: { media: 'tiny', speed: { videoMs: 9000, jitter: 0.6 } },
  play: async ({ app, page, camera }) => {
    const { faults } = app.service;
    for (const shot of ['0030', '0110']) {
      faults.add({ match: { method: 'POST', prompt: shot }, do: { fault: 'reset', commit: true } });
    }
    faults.add({ match: { method: 'POST', prompt: '0050' }, do: { fault: 'status', status: 400 } });
    faults.add({ match: { prompt: '0070' }, do: { fault: 'outcome', end: 'failed', message: 'content policy' } });
    // However slow this machine is, some are still under way when the pictures are taken.
    faults.add({ match: { method: 'POST', nth: 24, times: 'always' }, do: { fault: 'outcome', takesMs: 3_600_000 } });
    await app.open();
    await openProject(app, page, 'The Keeper');
    await chooseList(
      page,
      videoList(60, (shot) => `${prompts[shot] ?? 'A wave breaks over the rocks in slow motion'} (${shot})`),
    );
    await startBatch(page);
    await goTo(page, t('place.queue'));
    await page.getByRole('tab', { name: new RegExp(`^${t('queue.groupDone')} [1-9]`) }).waitFor({ timeout: 60_000 });
    await camera.take('queue-running');
    await page.getByRole('tab', { name: t('state.needsDecision') }).click();
    await page.getByRole('grid').getByRole('row').nth(1).click();
    await camera.take('queue-decisions');
    await page
      .getByRole('toolbar', { name: t('queue.selectedTakes') })
      .getByRole('button', { name: t('common.decide') })
      .click();
    await page.getByRole('dialog').waitFor();
    await page.getByRole('radio', { name: t('common.sendAgain') }).check();
    await camera.take('queue-decide');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: t('state.failed') }).click();
    await page.getByRole('grid').getByRole('row').nth(1).click();
    await camera.take('queue-failed');
    await faults.outage({ answer: 'refused' });
    await page.getByText(t('gate.unreachable')).first().waitFor({ timeout: 60_000 });
    await camera.take('queue-trouble');
    await goTo(page, t('place.projects'));
    await camera.take('queue-projects');
    await app.kill();
    await page.getByRole('alert').first().waitFor({ timeout: 30_000 });
    await camera.take('queue-server-away');
  },
};
