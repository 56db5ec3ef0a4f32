import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../support/demo/service.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { isNightly, someOf } from '../../support/chance.ts';

let world: World;
forEachTest((opened) => (world = opened));

const downloads = () => world.service.ledger.downloads();
const savedFile = () => readFileSync(join(world.projectPath, 'Day 1', '0001_t1.mp4'));

/** What the service holds under the newest address it gave out: the right bytes. */
async function rightBytes(): Promise<Buffer> {
  world.service.faults.clear();
  const task = world.service.tasks.list()[0];
  const headers = { authorization: `Bearer ${world.service.apiKey}` };
  const answer = await fetch(`${world.service.url}/v1/videos/${task?.id ?? ''}`, { headers });
  const [first] = ((await answer.json()) as { output: { url: string }[] }).output;
  return Buffer.from(await (await fetch(first?.url ?? '')).arrayBuffer());
}

/** The twelve faults that a result may meet on its way, each struck twice. */
const badAnswers: readonly { what: string; fault: Fault }[] = [
  { what: 'a body shorter than announced', fault: { fault: 'cut', afterBytes: 90_000 } },
  { what: 'a body cut without any length announced', fault: { fault: 'cut', afterBytes: 90_000, framing: 'chunked' } },
  { what: 'a reset in the middle', fault: { fault: 'reset', afterBytes: 90_000 } },
  { what: 'a reset before the first byte', fault: { fault: 'reset' } },
  { what: 'silence in the middle', fault: { fault: 'stall', afterBytes: 90_000 } },
  { what: 'a 503', fault: { fault: 'status', status: 503 } },
  { what: 'a 429', fault: { fault: 'rate-limit', seconds: 5 } },
  { what: 'a web page with status 200', fault: { fault: 'html' } },
  { what: 'an expired address', fault: { fault: 'expired' } },
  { what: 'an empty file', fault: { fault: 'empty' } },
  { what: 'more bytes than announced', fault: { fault: 'overlong' } },
  { what: 'a part nobody asked for', fault: { fault: 'wrong-range' } },
  { what: 'another file under the same address', fault: { fault: 'changed-content' } },
  { what: 'a redirect to the same address', fault: { fault: 'redirect', to: 'same' } },
  { what: 'JSON instead of media', fault: { fault: 'not-json', body: '{"detail":"busy"}' } },
  { what: 'slow drops', fault: { fault: 'drip', bytes: 64_000, pauseMs: 30_000 } },
];

describe('a download that goes wrong', () => {
  it.each(someOf(badAnswers))('ends with the right bytes after $what, twice', async ({ fault }) => {
    world = await World.open({ service: { tinyBytes: 200_000 } });
    const id = world.fault({ path: '/media/*', times: 2 }, fault);
    expect(await world.run([shot(1)])).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'saved', standing: 'saved' });
    expect(world.service.faults.hits(id)).toBeGreaterThanOrEqual(1);
    expect(savedFile().equals(await rightBytes())).toBe(true);
    expect(world.posts()).toHaveLength(1);
  });

  const resumed: readonly { what: string; fault: Fault }[] = [
    { what: 'a wrong range', fault: { fault: 'wrong-range' } },
    { what: 'an ignored range', fault: { fault: 'ignore-range' } },
    { what: 'a range that does not exist', fault: { fault: 'range-not-satisfiable' } },
    { what: 'a file that changed between requests', fault: { fault: 'changed-content' } },
  ];
  it.each(someOf(resumed))('ends with the right bytes when its rest meets $what', async ({ fault }) => {
    world = await World.open({ service: { tinyBytes: 200_000 } });
    world.fault({ path: '/media/*' }, { fault: 'cut', afterBytes: 90_000 });
    world.fault({ path: '/media/*' }, fault);
    await world.run([shot(1)]);
    expect(downloads()[1]?.headers['range']).toBe('bytes=90000-');
    expect(world.job('0001').state).toBe('saved');
    expect(savedFile().equals(await rightBytes())).toBe(true);
  });

  it('asks the task for a new address when the old one expired, and sends no POST for it', async () => {
    world.fault({ path: '/media/*' }, { fault: 'expired', status: 410 });
    await world.run([shot(1)]);
    expect(world.job('0001').state).toBe('saved');
    const [expired, fresh] = downloads();
    expect(fresh?.query).not.toBe(expired?.query);
    const between = world.service.ledger.gets().filter(({ n }) => n > (expired?.n ?? 0) && n < (fresh?.n ?? 0));
    expect(between.map(({ path }) => path)).toEqual([`/v1/videos/${world.job('0001').taskId ?? ''}`]);
    expect(world.posts()).toHaveLength(1);
  });

  it('gives up on pages for ever, says that the take is paid for, and fetches it free of charge later', async () => {
    const page = world.fault({ path: '/media/*', times: 'always' }, { fault: 'html' });
    expect(await world.run([shot(1), shot(2)])).toEqual({ is: 'over' });
    const { state, standing, failure, id } = world.job('0001');
    expect({ state, standing }).toEqual({ state: 'download_blocked', standing: 'failed' });
    expect(failure).toMatchObject({ cost: 'charged', message: expect.saying(/web page/) });
    expect(failure?.remedy).saying(/downloading it again is free/);
    expect(downloads().length).toBeLessThan(50);

    world.service.faults.remove(page);
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: true });
    await world.comesTo({ '0001': 'saved' });
    expect(savedFile().length).toBeGreaterThan(0);
    expect(world.posts()).toHaveLength(2);
  });

  it('does not take text for a take', async () => {
    const body = 'The picture is on its way.';
    const contentType = 'video/mp4';
    world.fault({ path: '/media/*', times: 'always' }, { fault: 'status', status: 200, body, contentType });
    await world.run([shot(1)]);
    expect(world.job('0001')).toMatchObject({ state: 'download_blocked', files: [], failure: { cost: 'charged' } });
  });

  it('gives a file the extension of its content, whatever its name', async () => {
    world.fault({ path: '/media/*' }, { fault: 'content-type', value: 'image/png' });
    await world.run([shot(1)]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
  });

  it('shows no key to another host, redirected there or sent there at once', async () => {
    world = await World.open({ service: { mediaOrigin: 'separate' } });
    world.fault({ path: '/media/*' }, { fault: 'status', status: 401 });
    world.fault({ path: '/media/*' }, { fault: 'redirect', to: 'other' });
    await world.run([shot(1)]);
    expect(world.job('0001').state).toBe('saved');
    expect(downloads().length).toBeGreaterThan(2);
    expect(downloads().filter(({ hasAuthorization }) => hasAuthorization)).toEqual([]);
  });

  it.each(['private', 'http://169.254.169.254/latest/meta-data', 'file:///etc/passwd'])(
    'follows no redirect to %s',
    async (to) => {
      world.fault({ path: '/media/*', times: 'always' }, { fault: 'redirect', to });
      await world.run([shot(1)]);
      expect(world.job('0001')).toMatchObject({ state: 'download_blocked', failure: { cost: 'charged' } });
    },
  );

  it('is retried for as long as the service is down, and then saved', async () => {
    const down = world.fault({ path: '/media/*', times: 'always' }, { fault: 'status', status: 502 });
    await world.begin([shot(1)]);
    await world.pass(30 * 60_000);
    expect(world.job('0001').standing).toBe('unfinished');
    world.service.faults.remove(down);
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });
});

describe('a download that is interrupted', () => {
  it.each(['stop', 'kill'] as const)('goes on where it was after a %s', async (how) => {
    world = await World.open({ service: { tinyBytes: 300_000 } });
    world.fault({ path: '/media/*' }, { fault: 'cut', afterBytes: 200_000 });
    world.fault({ path: '/media/*' }, { fault: 'stall', afterBytes: 50_000 });
    await world.begin([shot(1)]);
    await world.until('the second download', () => downloads().length === 2);
    await world.rest();
    await world[how]();
    await world.start();
    await world.comesTo({ '0001': 'saved' });
    const durable = how === 'stop' ? 250_000 : 200_000;
    expect(downloads()[2]?.headers['range']).toBe(`bytes=${String(durable)}-`);
    expect(savedFile().equals(await rightBytes())).toBe(true);
    expect(world.posts()).toHaveLength(1);
  });
});

describe.runIf(isNightly)('downloads at one byte a second', () => {
  it('keep no others from coming, and come to their own end', async () => {
    world = await World.open({ service: { tinyBytes: 1000 } });
    const slow = ['Shot 1', 'Shot 2', 'Shot 3', 'Shot 4', 'Shot 5', 'Shot 6'];
    for (const prompt of slow) {
      world.fault({ path: '/media/*', prompt }, { fault: 'drip', bytes: 50, pauseMs: 50_000 });
    }
    await world.begin(Array.from({ length: 9 }, (_, index) => shot(index + 1)));
    await world.until('all others are saved', () => world.counts().saved >= 3);
    expect(world.engine.queue.status().underWay.download).toBe(6);
    await world.comesTo({ saved: 9 });
    // None of them was broken off: each file was asked for once.
    expect(world.service.ledger.downloads()).toHaveLength(9);
  });
});
