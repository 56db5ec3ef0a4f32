import { t } from '../../src/contract/messages/words.ts';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { ffmpeg } from '../support/films.ts';
import { deskWithService } from './support.ts';

const LIST =
  'shot,kind,model,prompt,first_frame,image,operation\n' +
  '010,image,image-demo,A lighthouse,,,\n' +
  '020,video,vgen-2.0-nt,The light comes on,Shot://010,,\n' +
  '030,image,image-demo,Make it night,,Shot://010,edit\n';

it('a dry run shows which shots wait for others, and a run says so when they wait for a decision', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), LIST);
  const run = ['run', 'night.csv', '--project', 'film'];
  expect(await scene.run(...run, '--dry-run')).toBe(0);
  expect(scene.stdout.text.match(/^ {2}waits for: Shot:\/\/010$/gm)).toHaveLength(2);
  const requests = (await scene.lists(...run, '--dry-run')).filter(({ type }) => type === 'request');
  expect(requests.map(({ waitsFor }) => waitsFor)).toEqual([[], ['Shot://010'], ['Shot://010']]);
  expect(scene.service.ledger.posts()).toEqual([]);

  scene.fault({ method: 'POST', prompt: 'A lighthouse' }, { fault: 'reset', commit: true });
  expect(await scene.run(...run)).toBe(4);
  expect(scene.stdout.text).toContain(t('cli.waitForShot', { count: 2, cell: '010' }));
  expect(await scene.says('jobs', 'list', '--project', 'film')).toMatch(/020 .*waits for: 010/);
});

it('rows that need a frame wait where nothing can read one, say so, and go on once something can', async () => {
  const scene = await deskWithService();
  const film = (key: string, frame: string) => `${key},video,vgen-2.0-nt,A harbour,${frame},,`;
  const rows = [film('010', ''), film('020', 'Shot://010#last')];
  writeFileSync(scene.path('night.csv'), [LIST.split('\n', 1)[0], ...rows].join('\n'));
  const run = ['run', 'night.csv', '--project', 'film'];
  expect(await scene.run(...run)).toBe(3);
  const cell = 'Shot://010#last';
  expect(scene.stdout.text).toContain(t('cli.waitForFrame', { count: 1, cell }));
  expect(await scene.says('jobs', 'list', '--project', 'film')).toContain(t('cli.waitsForFrame', { cell }));
  expect(scene.service.ledger.posts('/v1/videos')).toHaveLength(1);
  if (ffmpeg === null) return;
  scene.env['PATH'] = dirname(ffmpeg);
  expect(await scene.run('resume', '--project', 'film')).toBe(0);
  expect(scene.service.ledger.posts('/v1/videos')).toHaveLength(2);
});

it('names shots of other batches of the project, and says where there is none', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('stills.csv'), 'shot,kind,model,prompt\n010,image,image-demo,A lighthouse\n');
  writeFileSync(scene.path('films.csv'), 'shot,model,prompt,first_frame\n1,vgen-2.0-nt,It wakes,Shot://stills:010\n');
  expect(await scene.run('run', 'films.csv', '--project', 'film')).toBe(2);
  expect(scene.stdout.text + scene.stderr.text).toContain('the project has no batch “stills”');
  expect(await scene.run('run', 'stills.csv', '--project', 'film')).toBe(0);
  expect(await scene.run('run', 'films.csv', '--project', 'film')).toBe(0);
  expect(scene.service.ledger.posts('/v1/videos')).toHaveLength(1);
});
