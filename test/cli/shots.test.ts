import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { onePng } from './shared-terminals.ts';
import { CliScene } from './support.ts';

describe('dailies shots from-media', () => {
  it('writes a list that can be run, and names what became no row', async () => {
    const scene = new CliScene();
    mkdirSync(scene.path('board'));
    for (const name of ['10.png', '2.png']) writeFileSync(scene.path('board', name), await onePng());
    writeFileSync(scene.path('board', '2.txt'), 'A pier at dawn');
    writeFileSync(scene.path('board', 'notes.docx'), 'x');
    const made = ['board', '--out', 'film.csv', '--model', 'vgen-2.0-cl-fast', '--prompt', 'Slow push in'];
    expect(await scene.run('shots', 'from-media', ...made)).toBe(0);
    expect(scene.stderr.text).toBe(`Left out 1 file: ${scene.path('board', 'notes.docx')}\n`);
    expect(readFileSync(scene.path('film.csv'), 'utf8')).toBe(
      '\uFEFFshot,kind,model,first_frame,prompt\r\n' +
        '2,video,vgen-2.0-cl-fast,board/2.png,A pier at dawn\r\n' +
        '10,video,vgen-2.0-cl-fast,board/10.png,Slow push in\r\n',
    );
    const command = /`dailies (.*)`/.exec(scene.said)?.[1]?.replace('DIR', 'film').split(' ') ?? [];
    expect(await scene.says(...command)).toContain('2 requests would be sent, after 1 upload');
  });

  it('shows a file that is not an image as a problem of its row when the list is run', async () => {
    const scene = new CliScene();
    writeFileSync(scene.path('a.png'), 'not an image');
    expect(await scene.run('shots', 'from-media', 'a.png', '--out', 'l.csv', '--model', 'vgen-2.0-cl-fast')).toBe(0);
    expect(await scene.run('run', 'l.csv', '--project', 'film', '--dry-run')).toBe(2);
    expect(scene.stdout.text).toMatch(/row 2, column first_frame .*a\.png does not contain an image/);
  });

  it.each([
    [['none'], 'none cannot be read'],
    [['empty'], 'No image, video or audio file was found.'],
    [['a.png', '--out', 'taken.csv'], 'taken.csv already exists'],
  ])('ends with 2 and writes nothing: %j', async ([media = '', ...more], problem) => {
    const scene = new CliScene();
    mkdirSync(scene.path('empty'));
    writeFileSync(scene.path('a.png'), await onePng());
    writeFileSync(scene.path('taken.csv'), 'mine');
    const out = more.length > 0 ? more : ['--out', 'l.csv'];
    expect(await scene.refuses('shots', 'from-media', media, ...out)).toContain(problem);
    expect(readFileSync(scene.path('taken.csv'), 'utf8')).toBe('mine');
  });
});
