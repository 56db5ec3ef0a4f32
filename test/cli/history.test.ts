import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deskWithService } from './support.ts';

describe('dailies history', () => {
  it('says what was done by a command, the newest first, and nothing for a list that changed nothing', async () => {
    const scene = await deskWithService();
    expect(await scene.run('history')).toBe(0);
    expect(scene.said).toBe('Nothing was done in this time.\n');
    writeFileSync(scene.path('a.csv'), 'shot,kind,model,prompt\n010,image,image-demo,Red door\n');
    writeFileSync(scene.path('b.csv'), 'shot,kind,model,prompt\n010,image,image-demo,Blue door\n');
    for (const list of ['a.csv', 'b.csv', 'a.csv']) await scene.run('run', list, '--project', 'film');
    await scene.run('run', 'b.csv', '--project', 'other');

    expect(await scene.run('history', '--project', 'film')).toBe(0);
    expect(scene.stdout.lines.map((line) => line.replace(/^[-\d]{10} [:\d]{8} {2}/, ''))).toEqual([
      'command  Started “b”: 1 new take.',
      'command  Started “a”: 1 new take.',
      expect.stringMatching(/^command {2}Opened “film” in .*\/film\.$/),
    ]);
    expect(await scene.run('history', '--json')).toBe(0);
    expect(scene.stdout.objects).toHaveLength(5);
    expect(scene.stdout.objects.at(-2)).toMatchObject({
      ...{ type: 'history', by: 'command', code: 'batch.started', facts: { batch: 'a', newTakes: 1 }, takeId: null },
    });
    expect(await scene.run('history', '--since', '2099-01-01')).toBe(0);
    expect(scene.said).toBe('Nothing was done in this time.\n');
    expect(await scene.run('history', '--since', 'soon')).toBe(2);
    expect(await scene.run('history', '--project', 'nowhere')).toBe(2);
  });
});
