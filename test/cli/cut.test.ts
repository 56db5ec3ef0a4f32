import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unzipSync } from 'fflate';
import { deskWithTakes } from './support.ts';

const LIST = `shot,kind,model,prompt,takes
010,image,image-demo,A harbour at dawn,2
海辺 #2,image,image-demo,"It's 100% <fog> & rain",1
030,image,image-demo,A hill,1
`;
const OF_FILM = ['--project', 'film'] as const;

it('dailies cut makes a cut of the picks, edits it clip by clip, and shows it', async () => {
  const scene = await deskWithTakes(LIST);
  const cut = (...args: string[]) => scene.run('cut', ...args, ...OF_FILM);
  const show = async () => {
    expect(await cut('show', '--json')).toBe(0);
    return scene.stdout.objects;
  };
  expect(await scene.refuses('cut', 'show', ...OF_FILM)).toContain('no cut yet');
  expect(await scene.refuses('cut', 'add', ...OF_FILM)).toContain('--picks');
  expect(await scene.run('takes', 'pick', '--where', 'harbour take:2')).toBe(0);
  expect(await scene.run('takes', 'alternate', '--where', 'harbour take:1')).toBe(0);
  expect(await scene.run('takes', 'pick', '--where', 'hill')).toBe(0);

  expect(await cut('add', '--picks')).toBe(0);
  expect(scene.said).toContain('Cut 1: 3 clips.');
  expect(await show()).toMatchObject([
    { type: 'clip', place: 1, shot: '010', start: 0, frames: 48, file: '010_t2.png' },
    { place: 2, shot: '海辺 #2', start: 48, take: null, file: null },
    { place: 3, shot: '030', start: 96 },
    { type: 'timeline', name: 'Cut 1', length: 144 },
  ]);
  expect(await cut('move', '3', '1')).toBe(0);
  expect(await cut('trim', '2', '--length', '1s')).toBe(0);
  expect(await cut('trim', '3', '--off')).toBe(0);
  expect(await show()).toMatchObject([
    ...[
      { shot: '030', start: 0 },
      { shot: '010', start: 48, frames: 24 },
      { shot: '海辺 #2', enabled: false, start: null },
    ],
    { length: 72 },
  ]);
  expect(await cut('add', '--picks')).toBe(0);
  expect(scene.said).toContain('Nothing');
  expect(await scene.refuses('cut', 'move', '9', '1', ...OF_FILM)).toContain('no clip 9');
  expect(await scene.refuses('cut', 'trim', '1', '--in', '9f', '--out', '3f', ...OF_FILM)).toContain(
    'after the in point',
  );

  expect(await scene.run('cut', 'new', 'Short', ...OF_FILM)).toBe(0);
  expect(await scene.run('cut', 'drop', '1', '--cut', 'short', ...OF_FILM)).toBe(0);
  expect(await scene.run('cut', 'rename', 'Short', 'Teaser', ...OF_FILM)).toBe(0);
  expect(await cut('list', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([
    { name: 'Cut 1', clips: 3 },
    { name: 'Teaser', clips: 2 },
  ]);
  expect(await scene.refuses('cut', 'show', '--cut', 'None', ...OF_FILM)).toContain('Teaser');
  expect(await scene.run('cut', 'remove', 'Teaser', ...OF_FILM)).toBe(0);
});

it('dailies cut export writes a kit that has everything, and leaves nothing where it fails', async () => {
  const scene = await deskWithTakes(LIST);
  expect(await scene.run('takes', 'pick', '--where', 'hill')).toBe(0);
  expect(await scene.run('cut', 'add', '--picks', ...OF_FILM)).toBe(0);
  mkdirSync(scene.path('kit'));
  expect(await scene.run('cut', 'export', '--to', 'kit', ...OF_FILM, '--json')).toBe(0);
  expect(scene.stdout.objects).toEqual([{ type: 'exported', folder: scene.path('kit'), files: 12 }]);
  expect(readdirSync(scene.path('kit')).sort()).toEqual([
    ...['README.html', 'contact-sheet.html', 'cut.edl', 'cut.fcpxml', 'cut.otio', 'cut.xml', 'markers.edl', 'media'],
    ...['selects.csv', 'takes.ale'],
  ]);
  expect(readdirSync(scene.path('kit/media')).sort()).toEqual([
    ...['001_010_slate.png', '002_海辺 #2_slate.png', '003_030_t1.png'],
  ]);
  const page = readFileSync(scene.path('kit/contact-sheet.html'), 'utf8');
  expect(page).toContain('data:image/webp;base64,');
  expect(page).not.toMatch(/<script|https?:|src="(?!data:)/);

  const before = readdirSync(scene.path('kit'));
  expect(await scene.refuses('cut', 'export', '--to', 'kit', ...OF_FILM)).toContain('kit');
  expect(readdirSync(scene.path('kit'))).toEqual(before);
  expect(await scene.refuses('cut', 'export', '--to', 'film/kit', ...OF_FILM)).toContain('project');
  expect(existsSync(scene.path('film/kit'))).toBe(false);
  expect(await scene.refuses('cut', 'export', '--to', 'x', '--formats', 'avi', ...OF_FILM)).toContain('otioz');

  const some = ['--formats', 'otio,otioz', '--ascii', '--link'] as const;
  expect(await scene.run('cut', 'export', '--to', 'linked', ...some, ...OF_FILM)).toBe(0);
  const [name = ''] = readdirSync(scene.path('linked/media')).filter((each) => each.includes('030'));
  expect(lstatSync(scene.path(`linked/media/${name}`)).isSymbolicLink()).toBe(true);
  for (const each of readdirSync(scene.path('linked/media'))) expect(each).toMatch(/^[\w.-]+$/);
  const zipped = unzipSync(readFileSync(scene.path('linked/cut.otioz')));
  expect(Object.keys(zipped)).toContain(`media/${name}`);
  expect(Buffer.from(zipped['content.otio'] ?? []).toString()).toBe(
    readFileSync(scene.path('linked/cut.otio'), 'utf8'),
  );
});

it('dailies cut music copies a file into the project, and refuses what is no sound', async () => {
  const scene = await deskWithTakes(LIST);
  expect(await scene.run('cut', 'add', '--picks', ...OF_FILM)).toBe(0);
  writeFileSync(scene.path('text.mp3'), 'no sound');
  expect(await scene.refuses('cut', 'music', 'text.mp3', ...OF_FILM)).toContain('cannot be used as music');
  expect(await scene.refuses('cut', 'music', ...OF_FILM)).toContain('--take');
  expect(existsSync(join(scene.path('film'), '.dailies', 'music'))).toBe(false);
});
