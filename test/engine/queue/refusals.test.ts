import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { forEachTest, World } from '../../support/world.ts';
import { shot, shots } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

describe('a key the service does not accept', () => {
  it('stops the queue after at most as many requests as go out at once, and says what to do', async () => {
    world = await World.open({ key: 'sk-wrong-1234', settings: { maxRate: { submit: 1000 } } });
    const settled = await world.run(shots(40));
    expect(settled).toMatchObject({ is: 'halted', gate: { reason: 'key_refused', until: null } });
    expect(settled).toMatchObject({ gate: { message: expect.saying(/rejected the key/) } });
    expect(world.posts().length).toBeLessThanOrEqual(4);
    await world.pass(48 * 3_600_000);
    expect(world.service.ledger.received).toBeLessThanOrEqual(4);
    expect(world.counts()).toMatchObject({ unfinished: 40, failed: 0, unknown: 0 });
    const [refused] = world.jobs().filter(({ failure }) => failure);
    expect(refused).toMatchObject({ state: 'ready', failure: { code: 'key_refused', cost: 'nothing' } });
  });

  it('costs nothing: with the right key a restart makes every shot exactly once', async () => {
    world = await World.open({ key: 'sk-wrong-1234' });
    await world.run(shots(5));
    world.key = world.service.apiKey;
    await world.restart();
    await world.comesTo({ saved: 5, commits: 5 });
  });

  it('can be corrected without a restart', async () => {
    world = await World.open({ key: 'sk-wrong-1234' });
    await world.run(shots(3));
    world.key = world.service.apiKey;
    world.engine.queue.resume();
    await world.comesTo({ saved: 3, commits: 3 });
  });

  it('stops everything when it is withdrawn in the middle, and nothing is lost', async () => {
    world.fault({ method: 'GET', path: '/v1/videos/*' }, { fault: 'status', status: 401 });
    expect(await world.run(shots(3))).toMatchObject({ is: 'halted', gate: { reason: 'key_refused' } });
    expect(world.counts()).toMatchObject({ failed: 0, unknown: 0 });
    await world.restart();
    await world.comesTo({ saved: 3, commits: 3 });
  });
});

describe('an account without credit', () => {
  const refusals = [
    { as: 'a 402', fault: { fault: 'status', status: 402 } as const },
    {
      as: 'a 403 that names the quota',
      fault: {
        fault: 'status',
        status: 403,
        body: { error: { message: 'Top up first.', code: 'insufficient_user_quota' } },
      } as const,
    },
  ];

  it.each(refusals)('stops unsent takes, fails no shot, and fetches paid results: $as', async ({ fault }) => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    world.fault({ method: 'POST', nth: 3, times: 'always' }, fault);
    const settled = await world.run(shots(10));
    expect(settled).toMatchObject({
      is: 'halted',
      gate: { reason: 'no_credit', until: null, message: expect.saying(/Add credit/) },
    });
    world.has({ saved: 2, failed: 0, unknown: 0, unfinished: 8, posts: 3 });
    expect(world.job('0003')).toMatchObject({ state: 'ready', failure: { code: 'no_credit', cost: 'nothing' } });
  });

  it('goes on when a person resumes, and each shot is made once', async () => {
    const empty = world.fault({ method: 'POST', times: 'always' }, { fault: 'status', status: 402 });
    await world.run(shots(3));
    world.service.faults.remove(empty);
    world.engine.queue.resume();
    await world.comesTo({ saved: 3, commits: 3 });
  });
});

it.each([
  { what: 'none is set', key: null, reason: 'key_missing' },
  { what: 'it is blank', key: ' ', reason: 'key_missing' },
  { what: 'it holds what no key holds', key: 'sk-one two', reason: 'key_refused' },
])('no usable key halts before a single request when $what', async ({ key, reason }) => {
  world = await World.open({ key });
  expect(await world.run(shots(2))).toMatchObject({ is: 'halted', gate: { reason } });
  expect(world.service.ledger.received).toBe(0);
  expect(world.counts()).toMatchObject({ unfinished: 2 });
});

it('takes know the place of their shot in the list, also after rows were put in before it', async () => {
  await world.run([shot(3), shot(1)]);
  await world.run([shot(3), shot(2), shot(1)]);
  const places = world.jobs().map((job) => [job.shot, job.position]);
  expect(Object.fromEntries(places)).toEqual({ '0003': 0, '0002': 1, '0001': 2 });
});

describe('a shot the service refuses', () => {
  it.each([400, 403, 404, 405, 413, 415, 422])(
    'is rejected at no charge with status %i, and the others go on',
    async (status) => {
      world.fault(
        { method: 'POST', prompt: 'Shot 1' },
        { fault: 'status', status, body: { error: { message: 'The prompt is not allowed.', code: 'bad_prompt' } } },
      );
      expect(await world.run(shots(3))).toEqual({ is: 'over' });
      expect(world.job('0001')).toMatchObject({
        state: 'rejected',
        standing: 'failed',
        failure: { code: 'bad_prompt', cost: 'nothing', httpStatus: status },
      });
      expect(world.job('0001').failure?.message).saying(/The prompt is not allowed\./);
      expect(world.counts()).toMatchObject({ saved: 2, failed: 1 });
      expect(world.posts('0001')).toHaveLength(1);
    },
  );

  it('counts as failed until it is corrected: then its newer take stands for it', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'status', status: 403 });
    await world.run(shots(2));
    const [project] = world.engine.stores.projects.list();
    const projectId = project?.id ?? '';
    const counted = async () => ({
      batch: world.engine.views.batches(projectId)[0]?.counts.failed,
      project: (await world.engine.views.project(projectId)).counts.failed,
      queue: (await world.engine.views.queue()).counts.failed,
    });
    expect(await counted()).toEqual({ batch: 1, project: 1, queue: 1 });
    const refused = world.job('0001');
    expect(refused.isSetAside).toBe(false);

    const told = new Set<string>();
    const stop = world.engine.subscribe((event) => {
      if (event.type === 'job' && event.job.isSetAside) told.add(event.job.id);
    });
    await world.run([shot(1, { prompt: 'A quiet harbour' }), shot(2)]);
    stop();
    expect(await counted()).toEqual({ batch: 0, project: 0, queue: 0 });
    expect(world.job('0001', 1).isSetAside).toBe(true);
    expect(world.job('0001', 2)).toMatchObject({ state: 'saved', isSetAside: false });
    expect([...told]).toEqual([refused.id]);
  });

  it('is sent once more when it is retried', async () => {
    world.fault({ method: 'POST' }, { fault: 'status', status: 403 });
    await world.run(shots(1));
    expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true, job: { state: 'ready' } });
    await world.comesTo({ '0001': 'saved', posts: 2 });
  });
});

it('the key stands nowhere on disk and in no log line, even when the service repeats it', async () => {
  world = await World.open({ service: { apiKey: 'sk-secret-8f31c2' } });
  const body = { error: { message: 'Not good: sk-secret-8f31c2', code: 'echo' }, request_id: 'sk-secret-8f31c2' };
  world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'status', status: 502, body });
  world.fault({ method: 'POST', prompt: 'Shot 2' }, { fault: 'status', status: 400, body });
  world.fault({ path: '/v1/videos/*' }, { fault: 'status', status: 500, body });
  await world.run(shots(3));
  await world.stop();
  const files = [world.dataFolder, world.projectPath].flatMap(filesBelow);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => readFileSync(file).includes('sk-secret'))).toEqual([]);
  expect(world.log.lines.filter((line) => line.includes('sk-secret'))).toEqual([]);
  expect(existsSync(join(world.dataFolder, 'dailies.db'))).toBe(true);
});

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('an address that is none', () => {
  it('is named for what it is, and nothing is sent', async () => {
    world = await World.open({ settings: { baseUrl: '' } });
    await world.import(shots(1));
    const settled = await world.settle();
    expect(settled).toMatchObject({ is: 'halted', gate: { reason: 'key_missing', until: null } });
    expect(settled).toMatchObject({
      gate: { message: expect.saying(/No service address is set\./) as string },
    });
    world.has({ unfinished: 1, posts: 0 });
  });

  it('is told together with a key that is missing too', async () => {
    world = await World.open({ settings: { baseUrl: '' }, key: null });
    expect(await world.run(shots(1))).toMatchObject({
      gate: { message: expect.saying('The service has no address and no key yet. Add both in Settings.') },
    });
  });
});

describe('the manifest of takes that failed', () => {
  it('has the code of each failure and, as they came, the words of the service', async () => {
    const paths = { musicSubmit: '/v1/music', musicTask: '/v1/music/{task_id}' };
    world = await World.open({ settings: { paths } });
    const policy = { error: { message: '=content policy: a face', code: 'content_policy' } };
    const posts = { method: 'POST', prompt: 'Shot 1' };
    world.fault(posts, { fault: 'status', status: 400, body: policy });
    const failed = { end: 'failed', message: 'Lyrics refused, see\nthe rules.' } as const;
    world.fault({ prompt: 'Shot 2' }, { fault: 'outcome', ...failed });
    world.fault({ prompt: 'Shot 3', method: 'POST' }, { fault: 'html', status: 502 });
    const song = shot(2, { kind: 'music', model: 'music-demo', params: {} });
    await world.run([shot(1), song, shot(3), shot(4)]);
    await world.stop();
    const text = world.manifest().slice(1);
    const rows = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
    expect(rows.map(({ shot, error, error_message }) => [shot, error, error_message])).toEqual([
      ['0001', 'content_policy', "'=content policy: a face"],
      ['0002', 'task_failed', 'Lyrics refused, see\nthe rules.'],
      ['0003', 'http_502', ''],
      ['0004', '', ''],
    ]);
  });
});
