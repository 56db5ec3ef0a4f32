import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holdTasks } from '../support/held-tasks.ts';
import { deskWithService, deskWithTakes } from './support.ts';

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
    expect(await scene.refuses(...other)).toContain(
      `${scene.path('film')} is in use from another data folder, ${scene.dataFolder}, by process ${process.pid} (dailies run)`,
    );
    expect(scene.stderr.text).toContain(
      'Nothing was sent.\nWait for it, stop it, or choose its data folder with --data.',
    );
    scene.interrupt();
    expect(await first).toBe(130);
    release();
    expect(await scene.run(...other)).toBe(0);
    expect(scene.service.ledger.commits).toBe(2);
    expect(readFileSync(scene.path('film', 'night', 'manifest.csv'), 'utf8')).not.toContain('unknown');
  });

  it('keeps its caps and windows in any other, which says so, and has them changed for both', async () => {
    const scene = await deskWithService();
    const rows = Array.from({ length: 15 }, (_, row) => `${String(row + 1)},image,image-demo,Door ${String(row)}\n`);
    writeFileSync(scene.path('night.csv'), `shot,kind,model,prompt\n${rows.join('')}`);
    const other = ['--data', scene.path('other')];
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--max-takes', '8')).toBe(5);
    expect(await scene.run(...other, 'run', 'night.csv', '--project', 'film')).toBe(5);
    expect(scene.said).toContain('Found a cap of 8 takes for batch “night” in its folder: 8 takes already sent.');
    expect(scene.service.ledger.commits).toBe(8);
    // A copy in a data folder that has neither.
    cpSync(scene.path('film'), scene.path('copy', 'film'), { recursive: true });
    expect(await scene.run('--data', scene.path('third'), 'run', 'night.csv', '--project', 'copy/film')).toBe(5);
    expect(scene.service.ledger.commits).toBe(8);

    const hours = ['--project', 'film', '--days', 'mon-sun', '--time-zone', 'Europe/Berlin'];
    expect(await scene.run('cap', '--project', 'film', '--batch', 'night', '--max-takes', '10')).toBe(0);
    expect(await scene.run('window', '00:00-24:00', ...hours)).toBe(0);
    expect(await scene.run(...other, 'run', 'night.csv', '--project', 'film')).toBe(5);
    expect(scene.said).toContain('Found a cap of 10 takes for batch “night” in its folder: 8 takes already sent.');
    expect(scene.said).toContain('Found a night window for the project in its folder.');
    expect(scene.service.ledger.commits).toBe(10);
    expect(await scene.run('resume')).toBe(5);
    expect(scene.service.ledger.commits).toBe(10);
  });

  it('works with the texts that its lists name, wherever they were set', async () => {
    const scene = await deskWithService();
    const rows = ['{hero} walks', '{hero} runs', '{place} at dawn', 'A gull'].map(
      (prompt) => `image,image-demo,${prompt}\n`,
    );
    writeFileSync(scene.path('night.csv'), `kind,model,prompt\n${rows.join('')}`);
    const other = ['--data', scene.path('other')];
    await scene.run('prompts', 'variables', 'set', 'hero', 'A tall woman');
    await scene.run('prompts', 'variables', 'set', 'place', 'The pier', '--project', 'film');
    const list = ['run', 'night.csv', '--project', 'film'];
    expect(await scene.run(...list)).toBe(0);
    expect(await scene.says(...other, ...list, '--dry-run', '--offline')).toContain('0 new takes');
    expect(await scene.run(...other, ...list)).toBe(0);
    expect(scene.service.ledger.commits).toBe(4);
    // Another text of every project there is not what the project's list meant.
    await scene.run('--data', scene.path('third'), 'prompts', 'variables', 'set', 'hero', 'A small man');
    expect(await scene.run('--data', scene.path('third'), ...list)).toBe(0);
    expect(scene.service.ledger.commits).toBe(4);
    const sent = scene.service.ledger.posts().map(({ body }) => JSON.stringify(body));
    expect(sent.filter((body) => /[{][a-z]+[}]/.test(body))).toEqual([]);
  });

  it('has nothing made twice where the other one has made it under another name, until a person agrees', async () => {
    const scene = await deskWithService();
    const list = 'shot,kind,model,prompt\n1,image,image-demo,A door\n2,image,image-demo,A wall\n';
    for (const name of ['night.csv', 'day.csv']) writeFileSync(scene.path(name), list);
    const other = (...args: string[]) => scene.run('--data', scene.path('other'), ...args);
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--max-takes', '1')).toBe(5);
    expect(await other('run', 'day.csv', '--project', 'film', '--batch', 'day')).toBe(0);
    expect(scene.service.ledger.commits).toBe(3);
    expect(await scene.run('cap', '--project', 'film', '--batch', 'night', '--max-takes', '9')).toBe(0);
    expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(3);
    // Which of the two was sent first is left to chance.
    expect(scene.said).toMatch(/Another data folder has since sent the same shot, as take 1 of shot [12] in “day”\./);
    expect(await scene.run('jobs', 'retry', '--all-failed')).toBe(2);
    expect(scene.said).toContain('charged again');
    expect(scene.service.ledger.commits).toBe(3);
    expect(await scene.run('jobs', 'retry', '--all-failed', '--yes')).toBe(0);
    expect(await scene.run('resume')).toBe(0);
    expect(scene.service.ledger.commits).toBe(4);
  });

  it('is another one once it was moved away', async () => {
    const scene = await deskWithTakes('shot,kind,model,prompt\n1,image,image-demo,A door\n');
    const release = holdTasks(scene.service);
    const serving = scene.run('run', 'night.csv', '--project', 'elsewhere');
    await expect.poll(() => scene.service.ledger.commits).toBe(2);
    renameSync(scene.path('film'), scene.path('moved'));
    expect(await scene.run('--data', scene.path('other'), 'run', 'night.csv', '--project', 'moved')).toBe(0);
    release();
    expect(await serving).toBe(0);
    expect(scene.service.ledger.commits).toBe(2);
  });

  it('is known by the name that its batch has from the other one', async () => {
    const scene = await deskWithService();
    const list = 'shot,kind,model,prompt\n1,image,image-demo,A door\n2,image,image-demo,A wall\n';
    writeFileSync(scene.path('list.csv'), list);
    const other = (...args: string[]) => scene.run('--data', scene.path('other'), ...args);
    expect(await scene.run('run', 'list.csv', '--project', 'film')).toBe(0);
    expect(await other('run', 'list.csv', '--project', 'film')).toBe(0);
    expect(await scene.run('batches', 'rename', 'list', 'night', '--project', 'film')).toBe(0);
    expect(await other('cap', '--project', 'film', '--batch', 'night', '--max-takes', '9')).toBe(0);
    expect(await other('run', 'list.csv', '--project', 'film', '--batch', 'night')).toBe(0);
    expect(scene.service.ledger.commits).toBe(2);
    expect(await other('cap', '--project', 'film', '--batch', 'list', '--max-takes', '1')).toBe(2);
  });
});
