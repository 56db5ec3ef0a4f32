import { t } from '../../../src/contract/messages/words.ts';
import { chooseList, csvFile, goTo, openProject, startBatch } from '../../e2e/support/window.ts';
import type { Scene, Stage } from '../stage.ts';

const FAILING = 'vgen-2.0-cl-fast';

const list = (name: string, count: number, model = 'vgen-2.0-nt') =>
  csvFile(`${name}.csv`, [
    ['shot', 'kind', 'model', 'prompt', 'duration'],
    ...Array.from({ length: count }, (_none, index) => {
      const shot = String((index + 1) * 10).padStart(3, '0');
      return [shot, 'video', model, `A wave breaks over the rocks (${name} ${shot})`, '4'];
    }),
  ]);

/** The last shot waits for the still before it, so that a cap has something left to hold. */
const waiting = (name: string) =>
  csvFile(`${name}.csv`, [
    ['shot', 'kind', 'model', 'prompt', 'first_frame'],
    ...['010', '020', '030'].map((shot) => [shot, 'video', 'vgen-2.0-nt', `Gulls over the boats, ${shot}`, '']),
    ['040', 'image', 'image-demo', 'The mole at dawn', ''],
    ['050', 'video', 'vgen-2.0-nt', 'A boat leaves the mole behind', 'Shot://040'],
  ]);

async function capped({ page, camera }: Stage, shots: ReturnType<typeof csvFile>, takes: string): Promise<void> {
  await chooseList(page, shots);
  await page.getByRole('button', { name: t('start.start') }).click();
  await page.getByRole('dialog').getByLabel(t('cap.maxTakes')).fill(takes);
  await camera.take(`held-start-${shots.name.replace('.csv', '')}`);
  await page.keyboard.press('Escape');
  await startBatch(page);
}

/** What holds takes back and asks for a person: a cap that is nearly used, one that is reached, and a model that fails. */
export const heldScene: Scene = {
  name: 'held',
  service: { media: 'tiny', speed: { videoMs: 200, jitter: 0 } },
  play: async (stage) => {
    const { app, page, camera } = stage;
    const match = { method: 'POST', model: FAILING, times: 'always' } as const;
    app.service.faults.add({ match, do: { fault: 'status', status: 403 } });
    const never = { fault: 'outcome', end: 'never' } as const;
    app.service.faults.add({ match: { method: 'POST', prompt: 'The mole' }, do: never });
    await app.open();
    await openProject(app, page, 'The Keeper');
    await capped(stage, waiting('Harbour'), '5');
    await page.getByRole('button', { name: t('cap.raise') }).waitFor();
    await camera.take('held-near');
    await capped(stage, list('Crossing', 8), '3');
    await chooseList(page, list('Island', 12, FAILING));
    await page.getByRole('button', { name: t('start.start') }).click();
    await page.getByRole('dialog').getByLabel(t('cap.maxTakes')).fill('');
    await page.keyboard.press('Escape');
    await startBatch(page);
    await goTo(page, t('place.queue'));
    const obstacles = page.getByRole('list', { name: t('queue.obstacles') });
    await obstacles.getByText(t('gate.modelFailing')).waitFor({ timeout: 60_000 });
    await obstacles.getByText(t('gate.capReached')).waitFor();
    await camera.take('held-queue');
    await obstacles.getByRole('button', { name: t('cap.raise') }).click();
    await page.getByRole('dialog').waitFor();
    await camera.take('held-raise');
    await page.keyboard.press('Escape');
    await goTo(page, t('place.review'));
    await page.getByRole('searchbox', { name: t('review.searchWords') }).fill('rating:many');
    await page.getByRole('alert').waitFor();
    await camera.take('held-search');
  },
};
