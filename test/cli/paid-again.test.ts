import { t } from '../../src/contract/messages/words.ts';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deskWithService, Page, typed, type CliScene } from './support.ts';

const header = 'shot,kind,model,prompt\n';
const four = `${header}001,image,image-demo,A red door
002,image,image-demo,A blue door
003,image,image-demo,A green door
004,image,image-demo,A white door
`;
const keyless = `kind,model,prompt
image,image-demo,A red door
image,image-demo,A blue door
image,image-demo,A green door
`;

function run(scene: CliScene, list: string, ...options: string[]): Promise<number> {
  writeFileSync(scene.path('night.csv'), list);
  return scene.run('run', 'night.csv', '--project', 'film', ...options);
}

describe('rows that were made under other keys', () => {
  it('are not paid for again for a row inserted above rows without keys, unless told so', async () => {
    const scene = await deskWithService();
    expect(await run(scene, keyless)).toBe(0);
    const inserted = keyless.replace('\n', '\nimage,image-demo,A wall\n');
    expect(await run(scene, inserted)).toBe(2);
    expect(scene.stdout.text).toContain(
      'warning  3 of 4 shots are already in “night” under other keys (0002 was 0001). 3 takes would be charged again.',
    );
    expect(scene.stderr.text).toContain(t('cli.movedRemedy', { batch: '--batch "night"' }));
    expect(scene.service.ledger.commits).toBe(3);
    expect(await run(scene, inserted, '--json')).toBe(2);
    expect(scene.stdout.objects).toMatchObject([
      {
        ...{ type: 'paid_again', reason: 'moved_rows', batch: 'night', shots: 3, ofShots: 4, takes: 3 },
        ...{ needsAgreement: true, example: { shot: '0002', madeAs: '0001' } },
      },
      { type: 'summary' },
    ]);

    expect(await run(scene, inserted, '--batch', 'night')).toBe(0);
    expect(scene.stdout.text).toContain('3 of 4 shots are already in');
    expect(scene.service.ledger.commits).toBe(7);
  });

  it('are asked about at a terminal', async () => {
    const scene = await deskWithService();
    await run(scene, four);
    scene.stdout = new Page(true);
    scene.stdin = Object.assign(typed(), { isTTY: true });
    const asked: string[] = [];
    scene.questions = { ...scene.questions, confirm: (question) => Promise.resolve(asked.push(question) > 1) };
    const renamed = four.replaceAll(/^0/gm, 'S0');
    expect(await run(scene, renamed)).toBe(2);
    expect(scene.service.ledger.commits).toBe(4);
    expect(await run(scene, renamed)).toBe(0);
    expect(asked[0]).toContain(t('queue.makeAgainQuestion', { count: 4 }));
    expect(scene.service.ledger.commits).toBe(8);
  });

  it('are told and made where they are few', async () => {
    const scene = await deskWithService();
    await run(scene, four);
    const renamed = four.replace('002,', '002b,');
    expect(await run(scene, renamed, '--dry-run')).toBe(0);
    expect(scene.stdout.text).toContain('1 of 4 shots is already in “night” under another key (002b was 002).');
    expect(await run(scene, renamed)).toBe(0);
    expect(scene.stdout.text).toContain('1 of 4 shots is already in');
    expect(scene.service.ledger.commits).toBe(5);
  });

  it('are none where a row stays beside one that repeats it, or where the takes it would repeat failed', async () => {
    const scene = await deskWithService();
    scene.fault({ prompt: 'blue', method: 'POST' }, { fault: 'status', status: 400 });
    expect(await run(scene, four)).toBe(3);
    expect(await run(scene, `${four}001b,image,image-demo,A red door\n`.replace('002,', '002b,'))).toBe(0);
    expect(scene.stdout.text).not.toContain('other key');
    expect(scene.stdout.text).not.toContain('another key');
    expect(scene.service.ledger.commits).toBe(5);
  });
});
