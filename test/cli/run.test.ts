import { t } from '../../src/contract/messages/words.ts';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BatchFile } from '../../src/engine/files/batch-file.ts';
import { holdTasks } from '../support/held-tasks.ts';
import { deskWithService, CliScene, Page, typed } from './support.ts';
import { asMedium } from '../engine/library/media.ts';

const three = `shot,kind,model,prompt,duration
001,video,vgen-2.0-cl-fast,A lighthouse at dawn,5
002,image,image-demo,A red door,
003,music,music-demo,Slow piano,
`;
const broken = `shot,kind,model,prompt,duration
001,video,vgen-2.0-cl-fast,A lighthouse at dawn,40
002,musik,music-demo,Slow piano,
`;

function written(scene: CliScene, text: string, name = 'night.csv'): string {
  writeFileSync(scene.path(name), text);
  return name;
}

describe('dailies run', () => {
  it('brings a list home, says where it lies and ends with 0', async () => {
    const scene = await deskWithService();
    expect(await scene.run('run', written(scene, three), '--project', 'film')).toBe(0);
    expect(readdirSync(scene.path('film', 'night')).sort()).toEqual([
      '001_t1.mp4',
      '002_t1.png',
      '003_t1.mp3',
      'manifest.csv',
    ]);
    expect(scene.stdout.text).toMatch(/^all +3 +0 +0 +0 +0$/m);
    expect(scene.stdout.text).toContain(`Manifest  ${scene.path('film', 'night', 'manifest.csv')}`);
    expect(scene.stderr.text).toBe('');
  });

  it('makes nothing twice when run again, new takes with --again, and only changed shots of an edited list', async () => {
    const scene = await deskWithService();
    const list = written(scene, three);
    await scene.run('run', list, '--project', 'film');
    expect(await scene.run('run', list, '--project', 'film')).toBe(0);
    expect(scene.service.ledger.commits).toBe(3);
    await scene.run('run', list, '--project', 'film', '--again');
    expect(scene.service.ledger.commits).toBe(6);
    written(scene, three.replace('red door', 'blue door'));
    expect(await scene.run('run', list, '--project', 'film', '--json')).toBe(0);
    expect(scene.service.ledger.commits).toBe(7);
    expect(scene.stdout.objects.find(({ type }) => type === 'plan')).toMatchObject({
      changed: 1,
      unchanged: 2,
      newTakes: 1,
    });
    // The takes of what the shot was before are history.
    expect(scene.stdout.objects.at(-1)).toMatchObject({ saved: 5 });
  });

  it('makes with --again no new takes beside those that still wait to be sent, and says how many these are', async () => {
    const scene = await deskWithService();
    const list = written(scene, three);
    scene.env['DAILIES_API_KEY'] = 'sk-wrong';
    expect(await scene.run('run', list, '--project', 'film', '--again')).toBe(3);
    scene.env['DAILIES_API_KEY'] = scene.service.apiKey;
    written(scene, three.replace(/^001/m, '000,video,vgen-2.0-cl-fast,A pier,5\n001'));
    expect(await scene.run('run', list, '--project', 'film', '--again', '--dry-run')).toBe(0);
    const plan = '1 new, 0 changed, 3 unchanged, 0 removed shots; 1 new take to generate, 3 more waiting to be sent.';
    expect(scene.stdout.text).toContain(plan);
    expect(await scene.says('run', list, '--project', 'film', '--again')).toContain(plan);
    expect(scene.service.ledger.commits).toBe(4);
    expect(await scene.run('run', list, '--project', 'film', '--again', '--json')).toBe(0);
    expect(scene.stdout.objects.find(({ type }) => type === 'plan')).toMatchObject({ newTakes: 4, waiting: 0 });
  });

  it('adds a list to a batch with --merge, whose other rows stay and are not made again', async () => {
    const scene = await deskWithService();
    const list = (...rows: string[]): string => ['shot,kind,model,prompt,image', ...rows].join('\n');
    writeFileSync(
      scene.path('a.csv'),
      list('1,image,image-demo,Door,', '2,image,image-demo,Pier,', '3,image,image-demo,Fog,'),
    );
    const night = ['--project', 'film', '--batch', 'Night'];
    expect(await scene.run('run', 'a.csv', ...night)).toBe(0);
    mkdirSync(scene.path('more'));
    writeFileSync(scene.path('more/b.csv'), list('2,image,image-demo,A long pier,', '4,image,image-demo,Boat,'));
    const plan = '1 new, 1 changed, 0 unchanged, 0 removed shots; 2 new takes to generate.';
    expect(await scene.says('run', 'more/b.csv', ...night, '--merge', '--dry-run')).toContain(plan);
    expect(await scene.says('run', 'more/b.csv', ...night, '--merge')).toContain(plan);
    expect(scene.service.ledger.commits).toBe(5);
    expect(await scene.run('batches', 'list', '--project', 'film', '--json')).toBe(0);
    expect(scene.stdout.objects).toMatchObject([{ name: 'Night', source: 'a.csv', shots: 4 }]);
    const [file = ''] = readdirSync(scene.path('film/.dailies/batches'));
    const stored = BatchFile.parse(JSON.parse(readFileSync(scene.path(`film/.dailies/batches/${file}`), 'utf8')));
    expect(stored.shots.map(({ key }) => key)).toEqual(['1', '2', '3', '4']);
    expect(stored.rows).toEqual([2, 3, 4, 5]);

    // Its own folder is not the one that the batch's paths start at.
    writeFileSync(scene.path('more/hero.png'), asMedium('hero.png', 'picture'));
    writeFileSync(scene.path('more/c.csv'), list('5,image,image-demo,Hero,hero.png'));
    const refused = await scene.run('run', 'more/c.csv', ...night, '--merge');
    expect([refused, scene.stderr.text]).toEqual([2, expect.stringContaining('Shot 5 refers to a file by its path')]);
  });

  it('says before a run what it costs, requests with video input apart', async () => {
    const scene = await deskWithService();
    const prices = [
      { model: 'vgen-*', per: 'take', price: 3, videoInput: true },
      { model: 'vgen-*', per: 'second', price: 0.1 },
    ];
    await scene.run('config', 'set', 'prices', JSON.stringify(prices));
    await scene.run('config', 'set', 'currency', 'EUR');
    const rows = [
      '001,vgen-2.0-nt,a pier,5,',
      '002,vgen-2.0-nt,a walk,5,https://a.example/walk.mp4',
      '003,image-demo,x,,',
    ];
    const list = written(scene, ['shot,model,prompt,duration,video', ...rows].join('\n'));
    expect(await scene.run('run', list, '--project', 'film', '--dry-run')).toBe(0);
    expect(scene.stdout.lines.filter((line) => line.startsWith('Estimate'))).toEqual([
      'Estimate: video vgen-2.0-nt: 1 take, 5 s, 0.50 EUR',
      'Estimate: video vgen-2.0-nt with video input (charged differently): 1 take, 5 s, 3.00 EUR',
      'Estimate: image image-demo: 1 take, price unknown',
    ]);
    expect(await scene.run('run', list, '--project', 'film', '--dry-run', '--json')).toBe(0);
    expect(scene.stdout.objects.find(({ type }) => type === 'estimate')).toMatchObject({
      ...{ newTakes: 3, price: 3.5, unpriced: 1, currency: 'EUR' },
      lines: [
        { takes: 1, price: 0.5 },
        { takes: 1, price: 3, videoInput: true },
        { takes: 1, price: null },
      ],
    });
  });

  it('pays for a list that most of another batch holds only when told so, and sends nothing before', async () => {
    const scene = await deskWithService();
    await scene.run('run', written(scene, three, 'keeper.csv'), '--project', 'film');
    const edited = written(scene, three.replace('red door', 'blue door'), 'night_v2.csv');
    const warning =
      '3 of 3 shots are already in “keeper”. 2 takes would be charged again. ' +
      'Added to it: 1 new take. As the new batch night_v2: 3 new takes.';
    expect(await scene.says('run', edited, '--project', 'film', '--dry-run')).toContain(`warning  ${warning}`);

    expect(await scene.run('run', edited, '--project', 'film')).toBe(2);
    expect(scene.stdout.text).toContain(`warning  ${warning}`);
    expect(scene.stderr.text).toContain(
      t('cli.otherBatchRemedy', { there: '--batch "keeper"', elsewhere: '--batch "night_v2"' }),
    );
    expect(await scene.run('run', edited, '--project', 'film', '--json')).toBe(2);
    expect(scene.stdout.objects).toMatchObject([
      {
        ...{ type: 'paid_again', reason: 'other_batch', shots: 3, takes: 2 },
        ...{ there: { name: 'keeper', newTakes: 1 }, elsewhere: { newTakes: 3 } },
      },
      { type: 'summary' },
    ]);
    expect(scene.service.ledger.commits).toBe(3);

    expect(await scene.run('run', edited, '--project', 'film', '--batch', 'keeper')).toBe(0);
    expect(scene.service.ledger.commits).toBe(4);
  });

  it('asks a person at a terminal, and asks no more once the new batch is there', async () => {
    const scene = await deskWithService();
    await scene.run('run', written(scene, three, 'keeper.csv'), '--project', 'film');
    const edited = written(scene, three.replace('red door', 'blue door'), 'night_v2.csv');
    scene.stdout = new Page(true);
    scene.stdin = Object.assign(typed(), { isTTY: true });
    const asked: string[] = [];
    const answering = (answer: boolean) => ({
      ...scene.questions,
      confirm: (question: string) => Promise.resolve((asked.push(question), answer)),
    });
    scene.questions = answering(false);
    expect(await scene.run('run', edited, '--project', 'film')).toBe(2);
    expect(scene.service.ledger.commits).toBe(3);
    scene.questions = answering(true);
    expect(await scene.run('run', edited, '--project', 'film')).toBe(0);
    expect(scene.service.ledger.commits).toBe(6);
    expect(await scene.run('run', edited, '--project', 'film')).toBe(0);
    const asking = [t('start.paidAgain', { count: 2 }), t('queue.makeAgainQuestion', { count: 2 })].join(' ');
    expect(asked).toEqual([asking, asking]);
  });

  it('remembers the row of the list that each shot stands in: skipped rows count, and so do empty ones', async () => {
    const scene = await deskWithService();
    const text = 'shot,model,prompt,skip\nA,image-demo,One,yes\nB,image-demo,Two,\n\nC,image-demo,Three,\n';
    const places = async () => {
      await scene.run('jobs', 'list', '--json');
      return scene.stdout.objects.filter(({ type }) => type === 'job').map(({ shot, position }) => [shot, position]);
    };
    await scene.run('run', written(scene, text), '--project', 'film');
    expect(await places()).toEqual([
      ['B', 1],
      ['C', 3],
    ]);
    await scene.run('run', written(scene, text.replace('A,', 'Z,image-demo,Zero,\nA,')), '--project', 'film');
    expect(new Map((await places()) as [string, number][])).toEqual(
      new Map([
        ['Z', 0],
        ['B', 2],
        ['C', 4],
      ]),
    );
    // Another machine has the project folder alone.
    scene.env['DAILIES_DATA'] = scene.path('elsewhere');
    expect(await scene.run('resume', '--project', 'film')).toBe(0);
    expect(await places()).toContainEqual(['C', 4]);
  });

  it('writes JSON alone with --json, the summary last', async () => {
    const scene = await deskWithService();
    expect(await scene.run('run', written(scene, three), '--project', 'film', '--json')).toBe(0);
    expect(scene.stdout.lines.at(-1)).toBe(
      '{"type":"summary","saved":3,"failed":0,"unknown":0,"cancelled":0,"unfinished":0,"waiting":0}',
    );
    expect(new Set(scene.stdout.objects.map(({ type }) => type))).toEqual(
      new Set(['recovery', 'plan', 'job', 'gates', 'summary']),
    );
  });

  it('takes a list from standard input, relative to where one is', async () => {
    const scene = await deskWithService();
    scene.stdin = typed(three.slice(0, 40), three.slice(40));
    expect(await scene.run('run', '-', '--project', 'film')).toBe(0);
    expect(existsSync(scene.path('film', 'batch', '001_t1.mp4'))).toBe(true);
  });

  it('refuses a list with errors as a whole: every defect, status 2, nothing sent or stored', async () => {
    const scene = await deskWithService();
    const list = written(scene, broken);
    expect(await scene.run('run', list, '--project', 'film')).toBe(2);
    expect(scene.stdout.text).toContain('row 2, column duration (value “40”): ');
    expect(scene.stdout.text).toContain('row 3, column kind (value “musik”): ');
    expect(scene.stderr.text).toContain('2 errors: nothing was sent');
    expect(await scene.run('run', list, '--project', 'film', '--json')).toBe(2);
    expect(scene.stdout.objects.map(({ type }) => type)).toEqual(['defect', 'defect', 'summary']);
    expect(scene.stdout.objects[1]).toMatchObject({ row: 3, problem: { key: 'defect.unfit' } });
    expect(scene.service.ledger.posts()).toEqual([]);
    expect(existsSync(scene.path('film')) || existsSync(scene.dataFolder)).toBe(false);
  });

  it.each([
    ['DAILIES_BASE_URL', 'No service address', 'config set base-url'],
    ['DAILIES_API_KEY', 'No key', 'config set api-key'],
  ])('without %s ends with 2, says how to set it, and stores nothing', async (variable, problem, remedy) => {
    const scene = await deskWithService();
    scene.env[variable] = '';
    expect(await scene.refuses('run', written(scene, three), '--project', 'film')).toContain(problem);
    expect(scene.stderr.text).toContain(remedy);
    expect(existsSync(scene.path('film')) || existsSync(scene.dataFolder)).toBe(false);
  });

  it.each([['nowhere.csv'], ['.']])('says that there is no list at %s', async (list) => {
    const scene = await deskWithService();
    expect(await scene.refuses('run', list, '--project', 'film')).toContain('cannot be read');
  });

  it('ends with 3 on a wrong key, after a handful of requests', async () => {
    const scene = await deskWithService();
    scene.env['DAILIES_API_KEY'] = 'sk-wrong';
    expect(await scene.run('run', written(scene, three), '--project', 'film')).toBe(3);
    expect(scene.stdout.text).toContain('rejected the key');
    expect(scene.service.ledger.received).toBeLessThanOrEqual(4);
    expect(scene.said).not.toContain('sk-wrong');
    scene.env['DAILIES_API_KEY'] = scene.service.apiKey;
    expect(await scene.run('resume')).toBe(0);
  });

  it('tells a second one who holds the data folder', async () => {
    const scene = await deskWithService();
    const release = holdTasks(scene.service);
    const list = written(scene, three);
    const first = scene.run('run', list, '--project', 'film');
    await expect.poll(() => scene.service.ledger.posts().length).toBeGreaterThan(0);
    expect(await scene.refuses('run', list, '--project', 'film')).toContain(`process ${process.pid}`);
    expect(await scene.says('status')).toContain(`An engine is running: process ${process.pid} (dailies run)`);
    release();
    expect(await first).toBe(0);
  });

  it('drains when interrupted, ends with 130, and resume goes on without a second charge', async () => {
    const scene = await deskWithService();
    const release = holdTasks(scene.service);
    const running = scene.run('run', written(scene, three), '--project', 'film', '--json');
    const { stdout, stderr } = scene;
    await expect.poll(() => scene.service.ledger.commits).toBe(3);
    scene.interrupt();
    expect(await running).toBe(130);
    release();
    expect(stderr.text).toContain('Stopping.');
    expect(stdout.objects.at(-1)).toMatchObject({ type: 'summary', unfinished: 3, unknown: 0 });
    // The project folder may be moved meanwhile.
    renameSync(scene.path('film'), scene.path('archive'));
    expect(await scene.run('resume', '--project', 'archive')).toBe(0);
    expect(scene.service.ledger.commits).toBe(3);
    expect(existsSync(scene.path('archive', 'night', '001_t1.mp4'))).toBe(true);
  });

  it('names with resume only the folders of takes that were left, and none when there was nothing to do', async () => {
    const scene = await deskWithService();
    const list = written(scene, three);
    expect(await scene.run('run', list, '--project', 'done')).toBe(0);
    const release = holdTasks(scene.service);
    const running = scene.run('run', list, '--project', 'film');
    await expect.poll(() => scene.service.ledger.commits).toBe(6);
    scene.interrupt();
    expect(await running).toBe(130);
    release();
    expect(await scene.says('resume')).toContain(`Folder    ${scene.path('film', 'night')}`);
    expect(scene.stdout.text).not.toContain(scene.path('done'));
    expect(await scene.says('resume')).toContain(t('cli.nothingLeft'));
    expect(scene.stdout.text).not.toContain('Folder ');
  });

  it('counts the shots that a list left out among the shots', async () => {
    const scene = await deskWithService();
    await scene.run('run', written(scene, three), '--project', 'film');
    await scene.run('run', written(scene, three.split('\n').slice(0, 2).join('\n')), '--project', 'film');
    expect(scene.stdout.text).toContain('0 new, 0 changed, 1 unchanged, 2 removed shots;');
  });

  it('quits at once at a second interruption, but not where one is told twice or the terminal is closed', async () => {
    const scene = await deskWithService();
    let now = 0;
    scene.clock = { ...scene.clock, now: () => now };
    scene.fault({ method: 'POST' }, { fault: 'hang', commit: true });
    const running = scene.run('run', written(scene, three), '--project', 'film');
    const { stderr } = scene;
    await expect.poll(() => scene.service.ledger.commits).toBeGreaterThan(0);
    scene.interrupt();
    await expect.poll(() => stderr.text).toMatch(/Waiting for the answer to .* Press Ctrl-C again to stop at once/);
    now = 900;
    scene.interrupt();
    now = 5000;
    scene.interrupt('SIGHUP');
    expect(scene.quits).toEqual([]);
    scene.interrupt();
    expect(scene.quits).toEqual([130]);
    expect(scene.stderr.text).toContain('may have been charged');
    await scene.service.stop();
    await running;
  });
});

describe('dailies run --dry-run', () => {
  it('prints the exact request of each shot, sends nothing and writes nothing', async () => {
    const scene = await deskWithService();
    writeFileSync(scene.path('pic.png'), asMedium('pic.png', 'picture'));
    const list = written(scene, `${three}004,image,image-demo,Make it blue,\n`);
    writeFileSync(
      scene.path(list),
      'shot,kind,model,prompt,duration,takes,operation,image\n001,video,vgen-2.0-nt,A door,5,2,,\n002,image,image-demo,Blue,,,edit,pic.png\n',
    );
    scene.env['DAILIES_API_KEY'] = '';
    scene.env['DAILIES_BASE_URL'] = '';
    const before = readdirSync(scene.folder);
    expect(await scene.run('run', list, '--project', 'film', '--dry-run', '--json')).toBe(0);
    expect(scene.stdout.objects.filter(({ type }) => type === 'request')).toEqual([
      {
        type: 'request',
        shot: '001',
        takes: 2,
        names: ['001_t1', '001_t2'],
        waitsFor: [],
        method: 'POST',
        path: '/v1/videos',
        body: { model: 'vgen-2.0-nt', prompt: 'A door', duration: 5 },
        files: [],
      },
      {
        type: 'request',
        shot: '002',
        takes: 1,
        names: ['002_t1'],
        waitsFor: [],
        method: 'POST',
        path: '/v1/images/edits/async',
        body: { model: 'image-demo', prompt: 'Blue' },
        files: [{ field: 'image', path: scene.path('pic.png'), bytes: 9 }],
      },
    ]);
    expect(await scene.says('run', list, '--project', 'film', '--dry-run')).toContain('001 (2 times): POST /v1/videos');
    expect(scene.stdout.text).toContain('  saved as: 001_t1, 001_t2\n');
    expect(scene.stdout.text).toContain('3 requests would be sent');
    expect(readdirSync(scene.folder)).toEqual(before);
    expect(scene.service.ledger.received).toBe(0);
  });

  it('leaves out what is made already', async () => {
    const scene = await deskWithService();
    const list = written(scene, three);
    await scene.run('run', list, '--project', 'film');
    written(scene, three.replace('red door', 'blue door'));
    expect(await scene.run('run', list, '--project', 'film', '--dry-run', '--json')).toBe(0);
    expect(scene.stdout.objects.filter(({ type }) => type === 'request').map(({ shot }) => shot)).toEqual(['002']);
    expect(scene.service.ledger.commits).toBe(3);
  });
});

it('dailies demo makes real files, meets two faults on purpose, and makes new takes the second time', async () => {
  const scene = new CliScene();
  delete scene.env['DAILIES_DATA'];
  const { startDemoService } = scene.shell();
  scene.parts = {
    startDemoService: (options) => startDemoService({ ...options, clock: scene.clock, media: 'tiny' }),
  };
  expect(await scene.run('demo', '--shots', '2', '--out', 'show')).toBe(0);
  expect(scene.stdout.text).toMatch(/Planned fault: .*429.*\nPlanned fault: .*cut off midway/);
  const first = readdirSync(scene.path('show', 'sample'));
  expect(await scene.run('demo', '--shots', '2', '--out', 'show', '--json')).toBe(0);
  expect(scene.stdout.objects.at(-1)).toMatchObject({ saved: 6, unfinished: 0 });
  expect(readdirSync(scene.path('show', 'sample'))).toEqual(expect.arrayContaining(first));
  expect(
    readFileSync(scene.path('show', 'sample', 'manifest.csv'), 'utf8')
      .trim()
      .split('\n'),
  ).toHaveLength(7);
});
