import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holdTasks } from '../support/held-tasks.ts';
import { deskWithService } from './support.ts';

describe('a project that is worked on from one data folder', () => {
  it('is not worked on from another meanwhile, which would pay for the same takes; later it is', async () => {
    const scene = await deskWithService();
    const release = holdTasks(scene.service);
    writeFileSync(
      scene.path('night.csv'),
      'shot,kind,model,prompt\n1,image,image-demo,A door\n2,image,image-demo,A wall\n',
    );
    const first = scene.run('run', 'night.csv', '--project', 'film');
    await expect.poll(() => scene.service.ledger.commits).toBe(2);
    const other = ['--data', scene.path('other'), 'run', 'night.csv', '--project', 'film'];
    expect(await scene.run(...other)).toBe(2);
    expect(scene.stderr.text).toContain(
      `${scene.path('film')} is in use from another data folder, ${scene.dataFolder}, by process ${process.pid} (dailies run)`,
    );
    expect(scene.stderr.text).toContain(
      'Nothing was sent.\nWait for it, stop it, or name its data folder with --data.',
    );
    scene.interrupt();
    expect(await first).toBe(130);
    release();
    expect(await scene.run(...other)).toBe(0);
    expect(scene.service.ledger.commits).toBe(2);
    expect(readFileSync(scene.path('film', 'night', 'manifest.csv'), 'utf8')).not.toContain('unknown');
  });

  it('is another one once it was moved away', async () => {
    const scene = await deskWithService();
    writeFileSync(scene.path('night.csv'), 'shot,kind,model,prompt\n1,image,image-demo,A door\n');
    expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
    const release = holdTasks(scene.service);
    const serving = scene.run('run', 'night.csv', '--project', 'elsewhere');
    await expect.poll(() => scene.service.ledger.commits).toBe(2);
    renameSync(scene.path('film'), scene.path('moved'));
    expect(await scene.run('--data', scene.path('other'), 'run', 'night.csv', '--project', 'moved')).toBe(0);
    release();
    expect(await serving).toBe(0);
    expect(scene.service.ledger.commits).toBe(2);
  });
});
