import { appendFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { t, withDots } from '../../../src/contract/messages/words.ts';
import {
  chooseList,
  fromProjectMenu,
  goTo,
  openProject,
  settled,
  startBatch,
  videoList,
} from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

/** Projects that are renamed and put away. */
export const projectsScene: Scene = {
  name: 'projects',
  play: async ({ app, page, camera }) => {
    await app.open();
    for (const name of ['Harbour film', 'Old ad', 'The Keeper']) await openProject(app, page, name);
    await chooseList(page, videoList(6));
    await startBatch(page);
    await settled(page, 6);
    await goTo(page, t('place.projects'));
    await fromProjectMenu(page, 'The Keeper', withDots('common.rename'));
    await page.getByRole('dialog').waitFor();
    await camera.take('projects-rename');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Old ad' }).click();
    await fromProjectMenu(page, 'Old ad', t('common.archive'));
    await page.getByRole('button', { name: t('projects.archiveCount', { count: 1 }) }).click();
    await page.getByRole('button', { name: 'The Keeper' }).first().click();
    await camera.take('projects-archive');
    await fromProjectMenu(page, 'The Keeper', t('projects.export'));
    await page.getByRole('dialog').waitFor();
    await camera.take('projects-export');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(t('projects.facts'));
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: t('projects.factsOf', { project: 'The Keeper' }) }).waitFor();
    await camera.take('projects-facts');
    await damageTwo(app.path('The Keeper'));
    await page.getByRole('button', { name: t('projects.verify') }).click();
    await page.getByRole('region', { name: t('projects.verifyProblem', { problem: 'changed' }) }).waitFor();
    await camera.take('projects-verify');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(t('projects.history'));
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: t('projects.history'), exact: true }).waitFor();
    await camera.take('projects-history');
    await page.keyboard.press('Escape');
    await fromProjectMenu(page, 'The Keeper', t('common.archive'));
    const archive = page.getByRole('region', { name: t('common.archive') });
    await archive.getByRole('button', { name: t('projects.archiveCount', { count: 2 }) }).click();
    await archive.getByRole('button', { name: 'The Keeper', exact: true }).click();
    await page.getByText(t('projects.readOnly')).waitFor();
    await camera.take('projects-archived');
    await goTo(page, t('place.review'));
    await page.getByRole('grid', { name: t('group.takes') }).waitFor();
    await camera.take('projects-archived-review');
  },
};

/** A film of the project is gone, and another one is longer than it was. */
async function damageTwo(project: string): Promise<void> {
  const files = await readdir(project, { recursive: true });
  const [first = '', second = ''] = files.filter((file) => file.endsWith('.mp4')).toSorted();
  await rm(join(project, first));
  await appendFile(join(project, second), 'x');
}
