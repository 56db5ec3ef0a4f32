import Database from 'better-sqlite3';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SharedTerminals } from './shared-terminals.ts';
import { deskWithService, type CliScene } from './support.ts';

const rows = (...shots: readonly string[]): string =>
  `shot,kind,model,prompt\n${shots.map((shot) => `${shot},image,image-demo,Door ${shot}\n`).join('')}`;

describe('dailies resume', () => {
  it('ends with 0 when what it waited for was made from another data folder', async () => {
    const scene = await deskWithService();
    writeFileSync(scene.path('night.csv'), rows('1', '2', '3'));
    const night = ['run', 'night.csv', '--project', 'film'];
    expect(await scene.run(...night, '--max-takes', '1')).toBe(5);
    expect(await scene.run('--data', scene.path('other'), ...night, '--max-takes', '9')).toBe(0);
    expect(await scene.says('resume')).toMatch(/^all +1 +0 +0 +2 +0$/m);
    expect(scene.service.ledger.commits).toBe(3);
  });

  /** One take of one batch fails. */
  async function deskWithFailure(): Promise<Awaited<ReturnType<typeof deskWithService>>> {
    const scene = await deskWithService();
    scene.fault({ method: 'POST', prompt: 'Door 9' }, { fault: 'status', status: 400 });
    writeFileSync(scene.path('old.csv'), rows('8', '9'));
    expect(await scene.run('run', 'old.csv', '--project', 'film')).toBe(3);
    return scene;
  }

  it('ends with 0 when nothing was left, though a take of a batch that is over had failed', async () => {
    const scene = await deskWithFailure();
    expect(await scene.says('resume')).toContain('Nothing is left to resume.');
  });

  it('answers for the batches it goes on with, and for no other', async () => {
    const scene = await deskWithFailure();
    writeFileSync(scene.path('night.csv'), rows('1', '2'));
    const night = ['run', 'night.csv', '--project', 'film'];
    expect(await scene.run(...night, '--max-takes', '1')).toBe(5);
    await scene.run('cap', '--project', 'film', '--batch', 'night', '--max-takes', '9');
    expect(await scene.says('resume', '--project', 'film')).toMatch(/^all +2 +0 +0 +0 +0$/m);
  });

  it('leaves out takes of a project on a service that only the app has: they go on there', async () => {
    const scene = await deskWithService();
    writeFileSync(scene.path('night.csv'), rows('1', '2'));
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--max-takes', '1')).toBe(5);
    const db = new Database(scene.path('data', 'dailies.db'));
    db.exec(`UPDATE projects SET service = 'sample'`);
    db.close();
    expect(await scene.run('resume')).toBe(0);
    expect(scene.service.ledger.commits).toBe(1);
  });

  it('still ends with 4 while any take needs a decision', async () => {
    const scene = await deskWithService();
    scene.fault({ method: 'POST', prompt: 'Door 2' }, { fault: 'reset', commit: true });
    writeFileSync(scene.path('night.csv'), rows('1', '2'));
    expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(4);
    expect(await scene.run('resume')).toBe(4);
  });
});

it.each([
  { of: 'the batch', cap: ['--max-takes', '1'], night: [] },
  { of: 'the night', cap: [], night: ['cap', '--max-takes', '1'] },
])(
  'a cap that is reached beside dailies serve ends a run with 5, as it does alone: the cap of $of',
  async ({ cap, night }) => {
    const office = await SharedTerminals.open();
    await office.serve();
    if (night.length > 0) expect(await office.run(...night)).toBe(0);
    expect(await office.run('run', office.list(), '--project', 'film', ...cap)).toBe(5);
    expect(office.scene.said).toMatch(/The cap of .* is reached: 1 take/);
    expect(office.scene.stdout.text).toMatch(/^all +1 +0 +0 +0 +2$/m);
    expect(office.commits).toBe(1);
  },
);

it('a row that waits for an undecided take of another shot ends a run beside dailies serve, as it does alone', async () => {
  const list =
    'shot,kind,model,prompt,first_frame\n1,image,image-demo,A door,\n2,video,vgen-2.0-cl-fast,Open,Shot://1\n';
  const office = await SharedTerminals.open();
  office.service.faults.add({ match: { method: 'POST', prompt: 'A door' }, do: { fault: 'reset', commit: true } });
  await office.serve();
  expect(await office.run('run', office.list(list), '--project', 'film')).toBe(4);
  expect(office.scene.stdout.text).toMatch(/^all +0 +0 +1 +0 +1$/m);
});

describe('a damaged database', () => {
  const PAGE = 4096;
  const damages: Record<string, (file: Buffer) => Buffer> = {
    'is no database': () => Buffer.from('not a database at all, but long enough to be read as one'),
    'was cut in half': (file) => file.subarray(0, file.length / 2),
    'has a broken schema': (file) => file.fill(0x5a, 100, PAGE),
    'has broken pages': (file) => {
      for (let page = 2; page < file.length / PAGE; page += 3) file.fill(0x5a, page * PAGE, (page + 1) * PAGE);
      return file;
    },
  };

  function damage(scene: CliScene, how: (file: Buffer) => Buffer): string {
    const file = scene.path('data', 'dailies.db');
    writeFileSync(file, how(readFileSync(file)));
    return file;
  }

  it.each(Object.entries(damages))('that %s is told with its file and what to do', async (_how, change) => {
    const scene = await deskWithService();
    writeFileSync(scene.path('night.csv'), rows(...Array.from({ length: 20 }, (_, index) => String(index))));
    const night = ['run', 'night.csv', '--project', 'film'];
    expect(await scene.run(...night)).toBe(0);
    writeFileSync(scene.path('data', 'answers', 'one.answer'), 'paid');
    const file = damage(scene, change);
    for (const command of [['status'], night, ['resume'], ['jobs', 'list'], ['spend'], ['serve', '--port', '0']]) {
      expect({ command, status: await scene.run(...command) }).toEqual({ command, status: 3 });
      expect(scene.stderr.text).toContain(`The database ${file} is damaged`);
      expect(scene.stderr.text).toContain(`1 paid answer is in ${scene.path('data', 'answers')}`);
    }
    await scene.run('doctor');
    expect(scene.said).toMatch(/^fail +database .* is damaged/m);
    expect(scene.said).toContain(`1 paid answer is in ${scene.path('data', 'answers')}`);
    expect(scene.service.ledger.commits).toBe(20);
  });
});
