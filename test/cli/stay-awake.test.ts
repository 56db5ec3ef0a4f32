import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { t } from '../../src/contract/messages/words.ts';
import { entryIn } from '../support/entry.ts';
import { holdTasks } from '../support/held-tasks.ts';
import { deskWithService } from './support.ts';

const LIST = 'shot,kind,model,prompt,duration\n001,video,vgen-2.0-cl-fast,A lighthouse at dawn,5\n';

/** A service whose tasks end when the test says so. */
async function deskWithLongTask() {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), LIST);
  return { scene, release: holdTasks(scene.service) };
}

describe('the computer', () => {
  it('is kept awake by dailies run while takes are made, and no longer', async () => {
    const { scene, release } = await deskWithLongTask();
    const running = scene.run('run', 'night.csv', '--project', 'film');
    await expect.poll(() => scene.awake.needs).toEqual([true]);
    release();
    expect(await running).toBe(0);
    expect(scene.awake.needs).toEqual([true, false]);
    expect(scene.stderr.text).toBe('');
  });

  it('is kept awake by dailies serve while something goes on', async () => {
    const { scene, release } = await deskWithLongTask();
    const running = scene.run('run', 'night.csv', '--project', 'film');
    await expect.poll(() => scene.service.ledger.commits).toBe(1);
    scene.interrupt();
    expect(await running).toBe(130);
    scene.awake.needs.length = 0;
    const serving = scene.run('serve', '--port', '0');
    await expect.poll(() => entryIn(scene.stdout.text)).not.toBeNull();
    await expect.poll(() => scene.awake.needs).toEqual([true]);
    release();
    await expect.poll(() => scene.awake.needs).toEqual([true, false]);
    scene.interrupt();
    expect(await serving).toBe(0);
  });

  it('is let alone by commands that make no takes', async () => {
    const { scene } = await deskWithLongTask();
    await scene.run('projects', 'list');
    await scene.run('run', 'night.csv', '--project', 'film', '--dry-run');
    expect(scene.awake.needs).toEqual([]);
  });

  it.each([
    [true, `${t('cli.mayFallAsleep')}\n`],
    [false, ''],
  ])('that cannot be kept awake is spoken of once, to a person at a terminal (%s)', async (isAtTerminal, said) => {
    const { scene, release } = await deskWithLongTask();
    Object.assign(scene, { isAtTerminal });
    scene.awake.works = false;
    const running = scene.run('run', 'night.csv', '--project', 'film');
    await expect.poll(() => scene.awake.needs).toEqual([true]);
    release();
    expect(await running).toBe(0);
    expect(scene.stderr.text).toBe(said);
  });
});
