import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deskWithTakes } from './support.ts';

const LIST = 'shot,kind,model,prompt\n010,image,image-demo,Red door\n';

async function deskWithFilm() {
  const scene = await deskWithTakes(LIST);
  return scene;
}

describe('dailies projects', () => {
  it('renames a project with its folder, in which everything goes on, and refuses a name that is taken', async () => {
    const scene = await deskWithFilm();
    mkdirSync(scene.path('taken'));
    expect(await scene.run('projects', 'rename', 'taken', '--project', 'film')).toBe(2);
    expect(scene.stderr.text).toContain(`${scene.path('taken')} already exists. The project was not renamed.`);
    expect(await scene.run('projects', 'rename', 'The End', '--project', 'film')).toBe(0);
    expect(scene.said).toBe(`Renamed “film” to “The End”. Its folder is ${scene.path('The End')}.\n`);
    expect(existsSync(scene.path('film'))).toBe(false);
    expect(await scene.run('projects', 'list')).toBe(0);
    expect(scene.stdout.lines[1]).toMatch(/^The End +\/.*\/The End +1 saved$/);
    expect(await scene.run('run', 'night.csv', '--project', 'The End')).toBe(0);
    expect(scene.service.ledger.commits).toBe(1);
    expect(await scene.run('history', '--project', 'The End')).toBe(0);
    expect(scene.said).toContain(`command  Renamed “film” to “The End”. Its folder is ${scene.path('The End')}.`);
  });

  it('archives a project, which nothing changes until it is taken back', async () => {
    const scene = await deskWithFilm();
    expect(await scene.run('projects', 'archive', '--project', 'film')).toBe(0);
    expect(await scene.run('projects', 'list')).toBe(0);
    expect(scene.said).toBe('None yet.\n');
    expect(await scene.lists('projects', 'list', '--archived')).toMatchObject([
      { type: 'project', name: 'film', archived: true, counts: { saved: 1 } },
    ]);
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--again')).toBe(2);
    expect(scene.stderr.text).toContain('“film” is archived and read-only.');
    expect(scene.stderr.text).toContain('dailies projects unarchive');
    expect(await scene.run('projects', 'rename', 'other', '--project', 'film')).toBe(2);
    expect(scene.service.ledger.commits).toBe(1);
    expect(await scene.run('projects', 'unarchive', '--project', 'film')).toBe(0);
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--again')).toBe(0);
    expect(scene.service.ledger.commits).toBe(2);
  });
});

it('dailies batches lists, renames, notes, duplicates and archives batches of a project', async () => {
  const scene = await deskWithFilm();
  const film = ['--project', 'film'];
  expect(await scene.run('batches', 'rename', 'night', 'Night one', ...film)).toBe(0);
  expect(scene.said).toBe('Renamed batch “night” to “Night one”.\n');
  expect(await scene.run('batches', 'rename', 'night', 'other', ...film)).toBe(2);
  expect(await scene.run('batches', 'note', 'Night one', 'Too dark', ...film)).toBe(0);
  expect(await scene.run('batches', 'list', ...film)).toBe(0);
  expect(scene.stdout.lines[1]).toMatch(/^Night one +1 +1 saved +\d{4}-.+ +Too dark$/);
  expect(await scene.run('batches', 'duplicate', 'Night one', ...film)).toBe(0);
  expect(scene.said).toContain('The shots of “Night one” are in the new list “Night one copy”.');
  expect(await scene.run('batches', 'duplicate', 'Night one', ...film, '--out', 'copy.csv')).toBe(0);
  expect(scene.said).toContain('The shot of “Night one” is in copy.csv, without takes.');
  expect(readFileSync(scene.path('copy.csv'), 'utf8')).toMatch(/^\uFEFFshot,kind,model,prompt,.*\r\n010,/);
  expect(await scene.run('batches', 'duplicate', 'Night one', ...film, '--out', 'copy.csv')).toBe(2);
  expect(scene.stderr.text).toContain('copy.csv already exists.');
  expect(await scene.run('batches', 'duplicate', 'Night one', ...film, '--out', 'b.csv', '--as', 'B')).toBe(2);
  // The file is the list: started under the batch's name, it has no new shot.
  expect(await scene.run('run', 'copy.csv', ...film, '--batch', 'Night one')).toBe(0);
  expect(scene.service.ledger.commits).toBe(1);
  expect(await scene.run('batches', 'archive', 'Night one', ...film)).toBe(0);
  expect(await scene.run('batches', 'list', ...film)).toBe(0);
  expect(scene.said).toBe('No batches yet.\n');
  expect(await scene.run('run', 'night.csv', ...film, '--batch', 'Night one', '--again')).toBe(2);
  expect(scene.stderr.text).toContain('Batch “Night one” is archived and read-only.');
  expect(await scene.run('batches', 'unarchive', 'Night one', ...film)).toBe(0);
  expect(await scene.lists('batches', 'list', ...film)).toMatchObject([
    { type: 'batch', name: 'Night one', notes: 'Too dark', archived: false },
  ]);
  expect(scene.service.ledger.commits).toBe(1);
});

it('dailies batches order lists by date, by name or by hand, and keeps that', async () => {
  const scene = await deskWithFilm();
  const film = ['--project', 'film'];
  for (const name of ['Day 10', 'Day 2']) {
    expect(await scene.run('run', 'night.csv', ...film, '--batch', name, '--again')).toBe(0);
  }
  const listed = async (): Promise<unknown[]> => {
    return (await scene.lists('batches', 'list', ...film)).map(({ name }) => name);
  };
  expect(await listed()).toEqual(['Day 2', 'Day 10', 'night']);
  expect(await scene.says('batches', 'order', 'name', ...film)).toMatch(/Day 2.*\nDay 10.*\nnight/);
  expect(await scene.run('batches', 'order', 'hand', 'night', ...film)).toBe(0);
  expect(await listed()).toEqual(['night', 'Day 2', 'Day 10']);
  expect(await scene.run('run', 'night.csv', ...film, '--batch', 'Day 3', '--again')).toBe(0);
  expect(await listed()).toEqual(['Day 3', 'night', 'Day 2', 'Day 10']);
  expect(await scene.run('batches', 'order', 'sideways', ...film)).toBe(2);
  expect((await scene.lists('history', ...film)).filter(({ code }) => code === 'batches.ordered')).toMatchObject([
    { by: 'command', facts: { order: 'hand' } },
    { by: 'command', facts: { order: 'name' } },
  ]);
});

it('dailies projects export --zip makes one file of a project, which verify proves', async () => {
  const scene = await deskWithFilm();
  expect(await scene.run('projects', 'export', '--project', 'film', '--zip', 'film.zip', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ type: 'exported', folder: scene.path('film.zip') }]);
  expect(await scene.lists('verify', 'film.zip')).toMatchObject([{ type: 'verified', by: 'checksums', troubles: 0 }]);
  const bytes = readFileSync(scene.path('film.zip'));
  const at = bytes.indexOf('Red door');
  writeFileSync(
    scene.path('film.zip'),
    Buffer.concat([bytes.subarray(0, at), Buffer.from('B'), bytes.subarray(at + 1)]),
  );
  expect(await scene.run('verify', 'film.zip')).toBe(3);
  expect(scene.said).toMatch(/^changed: .*\n.*1 is not as it was/m);
  expect(await scene.run('verify', 'night.csv')).toBe(2);
  expect(await scene.run('verify')).toBe(2);
  expect(await scene.run('projects', 'export', '--project', 'film')).toBe(2);
});

it('dailies verify checks a project by its recipes and an export by its list, and names what is not as it was', async () => {
  const scene = await deskWithFilm();
  expect(await scene.run('verify', 'film')).toBe(0);
  expect(scene.said).toMatch(/^Checked 1 file \([\d.]+ [kM]?B\) against the recipes\. All are whole\.\n$/);
  mkdirSync(scene.path('backup'));
  symlinkSync('elsewhere', scene.path('film', 'a link'));
  expect(await scene.run('projects', 'export', '--project', 'film', '--to', 'backup')).toBe(0);
  expect(scene.said).toMatch(/^Copied \d+ files to .*\/backup\/film\.\nLeft out “a link”: it is a link\.\n$/);
  expect(await scene.says('verify', 'backup/film')).toContain('against checksums.sha256. All are whole.');

  const [take = ''] = readdirSync(scene.path('film', 'night')).filter((name) => name.endsWith('.png'));
  for (const place of [['film'], ['backup', 'film']]) {
    const file = scene.path(...place, 'night', take);
    const bytes = readFileSync(file);
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await scene.run('verify', place.join('/'))).toBe(3);
    expect(scene.said).toContain(`changed: night/${take}\n`);
    expect(await scene.run('verify', place.join('/'), '--json')).toBe(3);
    expect(scene.stdout.objects).toMatchObject([
      { type: 'trouble', file: `night/${take}`, problem: 'changed' },
      { type: 'verified', troubles: 1 },
    ]);
  }
  expect(await scene.refuses('verify', 'nowhere')).toContain('has no checksums and no saved takes.');
});

it('dailies projects facts adds up every file of the folder as du does, by batch and state, and names the rest', async () => {
  const scene = await deskWithFilm();
  mkdirSync(scene.path('film', 'own'));
  writeFileSync(scene.path('film', 'own', 'script.txt'), 'x'.repeat(5000));
  const inOwn = (name: string): string => scene.path('film', 'own', name);
  linkSync(inOwn('script.txt'), inOwn('second name'));
  if (process.platform === 'linux') {
    symlinkSync('script.txt', inOwn('link'));
    mkdirSync(inOwn('a: folder'));
    writeFileSync(inOwn(String.raw`a: folder/a\b.txt`), 'x');
  }
  expect(await scene.run('projects', 'facts', '--project', 'film', '--json')).toBe(0);
  const found = readdirSync(scene.path('film'), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => lstatSync(join(entry.parentPath, entry.name)));
  const files = [...new Map(found.map((file) => [file.ino, file])).values()];
  expect(files).toHaveLength(found.length - 1);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (process.platform === 'linux') {
    const [onDisk] = execFileSync('du', ['-s', '--block-size=1', scene.path('film')])
      .toString()
      .split('\t');
    expect(scene.stdout.objects).toMatchObject([{ room: { total: { onDisk: Number(onDisk) } } }]);
  }
  expect(scene.stdout.objects).toMatchObject([
    {
      ...{ type: 'facts', name: 'film', takes: { saved: 1 }, verdicts: { pick: 0, reject: 0, none: 1 } },
      room: {
        takes: [{ batch: 'night', standing: 'saved', files: 1 }],
        total: { files: files.length, bytes },
      },
    },
  ]);
  expect(await scene.says('projects', 'facts', '--project', 'film')).toMatch(/^night +saved +1 /m);
  expect(await scene.run('projects', 'facts', '--project', 'nowhere')).toBe(2);
});
