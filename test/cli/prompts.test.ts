import { say } from '../../src/contract/messages/words.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deskWithService, type Desk } from './support.ts';

const LIST = 'shot,kind,model,prompt,notes\n010,image,image-demo,A red door,wide\n020,image,image-demo,A hand,\n';
const written = (desk: Desk, text: string, name = 'night.csv'): string => {
  writeFileSync(desk.path(name), text);
  return name;
};
const linesOf = (desk: Desk, name: string): string[] =>
  readFileSync(desk.path(name), 'utf8').replace('\uFEFF', '').trimEnd().split('\r\n');

describe('dailies prompts rewrite', () => {
  const rewrite = (desk: Desk, ...more: string[]) =>
    desk.run(
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
    const desk = await deskWithService();
    written(desk, LIST);
    expect(await rewrite(desk)).toBe(0);
    const [head, first, second] = linesOf(desk, 'new.csv');
    expect(head).toBe('shot,kind,model,prompt,notes');
    expect(first).toMatch(/^010,image,image-demo,"A red door\. .+",wide$/);
    expect(second).toMatch(/^020,image,image-demo,"A hand\. .+",$/);
    expect(readFileSync(desk.path('night.csv'), 'utf8')).toBe(LIST);
    expect(desk.said).toMatch(/010\n {2}- A red door\n {2}\+ A red door\. /);
    expect(desk.said).toContain('1 call to chat-demo');
  });

  it('does only the rows that are named, and makes rows of further versions', async () => {
    const desk = await deskWithService();
    written(desk, LIST);
    expect(await rewrite(desk, '--rows', '020', '--versions', '2')).toBe(0);
    const lines = linesOf(desk, 'new.csv');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['010', '020', '020-2']);
    expect(lines[1]).toBe('010,image,image-demo,A red door,wide');
    expect(await rewrite(desk, '--rows', '030')).toBe(2);
  });

  it('pays for nothing when the list, the key of a row or the place for the result is wrong', async () => {
    const desk = await deskWithService();
    written(desk, LIST);
    expect(await rewrite(desk, '--rows', '030')).toBe(2);
    expect(desk.stderr.text).toContain('No row with a prompt has the key 030');
    written(desk, 'x', 'new.csv');
    expect(await rewrite(desk)).toBe(2);
    expect(desk.stderr.text).toContain(say('cli.fileExists', { name: 'new.csv' }));
    written(desk, 'shot,model\n1,m\n');
    expect(desk.service.ledger.posts()).toHaveLength(0);
  });

  it('asks for a long list in pieces, and for a piece that was answered before a failure at no new charge', async () => {
    const desk = await deskWithService();
    const rows = Array.from({ length: 50 }, (_, index) => `${String(index + 1)},Shot ${String(index + 1)}`);
    written(desk, `shot,prompt\n${rows.join('\n')}\n`);
    desk.service.faults.add({ match: { method: 'POST', nth: 2 }, do: { fault: 'reset', commit: true } });
    expect(await rewrite(desk)).toBe(4);
    expect(desk.stderr.text).toContain('may have been charged');
    expect(desk.stderr.text).toContain('1 answer came before');
    expect(existsSync(desk.path('new.csv'))).toBe(false);
    expect(await rewrite(desk)).toBe(4);
    expect(desk.service.ledger.posts()).toHaveLength(2);
    expect(await rewrite(desk, '--yes')).toBe(0);
    expect(desk.service.ledger.posts()).toHaveLength(3);
    expect(linesOf(desk, 'new.csv')).toHaveLength(51);
  });
});

describe('dailies prompts shots', () => {
  it('makes a list of a script', async () => {
    const desk = await deskWithService();
    written(desk, 'A door opens.\n\nA hand, wet.\n', 'script.txt');
    expect(await desk.run('prompts', 'shots', 'script.txt', '--model', 'chat-demo', '--out', 'shots.csv')).toBe(0);
    expect(linesOf(desk, 'shots.csv')).toEqual([
      'shot,prompt,duration,notes',
      '010,A door opens.,4,',
      '020,"A hand, wet.",5,',
    ]);
    expect(await desk.run('prompts', 'shots', 'none.txt', '--model', 'chat-demo', '--out', 'other.csv')).toBe(2);
  });
});
