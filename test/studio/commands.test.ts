import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { CliScene, deskWithService } from '../cli/support.ts';
import { hasPostgres, newStudio, unlimited } from '../support/studio.ts';

const LIST = 'key,kind,model,prompt\n001,video,vgen-2.0-cl-fast,a fox\n002,video,vgen-2.0-cl-fast,a hare\n';

/** A producer's computer and a worker's, which have one folder and one studio. */
async function house() {
  const producer = await deskWithService({ speed: { videoMs: 4000, jitter: 0 } });
  const { folder, port } = inject('postgres') as { folder: string; port: number };
  const studio = await newStudio();
  onTestFinished(() => studio.close());
  const where = new URLSearchParams({ host: folder, port: String(port) }).toString();
  const worker = new CliScene();
  for (const scene of [producer, worker]) {
    scene.clock = producer.clock;
    scene.env['DAILIES_STUDIO'] = `postgres://anna@/${studio.database}?${where}`;
    scene.env['DAILIES_BASE_URL'] = producer.service.url;
    scene.env['DAILIES_API_KEY'] = producer.service.apiKey;
  }
  const nas = producer.path('nas');
  mkdirSync(join(nas, 'film'), { recursive: true });
  writeFileSync(join(nas, 'night.csv'), LIST);
  await producer.says('studio', 'join', 'Anna', '--name', 'desk');
  await worker.says('studio', 'join', 'Anna', '--name', 'farm');
  return { producer, worker, studio, nas, list: join(nas, 'night.csv'), film: join(nas, 'film') };
}

describe.runIf(hasPostgres)('dailies run --studio and dailies worker', () => {
  it('hand a list over, make it on another machine, and say where', async () => {
    const { producer, worker, studio, nas, list, film } = await house();
    const run = ['run', list, '--project', film, '--studio'];
    expect(await producer.refuses(...run)).toContain('Name a root of the studio');
    expect(await producer.lists(...run, '--root', `nas=${nas}`)).toContainEqual({ type: 'studio', queued: 2 });
    expect(await producer.lists(...run)).toContainEqual({ type: 'studio', queued: 0 });
    expect(await producer.says('status')).toContain('In the studio’s queue: 2 takes.');
    expect(await producer.refuses('run', list, '--project', film)).toContain('belongs to a studio');
    const [account] = (await studio.admin.status()).accounts;
    if (account) await studio.admin.setRate(account.name, unlimited);
    const objects = await worker.lists('worker', '--root', `nas=${nas}`, '--until-idle');
    expect(objects).toMatchObject([
      { type: 'worker', machine: 'farm' },
      { type: 'summary', saved: 2, unfinished: 0 },
    ]);
    expect(readdirSync(join(film, 'night')).filter((name) => name.endsWith('.mp4'))).toHaveLength(2);
    expect(await producer.lists(...run, '--wait')).toContainEqual(
      expect.objectContaining({ type: 'summary', saved: 2 }),
    );
    expect(producer.service.ledger.posts()).toHaveLength(2);
    const takes = await producer.lists('jobs', 'list');
    expect(takes.filter(({ type }) => type === 'job')).toMatchObject([
      { state: 'saved', worker: 'farm' },
      { state: 'saved', worker: 'farm' },
    ]);
  });

  it('say what was handed over', async () => {
    const { producer, nas, list, film } = await house();
    const said = await producer.says('run', list, '--project', film, '--studio', '--root', `nas=${nas}`);
    expect(said).toContain('2 takes are in the studio’s queue.');
  });

  it('name an account as this machine does, and by the fingerprint of its key where it has none', async () => {
    const { producer, worker, studio, nas, list, film } = await house();
    await producer.says('run', list, '--project', film, '--studio', '--root', `nas=${nas}`);
    const [{ name: fingerprint = '' } = {}] = (await studio.admin.status()).accounts;
    await producer.says('accounts', 'rename', 'Main', 'Acme');
    expect(await producer.says('studio', 'status')).toMatch(/Acme +0/);
    expect(await producer.refuses('studio', 'rate', 'Acme', '--polls', '5')).toContain('no right');
    worker.env['DAILIES_API_KEY'] = 'another-key';
    expect(await worker.says('studio', 'status')).toMatch(new RegExp(`${fingerprint} +0`));
    producer.env['DAILIES_STUDIO'] = studio.addressFor('postgres').text;
    expect(await producer.lists('studio', 'rate', 'acme', '--polls', '5')).toMatchObject([
      { type: 'account', name: 'Acme', rate: { polls: 5 } },
    ]);
  });

  it('refuse a project that lies under no root', async () => {
    const { producer, nas, list } = await house();
    const run = ['run', list, '--project', 'elsewhere', '--studio', '--root', `nas=${nas}`];
    expect(await producer.refuses(...run)).toContain('lies under no root of the studio');
  });

  it('refuse a machine that was declared dead, until a person has it join again', async () => {
    const { worker, studio, nas } = await house();
    const work = ['worker', '--root', `nas=${nas}`, '--until-idle'];
    await studio.admin.declareDead('farm');
    expect(await worker.refuses(...work)).toContain('was declared dead');
    expect(await worker.refuses(...work, '--name', 'farm')).toContain('was declared dead');
    await worker.says('studio', 'join', 'Anna', '--name', 'farm');
    expect(await worker.lists(...work)).toMatchObject([{ type: 'worker', machine: 'farm' }, { type: 'summary' }]);
  });

  it('say that a budget is used up, how many takes wait for it, and how to raise it', async () => {
    const { producer, worker, studio, nas, list, film } = await house();
    const run = ['run', list, '--project', film, '--studio', '--root', `nas=${nas}`];
    await studio.admin.setBudget({ scope: 'person', name: 'Anna' }, { takes: 1 });
    await producer.says(...run);
    for (const { name } of (await studio.admin.status()).accounts) await studio.admin.setRate(name, unlimited);
    const usedUp = 'Person “Anna”: 1 of 1 take. Used up; 1 take waits for it. The administrator raises it with';
    expect(await worker.run('worker', '--root', `nas=${nas}`, '--until-idle')).toBe(5);
    expect(worker.stdout.text).toContain(usedUp);
    expect(await worker.says('status')).toContain(usedUp);
    expect(await worker.says('studio', 'status')).toContain(usedUp);

    expect(await producer.run(...run, '--wait')).toBe(5);
    expect(producer.stdout.text.split(usedUp)).toHaveLength(2);
    expect(producer.stdout.text).toContain('studio budget --person Anna --max-takes N`.');
    expect(await producer.run(...run, '--wait', '--json')).toBe(5);
    expect(producer.stdout.text).toContain(
      '{"type":"budget_used_up","scope":"person","name":"Anna","title":"Anna","waiting":1,',
    );
    expect(await producer.says('status')).toMatch(/queue: 1 take\.\n.*Used up; 1 take waits/);

    await studio.admin.setBudget({ scope: 'person', name: 'Anna' }, { takes: 2 });
    await worker.lists('worker', '--until-idle');
    expect(await producer.lists(...run, '--wait')).toContainEqual(
      expect.objectContaining({ type: 'summary', saved: 2 }),
    );
    expect(await producer.says('studio', 'status')).toContain('Person “Anna”: 2 of 2 takes. Used up. The');
  });

  it('raise the cap of a list with the list', async () => {
    const { producer, worker, nas, list, film } = await house();
    const run = ['run', list, '--project', film, '--studio', '--root', `nas=${nas}`];
    await producer.says(...run, '--max-takes', '1');
    expect(await worker.run('worker', '--root', `nas=${nas}`, '--until-idle')).toBe(5);
    expect(worker.stdout.text).toContain(
      'Batch night: 1 of 1 take. Used up; 1 take waits for it. To raise it, start the list again with a higher --max-takes.',
    );
    await producer.says(...run, '--max-takes', '2');
    expect(await worker.lists('worker', '--until-idle')).toContainEqual(
      expect.objectContaining({ type: 'summary', saved: 2 }),
    );
  });
});
