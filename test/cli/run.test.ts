import { say } from '../../src/contract/messages/words.ts';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BatchFile } from '../../src/engine/files/batch-file.ts';
import { holdTasks } from '../support/held-tasks.ts';
import { deskWithService, Desk, Page, typed } from './support.ts';
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

function written(desk: Desk, text: string, name = 'night.csv'): string {
  writeFileSync(desk.path(name), text);
  return name;
}

describe('dailies run', () => {
  it('brings a list home, says where it lies and ends with 0', async () => {
    const desk = await deskWithService();
    expect(await desk.run('run', written(desk, three), '--project', 'film')).toBe(0);
    expect(readdirSync(desk.path('film', 'night')).sort()).toEqual([
      '001_t1.mp4',
      '002_t1.png',
      '003_t1.wav',
      'manifest.csv',
    ]);
    expect(desk.stdout.text).toMatch(/^all +3 +0 +0 +0 +0$/m);
    expect(desk.stdout.text).toContain(`Manifest  ${desk.path('film', 'night', 'manifest.csv')}`);
    expect(desk.stderr.text).toBe('');
  });

  it('makes nothing twice when run again, new takes with --again, and only changed shots of an edited list', async () => {
    const desk = await deskWithService();
    const list = written(desk, three);
    await desk.run('run', list, '--project', 'film');
    expect(await desk.run('run', list, '--project', 'film')).toBe(0);
    expect(desk.service.ledger.commits).toBe(3);
    await desk.run('run', list, '--project', 'film', '--again');
    expect(desk.service.ledger.commits).toBe(6);
    written(desk, three.replace('red door', 'blue door'));
    expect(await desk.run('run', list, '--project', 'film', '--json')).toBe(0);
    expect(desk.service.ledger.commits).toBe(7);
    expect(desk.stdout.objects.find(({ type }) => type === 'plan')).toMatchObject({
      changed: 1,
      unchanged: 2,
      newTakes: 1,
    });
    // The takes of what the shot was before are history.
    expect(desk.stdout.objects.at(-1)).toMatchObject({ saved: 5 });
  });

  it('makes with --again no new takes beside those that still wait to be sent, and says how many these are', async () => {
    const desk = await deskWithService();
    const list = written(desk, three);
    desk.env['DAILIES_API_KEY'] = 'sk-wrong';
    expect(await desk.run('run', list, '--project', 'film', '--again')).toBe(3);
    desk.env['DAILIES_API_KEY'] = desk.service.apiKey;
    written(desk, three.replace(/^001/m, '000,video,vgen-2.0-cl-fast,A pier,5\n001'));
    expect(await desk.run('run', list, '--project', 'film', '--again', '--dry-run')).toBe(0);
    const plan = '1 new, 0 changed, 3 unchanged, 0 removed shots; 1 new take to make, 3 more waiting to be sent.';
    expect(desk.stdout.text).toContain(plan);
    expect(await desk.run('run', list, '--project', 'film', '--again')).toBe(0);
    expect(desk.stdout.text).toContain(plan);
    expect(desk.service.ledger.commits).toBe(4);
    expect(await desk.run('run', list, '--project', 'film', '--again', '--json')).toBe(0);
    expect(desk.stdout.objects.find(({ type }) => type === 'plan')).toMatchObject({ newTakes: 4, waiting: 0 });
  });

  it('adds a list to a batch with --merge, whose other rows stay and are not made again', async () => {
    const desk = await deskWithService();
    const list = (...rows: string[]): string => ['shot,kind,model,prompt,image', ...rows].join('\n');
    writeFileSync(
      desk.path('a.csv'),
      list('1,image,image-demo,Door,', '2,image,image-demo,Pier,', '3,image,image-demo,Fog,'),
    );
    const night = ['--project', 'film', '--batch', 'Night'];
    expect(await desk.run('run', 'a.csv', ...night)).toBe(0);
    mkdirSync(desk.path('more'));
    writeFileSync(desk.path('more/b.csv'), list('2,image,image-demo,A long pier,', '4,image,image-demo,Boat,'));
    const plan = '1 new, 1 changed, 0 unchanged, 0 removed shots; 2 new takes to make.';
    expect(await desk.run('run', 'more/b.csv', ...night, '--merge', '--dry-run')).toBe(0);
    expect(desk.stdout.text).toContain(plan);
    expect(await desk.run('run', 'more/b.csv', ...night, '--merge')).toBe(0);
    expect(desk.stdout.text).toContain(plan);
    expect(desk.service.ledger.commits).toBe(5);
    expect(await desk.run('batches', 'list', '--project', 'film', '--json')).toBe(0);
    expect(desk.stdout.objects).toMatchObject([{ name: 'Night', source: 'a.csv', shots: 4 }]);
    const [file = ''] = readdirSync(desk.path('film/.dailies/batches'));
    const stored = BatchFile.parse(JSON.parse(readFileSync(desk.path(`film/.dailies/batches/${file}`), 'utf8')));
    expect(stored.shots.map(({ key }) => key)).toEqual(['1', '2', '3', '4']);
    expect(stored.rows).toEqual([2, 3, 4, 5]);

    // Its own folder is not the one that the batch's paths start at.
    writeFileSync(desk.path('more/hero.png'), asMedium('hero.png', 'picture'));
    writeFileSync(desk.path('more/c.csv'), list('5,image,image-demo,Hero,hero.png'));
    const refused = await desk.run('run', 'more/c.csv', ...night, '--merge');
    expect([refused, desk.stderr.text]).toEqual([2, expect.stringContaining('Shot 5 names a file by its way')]);
  });

  it('says before a run what it costs, requests with video input apart', async () => {
    const desk = await deskWithService();
    const prices = [
      { model: 'vgen-*', per: 'take', price: 3, videoInput: true },
      { model: 'vgen-*', per: 'second', price: 0.1 },
    ];
    await desk.run('config', 'set', 'prices', JSON.stringify(prices));
    await desk.run('config', 'set', 'currency', 'EUR');
    const rows = [
      '001,vgen-2.0-nt,a pier,5,',
      '002,vgen-2.0-nt,a walk,5,https://a.example/walk.mp4',
      '003,image-demo,x,,',
    ];
    const list = written(desk, ['shot,model,prompt,duration,video', ...rows].join('\n'));
    expect(await desk.run('run', list, '--project', 'film', '--dry-run')).toBe(0);
    expect(desk.stdout.lines.filter((line) => line.startsWith('Estimate'))).toEqual([
      'Estimate: video vgen-2.0-nt: 1 take, 5 s, 0.50 EUR',
      'Estimate: video vgen-2.0-nt with video input (charged differently): 1 take, 5 s, 3.00 EUR',
      'Estimate: image image-demo: 1 take, price unknown',
    ]);
    expect(await desk.run('run', list, '--project', 'film', '--dry-run', '--json')).toBe(0);
    expect(desk.stdout.objects.find(({ type }) => type === 'estimate')).toMatchObject({
      ...{ newTakes: 3, price: 3.5, unpriced: 1, currency: 'EUR' },
      lines: [
        { takes: 1, price: 0.5 },
        { takes: 1, price: 3, videoInput: true },
        { takes: 1, price: null },
      ],
    });
  });

  it('pays for a list that most of another batch holds only when told so, and sends nothing before', async () => {
    const desk = await deskWithService();
    await desk.run('run', written(desk, three, 'keeper.csv'), '--project', 'film');
    const edited = written(desk, three.replace('red door', 'blue door'), 'night_v2.csv');
    const warning =
      '3 of 3 shots are already in “keeper”. 2 takes would be charged again. ' +
      'Added to it: 1 new take. As the new batch night_v2: 3 new takes.';
    expect(await desk.run('run', edited, '--project', 'film', '--dry-run')).toBe(0);
    expect(desk.stdout.text).toContain(`warning  ${warning}`);

    expect(await desk.run('run', edited, '--project', 'film')).toBe(2);
    expect(desk.stdout.text).toContain(`warning  ${warning}`);
    expect(desk.stderr.text).toContain(
      say('cli.otherBatchRemedy', { there: '--batch "keeper"', elsewhere: '--batch "night_v2"' }),
    );
    expect(await desk.run('run', edited, '--project', 'film', '--json')).toBe(2);
    expect(desk.stdout.objects).toMatchObject([
      {
        ...{ type: 'paid_again', reason: 'other_batch', shots: 3, takes: 2 },
        ...{ there: { name: 'keeper', newTakes: 1 }, elsewhere: { newTakes: 3 } },
      },
      { type: 'summary' },
    ]);
    expect(desk.service.ledger.commits).toBe(3);

    expect(await desk.run('run', edited, '--project', 'film', '--batch', 'keeper')).toBe(0);
    expect(desk.service.ledger.commits).toBe(4);
  });

  it('asks a person at a terminal, and asks no more once the new batch is there', async () => {
    const desk = await deskWithService();
    await desk.run('run', written(desk, three, 'keeper.csv'), '--project', 'film');
    const edited = written(desk, three.replace('red door', 'blue door'), 'night_v2.csv');
    desk.stdout = new Page(true);
    desk.stdin = Object.assign(typed(), { isTTY: true });
    const asked: string[] = [];
    const answering = (answer: boolean) => ({
      ...desk.questions,
      confirm: (question: string) => Promise.resolve((asked.push(question), answer)),
    });
    desk.questions = answering(false);
    expect(await desk.run('run', edited, '--project', 'film')).toBe(2);
    expect(desk.service.ledger.commits).toBe(3);
    desk.questions = answering(true);
    expect(await desk.run('run', edited, '--project', 'film')).toBe(0);
    expect(desk.service.ledger.commits).toBe(6);
    expect(await desk.run('run', edited, '--project', 'film')).toBe(0);
    expect(asked).toEqual(Array(2).fill(say('queue.makeAgainQuestion', { count: 2 })));
  });

  it('remembers the row of the list that each shot stands in: skipped rows count, and so do empty ones', async () => {
    const desk = await deskWithService();
    const text = 'shot,model,prompt,skip\nA,image-demo,One,yes\nB,image-demo,Two,\n\nC,image-demo,Three,\n';
    const places = async () => {
      await desk.run('jobs', 'list', '--json');
      return desk.stdout.objects.filter(({ type }) => type === 'job').map(({ shot, position }) => [shot, position]);
    };
    await desk.run('run', written(desk, text), '--project', 'film');
    expect(await places()).toEqual([
      ['B', 1],
      ['C', 3],
    ]);
    await desk.run('run', written(desk, text.replace('A,', 'Z,image-demo,Zero,\nA,')), '--project', 'film');
    expect(new Map((await places()) as [string, number][])).toEqual(
      new Map([
        ['Z', 0],
        ['B', 2],
        ['C', 4],
      ]),
    );
    // Another machine has the project folder alone.
    desk.env['DAILIES_DATA'] = desk.path('elsewhere');
    expect(await desk.run('resume', '--project', 'film')).toBe(0);
    expect(await places()).toContainEqual(['C', 4]);
  });

  it('writes JSON alone with --json, the summary last', async () => {
    const desk = await deskWithService();
    expect(await desk.run('run', written(desk, three), '--project', 'film', '--json')).toBe(0);
    expect(desk.stdout.lines.at(-1)).toBe(
      '{"type":"summary","saved":3,"failed":0,"unknown":0,"cancelled":0,"unfinished":0}',
    );
    expect(new Set(desk.stdout.objects.map(({ type }) => type))).toEqual(
      new Set(['recovery', 'plan', 'job', 'gates', 'summary']),
    );
  });

  it('takes a list from standard input, relative to where one is', async () => {
    const desk = await deskWithService();
    desk.stdin = typed(three.slice(0, 40), three.slice(40));
    expect(await desk.run('run', '-', '--project', 'film')).toBe(0);
    expect(existsSync(desk.path('film', 'batch', '001_t1.mp4'))).toBe(true);
  });

  it('refuses a list with errors as a whole: every defect, status 2, nothing sent or stored', async () => {
    const desk = await deskWithService();
    const list = written(desk, broken);
    expect(await desk.run('run', list, '--project', 'film')).toBe(2);
    expect(desk.stdout.text).toContain('row 2, column duration (value "40"): ');
    expect(desk.stdout.text).toContain('row 3, column kind (value "musik"): ');
    expect(desk.stderr.text).toContain('2 errors: nothing was sent');
    expect(await desk.run('run', list, '--project', 'film', '--json')).toBe(2);
    expect(desk.stdout.objects.map(({ type }) => type)).toEqual(['defect', 'defect', 'summary']);
    expect(desk.stdout.objects[1]).toMatchObject({ row: 3, problem: { key: 'defect.notAKind' } });
    expect(desk.service.ledger.posts()).toEqual([]);
    expect(existsSync(desk.path('film')) || existsSync(desk.dataFolder)).toBe(false);
  });

  it.each([
    ['DAILIES_BASE_URL', 'No service address', 'config set base-url'],
    ['DAILIES_API_KEY', 'No key', 'config set api-key'],
  ])('without %s ends with 2, says how to set it, and stores nothing', async (variable, problem, remedy) => {
    const desk = await deskWithService();
    desk.env[variable] = '';
    expect(await desk.run('run', written(desk, three), '--project', 'film')).toBe(2);
    expect(desk.stderr.text).toContain(problem);
    expect(desk.stderr.text).toContain(remedy);
    expect(existsSync(desk.path('film')) || existsSync(desk.dataFolder)).toBe(false);
  });

  it.each([['nowhere.csv'], ['.']])('says that there is no list at %s', async (list) => {
    const desk = await deskWithService();
    expect(await desk.run('run', list, '--project', 'film')).toBe(2);
    expect(desk.stderr.text).toContain('cannot be read');
  });

  it('ends with 3 on a wrong key, after a handful of requests', async () => {
    const desk = await deskWithService();
    desk.env['DAILIES_API_KEY'] = 'sk-wrong';
    expect(await desk.run('run', written(desk, three), '--project', 'film')).toBe(3);
    expect(desk.stdout.text).toContain('rejected the key');
    expect(desk.service.ledger.received).toBeLessThanOrEqual(4);
    expect(desk.said).not.toContain('sk-wrong');
    desk.env['DAILIES_API_KEY'] = desk.service.apiKey;
    expect(await desk.run('resume')).toBe(0);
  });

  it('tells a second one who holds the data folder', async () => {
    const desk = await deskWithService();
    const release = holdTasks(desk.service);
    const list = written(desk, three);
    const first = desk.run('run', list, '--project', 'film');
    await expect.poll(() => desk.service.ledger.posts().length).toBeGreaterThan(0);
    expect(await desk.run('run', list, '--project', 'film')).toBe(2);
    expect(desk.stderr.text).toContain(`process ${process.pid}`);
    await desk.run('status');
    expect(desk.stdout.text).toContain(`An engine is running: process ${process.pid} (dailies run)`);
    release();
    expect(await first).toBe(0);
  });

  it('drains when interrupted, ends with 130, and resume goes on without a second charge', async () => {
    const desk = await deskWithService();
    const release = holdTasks(desk.service);
    const running = desk.run('run', written(desk, three), '--project', 'film', '--json');
    const { stdout, stderr } = desk;
    await expect.poll(() => desk.service.ledger.commits).toBe(3);
    desk.interrupt();
    expect(await running).toBe(130);
    release();
    expect(stderr.text).toContain('Stopping.');
    expect(stdout.objects.at(-1)).toMatchObject({ type: 'summary', unfinished: 3, unknown: 0 });
    // The project folder may be moved meanwhile.
    renameSync(desk.path('film'), desk.path('archive'));
    expect(await desk.run('resume', '--project', 'archive')).toBe(0);
    expect(desk.service.ledger.commits).toBe(3);
    expect(existsSync(desk.path('archive', 'night', '001_t1.mp4'))).toBe(true);
  });

  it('names with resume only the folders of takes that were left, and none when there was nothing to do', async () => {
    const desk = await deskWithService();
    const list = written(desk, three);
    expect(await desk.run('run', list, '--project', 'done')).toBe(0);
    const release = holdTasks(desk.service);
    const running = desk.run('run', list, '--project', 'film');
    await expect.poll(() => desk.service.ledger.commits).toBe(6);
    desk.interrupt();
    expect(await running).toBe(130);
    release();
    expect(await desk.run('resume')).toBe(0);
    expect(desk.stdout.text).toContain(`Folder    ${desk.path('film', 'night')}`);
    expect(desk.stdout.text).not.toContain(desk.path('done'));
    expect(await desk.run('resume')).toBe(0);
    expect(desk.stdout.text).toContain(say('cli.nothingLeft'));
    expect(desk.stdout.text).not.toContain('Folder ');
  });

  it('counts the shots that a list left out among the shots', async () => {
    const desk = await deskWithService();
    await desk.run('run', written(desk, three), '--project', 'film');
    await desk.run('run', written(desk, three.split('\n').slice(0, 2).join('\n')), '--project', 'film');
    expect(desk.stdout.text).toContain('0 new, 0 changed, 1 unchanged, 2 removed shots;');
  });

  it('quits at once at a second interruption, but not where one is told twice or the terminal is closed', async () => {
    const desk = await deskWithService();
    let now = 0;
    desk.clock = { ...desk.clock, now: () => now };
    desk.service.faults.add({ match: { method: 'POST' }, do: { fault: 'hang', commit: true } });
    const running = desk.run('run', written(desk, three), '--project', 'film');
    const { stderr } = desk;
    await expect.poll(() => desk.service.ledger.commits).toBeGreaterThan(0);
    desk.interrupt();
    await expect.poll(() => stderr.text).toMatch(/Waiting for the answer to .* Press Ctrl-C again to stop at once/);
    now = 900;
    desk.interrupt();
    now = 5000;
    desk.interrupt('SIGHUP');
    expect(desk.quits).toEqual([]);
    desk.interrupt();
    expect(desk.quits).toEqual([130]);
    expect(desk.stderr.text).toContain('may have been charged');
    await desk.service.stop();
    await running;
  });
});

describe('dailies run --dry-run', () => {
  it('prints the exact request of each shot, sends nothing and writes nothing', async () => {
    const desk = await deskWithService();
    writeFileSync(desk.path('pic.png'), asMedium('pic.png', 'picture'));
    const list = written(desk, `${three}004,image,image-demo,Make it blue,\n`);
    writeFileSync(
      desk.path(list),
      'shot,kind,model,prompt,duration,takes,operation,image\n001,video,vgen-2.0-nt,A door,5,2,,\n002,image,image-demo,Blue,,,edit,pic.png\n',
    );
    desk.env['DAILIES_API_KEY'] = '';
    desk.env['DAILIES_BASE_URL'] = '';
    const before = readdirSync(desk.folder);
    expect(await desk.run('run', list, '--project', 'film', '--dry-run', '--json')).toBe(0);
    expect(desk.stdout.objects.filter(({ type }) => type === 'request')).toEqual([
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
        files: [{ field: 'image', path: desk.path('pic.png'), bytes: 9 }],
      },
    ]);
    expect(await desk.run('run', list, '--project', 'film', '--dry-run')).toBe(0);
    expect(desk.stdout.text).toContain('001 (2 times): POST /v1/videos');
    expect(desk.stdout.text).toContain('  saved as: 001_t1, 001_t2\n');
    expect(desk.stdout.text).toContain('3 requests would be sent');
    expect(readdirSync(desk.folder)).toEqual(before);
    expect(desk.service.ledger.received).toBe(0);
  });

  it('leaves out what is made already', async () => {
    const desk = await deskWithService();
    const list = written(desk, three);
    await desk.run('run', list, '--project', 'film');
    written(desk, three.replace('red door', 'blue door'));
    expect(await desk.run('run', list, '--project', 'film', '--dry-run', '--json')).toBe(0);
    expect(desk.stdout.objects.filter(({ type }) => type === 'request').map(({ shot }) => shot)).toEqual(['002']);
    expect(desk.service.ledger.commits).toBe(3);
  });
});

describe('dailies demo', () => {
  it('makes real files, meets two faults on purpose, and makes new takes the second time', async () => {
    const desk = new Desk();
    delete desk.env['DAILIES_DATA'];
    const { startDemoService } = desk.shell();
    desk.parts = { startDemoService: (options) => startDemoService({ ...options, clock: desk.clock, media: 'tiny' }) };
    expect(await desk.run('demo', '--shots', '2', '--out', 'show')).toBe(0);
    expect(desk.stdout.text).toMatch(/Planned fault: .*429.*\nPlanned fault: .*cut off midway/);
    const first = readdirSync(desk.path('show', 'sample'));
    expect(await desk.run('demo', '--shots', '2', '--out', 'show', '--json')).toBe(0);
    expect(desk.stdout.objects.at(-1)).toMatchObject({ saved: 6, unfinished: 0 });
    expect(readdirSync(desk.path('show', 'sample'))).toEqual(expect.arrayContaining(first));
    expect(
      readFileSync(desk.path('show', 'sample', 'manifest.csv'), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(7);
  });
});
