import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deskWithService } from './support.ts';

const LIST = 'shot,kind,model,prompt\n010,image,image-demo,{door} at dusk\n';

describe('dailies prompts variables', () => {
  it('are set, listed and removed, and a run sends their texts', async () => {
    const scene = await deskWithService();
    writeFileSync(scene.path('doors.csv'), LIST);
    expect(await scene.says('prompts', 'variables', 'set', 'door', 'A red door')).toContain('Set the variable door.');
    expect(await scene.run('run', 'doors.csv', '--project', 'film', '--dry-run', '--offline')).toBe(0);
    expect(scene.stdout.text).toContain('A red door at dusk');
    expect(await scene.run('run', 'doors.csv', '--project', 'film')).toBe(0);

    // What was made stays; a project's own text goes before the one of every project, and makes the row another one.
    expect(await scene.run('prompts', 'variables', 'set', 'door', 'A blue door', '--project', 'film')).toBe(0);
    expect(await scene.lists('prompts', 'variables', 'list', '--project', 'film')).toMatchObject([
      { type: 'variable', name: 'door', text: 'A red door', projectId: null },
      { type: 'variable', name: 'door', text: 'A blue door', projectId: expect.any(String) },
    ]);
    expect(await scene.run('run', 'doors.csv', '--project', 'film')).toBe(0);
    expect(scene.service.ledger.commits).toBe(2);

    expect(await scene.run('prompts', 'variables', 'remove', 'door', '--project', 'film')).toBe(0);
    expect(await scene.run('prompts', 'variables', 'remove', 'door', '--project', 'film')).toBe(2);
    expect(await scene.run('prompts', 'variables', 'set', '1door', 'A door')).toBe(2);
    expect(scene.stderr.text).toContain('cannot be the name of a variable');
  });

  it('of a project can be set before its first run; a prompt that names another one is an error of its row', async () => {
    const scene = await deskWithService();
    writeFileSync(scene.path('doors.csv'), LIST);
    expect(await scene.run('prompts', 'variables', 'set', '1door', 'A door', '--project', 'film')).toBe(2);
    expect(existsSync(scene.path('film'))).toBe(false);
    expect(await scene.run('prompts', 'variables', 'set', 'door', 'A red door', '--project', 'film')).toBe(0);
    expect(await scene.run('run', 'doors.csv', '--project', 'film', '--dry-run', '--offline')).toBe(0);
    expect(scene.stdout.text).toContain('A red door at dusk');

    writeFileSync(scene.path('doors.csv'), `${LIST}020,image,image-demo,A {window} at dusk\n`);
    for (const dryRun of [['--dry-run', '--offline'], []]) {
      expect(await scene.run('run', 'doors.csv', '--project', 'film', ...dryRun)).toBe(2);
      expect(scene.said).toContain('row 3, column prompt');
      expect(scene.said).toContain('The variable “window” was not found');
      expect(scene.said).toContain('{{window}}');
    }
    expect(scene.service.ledger.commits).toBe(0);

    writeFileSync(scene.path('doors.csv'), `${LIST}020,image,image-demo,A {{window}} at dusk\n`);
    expect(await scene.run('run', 'doors.csv', '--project', 'film')).toBe(0);
    const sent = scene.service.ledger.posts().map(({ body }) => JSON.stringify(body));
    expect(sent.some((body) => body.includes('A {window} at dusk'))).toBe(true);
  });
});

it('dailies presets are saved from settings or a row, renamed, applied to rows as a new list, and removed', async () => {
  const scene = await deskWithService();
  const rows = '010,image,image-demo,A door,1024x1024\n020,music,music-demo,A song,\n030,image,other,A hill,\n';
  writeFileSync(scene.path('list.csv'), `shot,kind,model,prompt,size\n${rows}`);
  expect(await scene.says('presets', 'list')).toContain('None yet.');
  expect(
    await scene.run('presets', 'save', 'wide', '--kind', 'image', '--set', 'model=image-demo', 'size=1024x1024'),
  ).toBe(0);
  expect(await scene.run('presets', 'save', 'two', '--kind', 'image', '--set', 'model=image-two', 'n=2')).toBe(0);
  expect(await scene.lists('presets', 'list')).toMatchObject([
    { name: 'two', kind: 'image', cells: { model: 'image-two', n: '2' }, projectId: null },
    { name: 'wide', kind: 'image', cells: { model: 'image-demo', size: '1024x1024' } },
  ]);
  for (const wrong of [['--set', 'prompt=x'], ['--set', 'n'], []])
    expect(await scene.run('presets', 'save', 'wrong', '--kind', 'image', ...wrong)).toBe(2);

  expect(await scene.run('presets', 'rename', 'two', 'wide')).toBe(2);
  expect(await scene.run('presets', 'rename', 'two', 'pair')).toBe(0);
  expect(await scene.run('presets', 'apply', 'pair', 'list.csv', '--out', 'new.csv')).toBe(0);
  expect(scene.said).toContain('Applied pair to 2 rows; 1 of another kind was left as it is.');
  expect(readFileSync(scene.path('new.csv'), 'utf8').trim().split(/\r?\n/)).toEqual([
    'shot,kind,model,prompt,size,n',
    '010,image,image-two,A door,1024x1024,2',
    '020,music,music-demo,A song,,',
    '030,image,image-two,A hill,,2',
  ]);
  expect(await scene.run('presets', 'apply', 'wide', 'list.csv', '--out', 'new.csv')).toBe(2);
  expect(await scene.run('presets', 'apply', 'wide', 'list.csv', '--rows', '030,040', '--out', 'w.csv')).toBe(2);
  expect(await scene.run('presets', 'remove', 'pair')).toBe(0);
  expect(await scene.run('presets', 'remove', 'pair')).toBe(2);
});
