import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { World, type WorldOptions } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const SYNC = '/v1/images/generations';
const ASYNC = '/v1/images/generations/async';

let world: World;
afterEach(() => world.close());

const picture = (index: number, params: ShotSpec['params'] = {}): ShotSpec =>
  shot(index, { kind: 'image', model: 'image-demo', params });

/** An account whose key has no access to the asynchronous entry: the answer is the result. */
async function openSynchronous(service: WorldOptions['service'] = {}): Promise<void> {
  world = await World.open({ service: { asyncImages: false, ...service } });
}

const asked = (path: string) => world.service.ledger.posts(path).length;
const batchFiles = () => readdirSync(join(world.projectPath, 'Day 1')).filter((name) => name !== 'manifest.csv');
const parts = () => readdirSync(join(world.projectPath, '.dailies', 'parts'));

describe('an account without asynchronous pictures', () => {
  it('is served by the synchronous entry, after one refusal that cost nothing', async () => {
    await openSynchronous();
    await world.run([picture(1)]);
    await world.run([picture(1), picture(2)]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect([asked(ASYNC), asked(SYNC)]).toEqual([1, 2]);
    expect(world.service.ledger.commits).toBe(2);
  });

  it('is offered the asynchronous entry again after a day', async () => {
    await openSynchronous();
    await world.run([picture(1)]);
    await world.pass(25 * 3_600_000);
    await world.run([picture(1), picture(2)]);
    expect([asked(ASYNC), asked(SYNC)]).toEqual([2, 2]);
    expect(world.service.ledger.commits).toBe(2);
  });

  it('gets no other picture than was asked for: a resolution only the asynchronous entry has is refused', async () => {
    await openSynchronous();
    await world.run([picture(1, { resolution: '2k' })]);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { httpStatus: 403, cost: 'nothing' } });
    expect(asked(SYNC)).toBe(0);
  });
});

describe('an answer that is the result', () => {
  it.each(['b64_json', 'url'] as const)(
    'is saved whole as %s, every picture of it, and leaves no part behind',
    async (form) => {
      await openSynchronous({ tinyBytes: 50_000 });
      await world.run([picture(1, { response_format: form, n: 3 })]);
      expect(world.job('0001').state).toBe('saved');
      expect(batchFiles().toSorted()).toEqual(['0001_t1_1.png', '0001_t1_2.png', '0001_t1_3.png']);
      expect(parts()).toEqual([]);
      expect(world.service.ledger.commits).toBe(1);
    },
  );

  it.each([
    { what: 'cut inside', fault: { fault: 'cut' } as const },
    { what: 'reset in the middle', fault: { fault: 'reset', afterBytes: 100 } as const },
    { what: 'without any picture', fault: { fault: 'status', status: 200, body: { data: [] }, commit: true } as const },
    { what: 'a 504 of a proxy', fault: { fault: 'status', status: 504, commit: true } as const },
  ])('is of unknown fate and never asked for again by itself when it is $what', async ({ fault }) => {
    await openSynchronous();
    world.service.faults.add({ match: { path: SYNC, times: 'always' }, do: fault });
    await world.run([picture(1)]);
    expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { cost: 'maybe' } });
    await world.restart();
    await world.settle();
    await world.pass(30 * 3_600_000);
    expect(asked(SYNC)).toBe(1);
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('is waited for far longer than a mere acceptance', async () => {
    await openSynchronous({ speed: { imageMs: 45 * 60_000, jitter: 0 } });
    await world.run([picture(1)]);
    expect(world.job('0001').state).toBe('saved');
  });
});

describe('a process that was killed while an answer came in', () => {
  async function killedWithAnswer(): Promise<void> {
    await openSynchronous({ speed: { imageMs: 5000 } });
    await world.start();
    await world.import([picture(1, { response_format: 'b64_json' })]);
    world.engine.queue.run({});
    await world.until('the synchronous submit', () => asked(SYNC) === 1);
    await world.kill();
  }

  it('finds the answer that lies whole on disk, and pays for nothing again', async () => {
    await killedWithAnswer();
    await world.start();
    expect(world.engine.recovery).toMatchObject({ recoveredAnswers: 1, unknownSubmits: 0 });
    await world.settle();
    expect(world.job('0001').state).toBe('saved');
    expect(asked(SYNC)).toBe(1);
    expect(parts()).toEqual([]);
  });

  it('asks a person when the answer on disk is cut short', async () => {
    await killedWithAnswer();
    const answer = parts().find((name) => name.endsWith('.answer')) ?? '';
    truncateSync(join(world.projectPath, '.dailies', 'parts', answer), 50);
    await world.start();
    expect(world.engine.recovery).toMatchObject({ recoveredAnswers: 0, unknownSubmits: 1 });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { code: 'interrupted_submit' } });
    expect(asked(SYNC)).toBe(1);
  });
});

describe('a picture that is made of another', () => {
  it('is sent with its file, to the one entry and, refused there, to the other', async () => {
    await openSynchronous();
    writeFileSync(join(world.folder, 'plate.png'), await aPicture());
    await world.run([picture(1, { operation: 'edit', image: 'plate.png' })]);
    expect(world.job('0001').state).toBe('saved');
    const [refused, sent] = world.service.ledger.posts();
    expect([refused?.status, sent?.status]).toEqual([403, 200]);
    expect(sent?.body).toMatchObject({ fields: { prompt: 'Shot 1' } });
  });

  it('costs nothing when its file is gone by the time it is to be sent', async () => {
    await openSynchronous();
    await world.run([picture(1, { operation: 'edit', image: 'gone.png' }), picture(2)]);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect(world.job('0001').failure?.message).toContain('gone.png');
    expect(world.job('0002').state).toBe('saved');
  });

  async function aPicture(): Promise<Buffer> {
    const maker = await World.open();
    await maker.run([picture(9)]);
    const made = readFileSync(join(maker.projectPath, 'Day 1', '0009_t1.png'));
    await maker.close();
    return made;
  }
});
