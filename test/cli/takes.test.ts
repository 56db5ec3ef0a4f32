import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TAKES_AT_ONCE } from '../../src/contract/trash.ts';
import { openDatabase } from '../../src/engine/db/open.ts';
import { ProjectStore } from '../../src/engine/db/project-store.ts';
import { SavedViewStore } from '../../src/engine/db/stores.ts';
import { seedFolder } from '../support/seed-folder.ts';
import { SharedTerminals } from './shared-terminals.ts';
import { deskWithService, deskWithTakes } from './support.ts';

it('dailies takes list lists the takes that fit, with their files, and says what it cannot read', async () => {
  const rows = 'M01,music,music-demo,Slow cello,1\nP01,image,image-demo,A harbour,2\n';
  const scene = await deskWithTakes(`shot,kind,model,prompt,Scene\n${rows}`);

  expect(await scene.run('takes', 'list', '--where', 'scene:2 -model:music*', '--project', 'film', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ type: 'take', shot: 'P01', take: 1, state: 'saved', rating: 0 }]);
  expect(existsSync(String(scene.stdout.objects[0]?.['file']))).toBe(true);
  expect(await scene.says('takes', 'list', '--where', 'cello')).toMatch(/M01 .*\n1 take$/m);
  expect(await scene.refuses('takes', 'list', '--where', 'rating:good')).toContain('After “rating:”, write a number');
});

it('dailies takes export copies the picks with their list, or what matches, and never replaces a file', async () => {
  const rows = 'P01,image,image-demo,A harbour,2\nP02,image,image-demo,A hill,3\n';
  const scene = await deskWithTakes(`shot,kind,model,prompt,Scene\n${rows}`);

  expect(await scene.refuses('takes', 'export', '--to', 'selects')).toContain('No saved takes match');
  expect(existsSync(scene.path('selects'))).toBe(false);
  expect(await scene.run('takes', 'pick', '--where', 'hill')).toBe(0);
  for (const folder of ['selects', 'selects']) {
    expect(await scene.run('takes', 'export', '--project', 'film', '--to', folder)).toBe(0);
    expect(scene.said).toContain(`Copied 1 file and selects.csv to ${scene.path('selects')}`);
  }
  expect(readdirSync(scene.path('selects'))).toHaveLength(4);
  expect(readFileSync(scene.path('selects/selects.csv'), 'utf8')).toMatch(/,P02,1,,pick,.*,A hill,\w{64},3\r?\n$/);
  expect(await scene.run('takes', 'export', '--where', 'scene:2', '--to', 'two', '--json')).toBe(0);
  expect(scene.stdout.objects).toEqual([{ type: 'exported', folder: scene.path('two'), files: 1 }]);
  expect(await scene.run('takes', 'export', '--where', 'rating:good', '--to', 'none')).toBe(2);
});

it('dailies takes tag tags the takes that fit, lists them by their tags, and takes the tags away again', async () => {
  const scene = await deskWithTakes(
    'shot,kind,model,prompt\nP01,image,image-demo,A harbour\nP02,image,image-demo,A hill\n',
  );

  expect(await scene.run('takes', 'tag', 'hero', 'night train', '--where', 'harbour')).toBe(0);
  expect(scene.said).toContain('1 take tagged: hero, night train');
  expect(await scene.run('takes', 'list', '--where', 'tag:"night train"', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ shot: 'P01', tags: ['hero', 'night train'] }]);
  const id = String(scene.stdout.objects[0]?.['id']);
  expect(await scene.run('takes', 'untag', 'HERO', '--take', id, '--json')).toBe(0);
  expect(scene.stdout.objects).toEqual([{ type: 'untagged', tags: ['HERO'], takes: 1 }]);
  expect(await scene.says('takes', 'list', '--where', 'has:tag')).toMatch(/P01 .*night train/);

  expect(await scene.refuses('takes', 'tag', 'hero')).toContain('--where');
  expect(await scene.refuses('takes', 'tag', 'a,b', '--take', id)).toContain('“a,b” cannot be a tag.');
  for (const nothing of ['', ' ', '""']) expect(await scene.run('takes', 'tag', 'hero', '--where', nothing)).toBe(2);
  expect(await scene.says('takes', 'tag', 'hero', '--where', 'nothing-like-it')).toContain('0 takes tagged');
});

it('dailies takes rate, pick, reject, unflag and note judge the takes that fit, after a dry run that changes nothing', async () => {
  const rows = 'P01,image,image-demo,A harbour\nP02,image,image-demo,A hill\n';
  const scene = await deskWithTakes(`shot,kind,model,prompt\n${rows}`);

  expect(await scene.run('takes', 'rate', '4', '--where', 'shot:P0*', '--dry-run')).toBe(0);
  expect(scene.said).toContain('Dry run: 2 takes would get: 4 of 5.');
  expect(await scene.says('takes', 'list', '--where', 'rating:4')).toMatch(/^0 takes$/m);
  expect(await scene.says('takes', 'rate', '4', '--where', 'shot:P0*')).toContain('2 takes: 4 of 5');
  expect(await scene.run('takes', 'pick', '--where', 'hill')).toBe(0);
  expect(await scene.run('takes', 'reject', '--where', 'harbour', '--json')).toBe(0);
  expect(scene.stdout.objects).toEqual([{ type: 'judged', flag: 'reject', takes: 1 }]);
  expect(await scene.run('takes', 'note', 'Too dark', '--where', 'flag:reject')).toBe(0);
  expect(await scene.lists('takes', 'list')).toMatchObject([
    { shot: 'P01', rating: 4, flag: 'reject', note: 'Too dark' },
    { shot: 'P02', rating: 4, flag: 'pick', note: '' },
  ]);
  expect(await scene.run('takes', 'alternate', '--where', 'shot:P01')).toBe(0);
  expect(await scene.run('takes', 'list', '--where', 'flag:alternate', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ shot: 'P01', flag: 'alternate' }]);
  expect(await scene.run('takes', 'unflag', '--where', 'shot:P0*')).toBe(0);
  expect(await scene.says('takes', 'list', '--where', 'flag:pick')).toMatch(/^0 takes$/m);

  for (const nothing of [[], ['--where', ' ']]) expect(await scene.run('takes', 'pick', ...nothing)).toBe(2);
  for (const stars of ['6', 'five', '']) expect(await scene.run('takes', 'rate', stars, '--where', 'hill')).toBe(2);
  expect(await scene.run('takes', 'note', 'x'.repeat(10_001), '--where', 'hill')).toBe(2);
});

it('picks one take of a shot, and refuses to pick two with their names', async () => {
  const scene = await deskWithTakes('shot,kind,model,prompt,takes\nP01,image,image-demo,A harbour,2\n');
  for (const dry of [['--dry-run'], []]) {
    expect(await scene.run('takes', 'pick', '--where', 'harbour', ...dry)).toBe(2);
    expect(scene.said).toContain('A shot has one pick, and several takes were chosen of P01 (1, 2).');
  }
  expect(await scene.run('takes', 'pick', '--where', 'take:1')).toBe(0);
  expect(await scene.run('takes', 'pick', '--where', 'take:2')).toBe(0);
  expect(await scene.lists('takes', 'list')).toMatchObject([{ flag: 'alternate' }, { flag: 'pick' }]);
});

it('dailies views saves, lists, renames and removes views, and never replaces one that has the name', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('stills.csv'), 'shot,kind,model,prompt\nP01,image,image-demo,A harbour\n');
  const views = (...words: string[]) => scene.run('views', ...words, '--project', 'film');
  expect(await views('list')).toBe(2);
  expect(await scene.run('run', 'stills.csv', '--project', 'film', '--batch', 'Day 1')).toBe(0);
  expect(await views('list')).toBe(0);
  expect(scene.said).toContain('None yet.');

  expect(await views('save', 'Harbours', '--where', 'harbour', '--batch', 'Day 1')).toBe(0);
  expect(await views('save', 'harbours', '--where', 'hill')).toBe(2);
  expect(await views('save', 'Other', '--where', 'rating:good')).toBe(2);
  expect(await views('save', ' ', '--where', 'hill')).toBe(2);
  expect(await views('rename', 'HARBOURS', 'By the sea')).toBe(0);
  expect(await views('list', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([
    { type: 'view', name: 'By the sea', filter: { text: 'harbour', batchId: expect.any(String) } },
  ]);
  expect(await scene.says('takes', 'list', '--view', 'by the sea', '--project', 'film')).toMatch(/^1 take$/m);
  expect(await views('remove', 'By the sea')).toBe(0);
  expect(await views('remove', 'By the sea')).toBe(2);
});

it('dailies takes list --view lists the takes of a saved view in its order, narrowed further, and names the views that there are', async () => {
  const scene = await deskWithTakes(
    'shot,kind,model,prompt\nP01,image,image-demo,A harbour\nP02,image,image-demo,A hill\nP03,image,image-demo,A hut\n',
  );
  expect(await scene.refuses('takes', 'list', '--view', 'None')).toContain('The saved view “None” was not found.');
  const db = openDatabase(scene.dataFolder);
  const projectId = new ProjectStore(db).list()[0]?.id ?? '';
  const filter = { text: 'prompt:*h* -shot:P03', sort: 'shot', group: { by: 'model' } } as const;
  new SavedViewStore(db).save({ id: 'one', projectId, name: 'With H', filter });
  new SavedViewStore(db).save({ id: 'two', projectId, name: 'No huts', filter: { text: '-"a hut', sort: 'list' } });
  db.close();

  expect((await scene.lists('takes', 'list', '--view', 'with h')).map(({ shot }) => shot)).toEqual(['P01', 'P02']);
  expect(await scene.lists('takes', 'list', '--view', 'With H', '--where', 'hill')).toMatchObject([{ shot: 'P02' }]);
  expect(await scene.run('takes', 'list', '--view', 'No huts', '--where', 'shot:P01', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ shot: 'P01' }]);
  expect(await scene.run('takes', 'list', '--view', 'With H', '--where', 'h '.repeat(19))).toBe(2);
  expect(scene.stderr.text).toContain('Use at most 20 search terms.');
  expect(await scene.refuses('takes', 'list', '--view', 'Other')).toContain('Saved views: No huts, With H');
});

it('dailies takes trash says what would go, moves it, restores it, and removes it for good once it is agreed to', async () => {
  const rows = ['P01', 'P02', 'P03'].map((key) => `${key},image,image-demo,Still ${key}`).join('\n');
  const scene = await deskWithTakes(`shot,kind,model,prompt\n${rows}\n`, '--batch', 'Day 1');
  const trash = scene.path(join('film', '.trash'));
  const lying = (): number => (existsSync(trash) ? readdirSync(trash).length : 0);

  expect(await scene.run('takes', 'trash', '--project', 'film', '--where', 'shot:P0*', '--dry-run')).toBe(0);
  expect(scene.said).toMatch(/^Dry run: the files of 3 takes would go to the trash: 3 files, .*stays charged\./m);
  expect(lying()).toBe(0);
  expect(await scene.run('takes', 'trash', '--project', 'film', '--where', 'shot:P01')).toBe(0);
  expect(scene.said).toMatch(/^1 take in the trash: 1 file, .*What they cost stays charged\./m);
  expect(scene.said).toMatch(/^Restore them with: .*takes restore --project film --where shot:P01$/m);
  expect(lying()).toBe(1);
  expect(await scene.run('takes', 'list', '--where', 'state:trashed', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ shot: 'P01', state: 'saved', trash: 'trashed' }]);
  expect(String(scene.stdout.objects[0]?.['file'])).toContain('.trash');
  expect(await scene.run('takes', 'restore', '--project', 'film', '--where', 'shot:P01')).toBe(0);
  expect(scene.said).toMatch(/^1 take restored: 1 file/m);
  expect(lying()).toBe(0);

  expect(await scene.run('takes', 'keep', '--project', 'film', '--where', 'shot:P03', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ type: 'trashed', takes: 2, files: 2, kept: 0 }]);
  expect(await scene.run('takes', 'keep', '--project', 'film', '--dry-run', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ type: 'would_trash', takes: 1, unjudged: 1 }]);
  expect(await scene.run('takes', 'empty-trash', '--project', 'film')).toBe(2);
  expect(scene.stderr.text).toMatch(/Delete the files of 2 takes permanently .*--yes/s);
  expect(lying()).toBe(2);
  expect(await scene.run('verify', 'film', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ type: 'verified', files: 3, emptied: 0, troubles: 0 }]);
  expect(await scene.run('takes', 'empty-trash', '--project', 'film', '--yes', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ type: 'emptied', takes: 2, files: 2 }]);
  expect(lying()).toBe(0);
  // What a person removed for good is no damage, in the project as in an export of it.
  expect(await scene.run('verify', 'film')).toBe(0);
  expect(scene.said).toMatch(/^2 files were permanently deleted .*\nChecked 1 file .*All are whole\.$/m);
  expect(await scene.run('projects', 'export', '--project', 'film', '--zip', scene.path('film.zip'))).toBe(0);
  expect(await scene.run('verify', scene.path('film.zip'))).toBe(0);
  expect(await scene.says('history', '--project', 'film')).toMatch(/Emptied the trash: removed the files of 2 takes/);

  expect(await scene.run('takes', 'trash', '--project', 'film')).toBe(2);
  expect(await scene.run('takes', 'trash', '--project', 'film', '--where', '')).toBe(2);
  expect(await scene.run('takes', 'keep')).toBe(2);
  expect(scene.service.ledger.commits).toBe(3);
});

it('many takes go to the trash in parts: what has moved before an interruption stays, is told, and is restored @night', async () => {
  const scene = await deskWithService();
  await seedFolder(scene.path('film'), TAKES_AT_ONCE + 20);
  writeFileSync(scene.path('still.csv'), 'shot,kind,model,prompt\nP01,image,image-demo,A harbour\n');
  expect(await scene.run('run', 'still.csv', '--project', 'film')).toBe(0);
  const trash = scene.path(join('film', '.trash'));
  const going = scene.run('takes', 'trash', '--project', 'film', '--where', 'shot:SC*');
  await expect.poll(() => existsSync(trash) && readdirSync(trash).length > 0).toBe(true);
  scene.interrupt();
  expect(await going).toBe(130);
  expect(scene.said).toMatch(/^500 takes in the trash: 500 files/m);
  expect(scene.said).toMatch(/^Stopped: 20 takes were left in place\.$/m);
  expect(readdirSync(trash)).toHaveLength(TAKES_AT_ONCE);

  expect(await scene.run('takes', 'restore', '--project', 'film', '--where', 'shot:SC*', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ type: 'restored', takes: TAKES_AT_ONCE, kept: 0 }]);
  expect(readdirSync(trash)).toEqual([]);
  expect(await scene.lists('history', '--project', 'film')).toMatchObject([
    { code: 'takes.restored', facts: { count: TAKES_AT_ONCE } },
    { code: 'takes.trashed', facts: { count: TAKES_AT_ONCE } },
    { code: 'batch.started' },
    { code: 'project.opened' },
  ]);

  expect(await scene.run('takes', 'trash', '--project', 'film', '--where', 'shot:SC*')).toBe(0);
  const emptying = scene.run('takes', 'empty-trash', '--project', 'film', '--yes');
  await expect.poll(() => readdirSync(trash).length < TAKES_AT_ONCE + 20).toBe(true);
  scene.interrupt();
  expect(await emptying).toBe(130);
  expect(scene.said).toMatch(/^500 takes removed from the trash: 500 files/m);
  expect(scene.said).toMatch(/^Stopped: 20 takes were left in place\.$/m);
  expect(readdirSync(trash)).toHaveLength(20);
});

it('dailies takes act lists the buttons of a take, and queues a take by one of them at its price', async () => {
  const scene = await deskWithTakes('shot,kind,model,prompt,operation\nP01,image,image-demo,A harbour,imagine\n');
  const id = String((await scene.lists('jobs', 'list'))[0]?.['id']);

  expect(await scene.says('takes', 'act', id)).toMatch(/^U1$[\s\S]*^🔄$[\s\S]*--button NAME/m);
  expect(await scene.refuses('takes', 'act', id, '--button', 'U9')).toContain('Its buttons: U1, U2');
  expect(scene.service.ledger.commits).toBe(1);

  expect(await scene.run('takes', 'act', id, '--button', 'u1')).toBe(0);
  expect(scene.said).toContain('Estimate: image image-demo: 1 take, price unknown');
  expect(scene.said).toContain('U1: queued');
  expect(await scene.run('resume')).toBe(0);
  expect(await scene.run('jobs', 'list', '--standing', 'saved', '--json')).toBe(0);
  expect(scene.stdout.objects.filter(({ type }) => type === 'job')).toMatchObject([
    { take: 1 },
    { take: 2, from: [{ how: 'action', takeId: id }] },
  ]);
  expect(scene.service.ledger.commits).toBe(2);
});

it('dailies takes act beside dailies serve says that the other one sends the take', async () => {
  const office = await SharedTerminals.open();
  await office.serve();
  const list = office.list('shot,kind,model,prompt,operation\nP01,image,image-demo,A harbour,imagine\n');
  expect(await office.run('run', list, '--project', 'film')).toBe(0);
  await office.run('jobs', 'list', '--json');
  const id = String(office.scene.stdout.objects[0]?.['id']);
  expect(await office.run('takes', 'act', id, '--button', 'u1')).toBe(0);
  expect(office.scene.said).toMatch(/\(dailies serve\) continues with it\.$/m);
});

it('dailies takes continue queues a take that continues another one, at its price, and nothing of what cannot be continued', async () => {
  const scene = await deskWithService();
  const rows = 'M01,music,music-demo,Slow cello\nP01,image,image-demo,A harbour\n';
  writeFileSync(scene.path('songs.csv'), `shot,kind,model,prompt\n${rows}`);
  await scene.run('config', 'set', 'prices', '[{"model": "music-*", "per": "take", "price": 2}]');
  expect(await scene.run('run', 'songs.csv', '--project', 'film')).toBe(0);
  const [song, still] = (await scene.lists('jobs', 'list')).map(({ id }) => String(id));

  expect(await scene.run('takes', 'continue', still ?? '', '--at', '1')).toBe(2);
  expect(scene.stderr.text).toContain('A take of image cannot be continued.');
  expect(await scene.run('takes', 'continue', song ?? '', '--at', 'soon')).toBe(2);
  expect(scene.service.ledger.commits).toBe(2);

  expect(await scene.run('takes', 'continue', song ?? '', '--at', '2.5', '--prompt', 'A choir joins')).toBe(0);
  expect(scene.said).toMatch(/^Estimate: music music-demo: 1 take, 2/m);
  expect(scene.said).toContain('From 2.5 s: queued');
  expect(await scene.run('resume')).toBe(0);
  expect(scene.service.ledger.billableCommits().at(-1)?.body).toMatchObject({
    prompt: 'A choir joins',
    continue_at: 2.5,
    task_id: expect.stringMatching(/^task_/) as unknown,
  });
  expect(scene.service.ledger.commits).toBe(3);
});

it('dailies takes mark and note set marks and notes at frames, list them, and refuse frames that are none', async () => {
  const rows = 'V01,video,vgen-2.0-cl-fast,A harbour,5\nP01,image,image-demo,A hill,\n';
  const scene = await deskWithTakes(`shot,kind,model,prompt,duration\n${rows}`);
  const at = ['--where', 'harbour'];
  const show = async (): Promise<object | undefined> => {
    expect(await scene.run('takes', 'list', ...at, '--json')).toBe(0);
    return scene.stdout.objects[0];
  };

  expect(await scene.says('takes', 'mark', '--in', '2f', '--out', '10f', ...at, '--dry-run')).toContain('Dry run');
  expect(await show()).toMatchObject({ marks: [], notes: [] });
  expect(await scene.run('takes', 'mark', '--in', '2f', '--out', '10f', ...at, '--json')).toBe(0);
  expect(scene.stdout.objects).toEqual([{ type: 'judged', marks: [{ output: 1, in: 2, out: 10 }], takes: 1 }]);
  expect(await scene.run('takes', 'note', 'Blink', '--at', '6f', ...at)).toBe(0);
  expect(await scene.run('takes', 'note', '--at', '4f', '--to', '8f', 'Hand too large', ...at)).toBe(0);
  expect(await scene.run('takes', 'note', 'Good', ...at)).toBe(0);
  expect(await show()).toMatchObject({
    ...{ note: 'Good', marks: [{ output: 1, in: 2, out: 10 }] },
    notes: [
      { from: 4, to: 8, text: 'Hand too large' },
      { from: 6, text: 'Blink' },
    ],
  });
  const id = String(((await show()) as { id: string }).id);
  expect(await scene.says('takes', 'show', id)).toMatch(
    /V01 .*\n +Note: Good\n +File 1: in 00:00:00:02, out 00:00:00:10\n +1\. from 00:00:00:04 to 00:00:00:08: Hand too large\n +2\. at 00:00:00:06: Blink$/m,
  );
  expect(await scene.says('takes', 'list', '--where', 'note:blink is:marked')).toContain('V01');

  expect(await scene.refuses('takes', 'mark', '--out', '2f', ...at)).toContain('must come after its in mark');
  expect(await scene.refuses('takes', 'mark', '--in', '12f', '--where', 'hill')).toContain('is not a video (png)');
  expect(await scene.refuses('takes', 'mark', '--in', '12', ...at)).toContain('Write 48f, 2.5s or 00:00:02:00');
  expect(await scene.refuses('takes', 'mark', '--out', '2s', ...at)).toContain('has no frame 23');
  expect(await scene.refuses('takes', 'mark', ...at)).toContain('--clear');
  expect(await scene.refuses('takes', 'note', ...at)).toContain('The note is missing');
  expect(await scene.refuses('takes', 'note', '--remove', '3', ...at)).toContain('has no note 3');

  expect(await scene.run('takes', 'note', '--remove', '1', ...at)).toBe(0);
  expect(await scene.run('takes', 'mark', '--clear', ...at)).toBe(0);
  expect(await show()).toMatchObject({ note: 'Good', marks: [], notes: [{ from: 6, text: 'Blink' }] });
  const retake = ['takes', 'retake', '--note', 'Softer', '--prompt', 'A quay', ...at];
  expect(await scene.run(...retake, '--yes')).toBe(0);
  expect(await scene.run('jobs', 'list', '--json')).toBe(0);
  expect(scene.stdout.objects.find(({ take }) => take === 2)).toMatchObject({
    from: [{ how: 'retake', note: 'Softer\nat 00:00:00:06: Blink' }],
  });
  expect(await scene.says(...retake, '--yes')).toContain('Nothing to queue');
});
