import { t } from '../../src/contract/messages/words.ts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { formOf } from '../engine/library/media.ts';
import { ffmpeg } from '../support/films.ts';
import { deskWithService } from './support.ts';

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

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

it.runIf(ffmpeg !== null)(
  'twenty stills, their films and films that go on from them wait for one round of picks @night',
  async () => {
    const scene = await deskWithService();
    scene.env['PATH'] = dirname(ffmpeg ?? '');
    const chains = Array.from({ length: 20 }, (_, index) => String(index + 1).padStart(2, '0'));
    const rows = chains.flatMap((n) => [
      `${n}c,video,vgen-2.0-nt,It goes on,Shot://${n}b#last,`,
      `${n}b,video,vgen-2.0-nt,It wakes,Shot://${n}a,pick`,
      `${n}a,image,image-demo,A harbour,,`,
    ]);
    writeFileSync(scene.path('night.csv'), ['shot,kind,model,prompt,first_frame,wait_for', ...rows].join('\n'));
    const run = ['run', 'night.csv', '--project', 'film'];
    const [plan] = (await scene.lists(...run, '--dry-run')).filter(({ type }) => type === 'estimate');
    expect(plan).toMatchObject({ tonight: { takes: 20 }, afterPicks: { takes: 40 }, atMost: { takes: 60 } });

    expect(await scene.run(...run)).toBe(5);
    expect(scene.service.ledger.posts('/v1/videos')).toEqual([]);
    expect(scene.service.ledger.posts()).toHaveLength(20);
    expect(await scene.says('takes', 'pick', '--project', 'film', '--where', 'kind:image')).toContain('20');
    expect(await scene.run('resume', '--project', 'film')).toBe(0);
    const videos = scene.service.ledger.posts('/v1/videos');
    expect(videos).toHaveLength(40);
    expect(scene.service.ledger.posts('/v1/images/generations/async')).toHaveLength(20);
    // Each frame that was sent is one that is kept, and no two films are the same.
    const frames = readdirSync(scene.path('film', '.dailies', 'frames'));
    expect(frames).toHaveLength(20);
    const kept = new Set(frames.map((name) => sha256(readFileSync(scene.path('film', '.dailies', 'frames', name)))));
    const uploads = scene.service.ledger.posts('/v1/assets/uploads').map((entry) => formOf(entry).files[0]?.sha256);
    expect(uploads.filter((hash) => hash !== undefined && kept.has(hash))).toHaveLength(kept.size);
  },
  120_000,
);
