import { t } from '../../src/contract/messages/words.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deskWithService, type CliScene } from './support.ts';

const LIST = 'shot,kind,model,prompt,notes\n010,image,image-demo,A red door,wide\n020,image,image-demo,A hand,\n';
const written = (scene: CliScene, text: string, name = 'night.csv'): string => {
  writeFileSync(scene.path(name), text);
  return name;
};
const linesOf = (scene: CliScene, name: string): string[] =>
  readFileSync(scene.path(name), 'utf8').replace('\uFEFF', '').trimEnd().split('\r\n');

describe('dailies prompts rewrite', () => {
  const rewrite = (scene: CliScene, ...more: string[]) =>
    scene.run(
      'prompts',
      'rewrite',
      'night.csv',
      '--model',
      'chat-demo',
      '--ask',
      'Make it night',
      '--out',
      'new.csv',
      ...more,
    );

  it('writes a list of its own with new prompts, says what is new, and leaves the rest as it is', async () => {
    const scene = await deskWithService();
    written(scene, LIST);
    expect(await rewrite(scene)).toBe(0);
    const [head, first, second] = linesOf(scene, 'new.csv');
    expect(head).toBe('shot,kind,model,prompt,notes');
    expect(first).toMatch(/^010,image,image-demo,"A red door\. .+",wide$/);
    expect(second).toMatch(/^020,image,image-demo,"A hand\. .+",$/);
    expect(readFileSync(scene.path('night.csv'), 'utf8')).toBe(LIST);
    expect(scene.said).toMatch(/010\n {2}- A red door\n {2}\+ A red door\. /);
    expect(scene.said).toContain('1 call to chat-demo');
  });

  it('does only the rows that are named, and makes rows of further versions', async () => {
    const scene = await deskWithService();
    written(scene, LIST);
    expect(await rewrite(scene, '--rows', '020', '--versions', '2')).toBe(0);
    const lines = linesOf(scene, 'new.csv');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['010', '020', '020-2']);
    expect(lines[1]).toBe('010,image,image-demo,A red door,wide');
    expect(await rewrite(scene, '--rows', '030')).toBe(2);
  });

  it('pays for nothing when the list, the key of a row or the place for the result is wrong', async () => {
    const scene = await deskWithService();
    written(scene, LIST);
    expect(await rewrite(scene, '--rows', '030')).toBe(2);
    expect(scene.stderr.text).toContain('No such row has the key 030');
    written(scene, 'x', 'new.csv');
    expect(await rewrite(scene)).toBe(2);
    expect(scene.stderr.text).toContain(t('cli.fileExists', { name: 'new.csv' }));
    written(scene, 'shot,model\n1,m\n');
    expect(scene.service.ledger.posts()).toHaveLength(0);
  });

  it('asks for a long list in pieces, and for a piece that was answered before a failure at no new charge', async () => {
    const scene = await deskWithService();
    const rows = Array.from({ length: 50 }, (_, index) => `${String(index + 1)},Shot ${String(index + 1)}`);
    written(scene, `shot,prompt\n${rows.join('\n')}\n`);
    scene.fault({ method: 'POST', nth: 2 }, { fault: 'reset', commit: true });
    expect(await rewrite(scene)).toBe(4);
    expect(scene.stderr.text).toContain('may have been charged');
    expect(scene.stderr.text).toContain('1 answer was received before');
    expect(existsSync(scene.path('new.csv'))).toBe(false);
    expect(await rewrite(scene)).toBe(4);
    expect(scene.service.ledger.posts()).toHaveLength(2);
    expect(await rewrite(scene, '--yes')).toBe(0);
    expect(scene.service.ledger.posts()).toHaveLength(3);
    expect(linesOf(scene, 'new.csv')).toHaveLength(51);
  });
});

it('dailies prompts shots makes a list of a script', async () => {
  const scene = await deskWithService();
  written(scene, 'A door opens.\n\nA hand, wet.\n', 'script.txt');
  expect(await scene.run('prompts', 'shots', 'script.txt', '--model', 'chat-demo', '--out', 'shots.csv')).toBe(0);
  expect(linesOf(scene, 'shots.csv')).toEqual([
    'shot,prompt,duration,notes',
    '010,A door opens.,4,',
    '020,"A hand, wet.",5,',
  ]);
  expect(await scene.run('prompts', 'shots', 'none.txt', '--model', 'chat-demo', '--out', 'other.csv')).toBe(2);
});
