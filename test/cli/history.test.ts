import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callSocket, enter, entryIn, headersOf, socketIn } from '../support/entry.ts';
import { SharedTerminals } from './shared-terminals.ts';
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
    expect(await scene.lists('history')).toHaveLength(5);
    expect(scene.stdout.objects.at(-2)).toMatchObject({
      ...{ type: 'history', by: 'command', code: 'batch.started', facts: { batch: 'a', newTakes: 1 }, takeId: null },
    });
    expect(await scene.run('history', '--since', '2099-01-01')).toBe(0);
    expect(scene.said).toBe('Nothing was done in this time.\n');
    expect(await scene.run('history', '--since', 'soon')).toBe(2);
    expect(await scene.run('history', '--project', 'nowhere')).toBe(2);
  });

  it('says whose hand it was: that of the command, or of the window beside it, and no list and no option says another', async () => {
    const office = await SharedTerminals.open();
    const list = office.list('shot,kind,model,prompt,by,actor\n1,image,image-demo,A door,window,engine\n');
    expect(await office.run('run', list, '--project', 'film', '--by', 'window')).toBe(2);
    await office.serve();
    expect(await office.run('run', list, '--project', 'film')).toBe(0);
    const { address, ...pass } = await enter(entryIn(office.serving.stdout.text) ?? '');
    const headers = { ...headersOf({ address, ...pass }), 'content-type': 'application/json' };
    const input = JSON.stringify({ json: { by: 'command', actor: 'command' } });
    expect((await fetch(`${address}/rpc/queue/pause`, { method: 'POST', headers, body: input })).status).toBe(200);
    await callSocket(socketIn(office.dataFolder), 'queue/resume', { by: 'window', actor: 'window' });
    await office.stopServing();
    expect(await office.run('batches', 'rename', 'night', 'Day 1', '--project', 'film')).toBe(0);
    expect(await office.run('history', '--json')).toBe(0);
    expect(office.scene.stdout.objects.map(({ code, by }) => [code, by])).toEqual([
      ['batch.renamed', 'command'],
      ['queue.resumed', 'command'],
      ['queue.paused', 'window'],
      ['batch.started', 'command'],
      ['project.opened', 'command'],
    ]);
  });
});
