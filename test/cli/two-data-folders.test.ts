import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holdTasks } from '../support/held-tasks.ts';
import { deskWithService } from './support.ts';

describe('a project that is worked on from one data folder', () => {
  it('is not worked on from another meanwhile, which would pay for the same takes; later it is', async () => {
    const desk = await deskWithService();
    const release = holdTasks(desk.service);
    writeFileSync(
      desk.path('night.csv'),
      'shot,kind,model,prompt\n1,image,image-demo,A door\n2,image,image-demo,A wall\n',
    );
    const first = desk.run('run', 'night.csv', '--project', 'film');
    await expect.poll(() => desk.service.ledger.commits).toBe(2);
    const other = ['--data', desk.path('other'), 'run', 'night.csv', '--project', 'film'];
    expect(await desk.run(...other)).toBe(2);
    expect(desk.stderr.text).toContain(
      `${desk.path('film')} is in use from another data folder, ${desk.dataFolder}, by process ${process.pid} (dailies run)`,
    );
    expect(desk.stderr.text).toContain('Nothing was sent.\nWait for it, stop it, or name its data folder with --data.');
    desk.interrupt();
    expect(await first).toBe(130);
    release();
    expect(await desk.run(...other)).toBe(0);
    expect(desk.service.ledger.commits).toBe(2);
    expect(readFileSync(desk.path('film', 'night', 'manifest.csv'), 'utf8')).not.toContain('unknown');
  });

  it('is another one once it was moved away', async () => {
    const desk = await deskWithService();
    writeFileSync(desk.path('night.csv'), 'shot,kind,model,prompt\n1,image,image-demo,A door\n');
    expect(await desk.run('run', 'night.csv', '--project', 'film')).toBe(0);
    const release = holdTasks(desk.service);
    const serving = desk.run('run', 'night.csv', '--project', 'elsewhere');
    await expect.poll(() => desk.service.ledger.commits).toBe(2);
    renameSync(desk.path('film'), desk.path('moved'));
    expect(await desk.run('--data', desk.path('other'), 'run', 'night.csv', '--project', 'moved')).toBe(0);
    release();
    expect(await serving).toBe(0);
    expect(desk.service.ledger.commits).toBe(2);
  });
});
