import { createHash } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { asMedium, files, formOf, uploadsOf, expectSaved } from './media.ts';

let world: World;
afterEach(() => world.close());

const SIZE = 4_500_000;
const uploads = { method: 'POST', path: '/v1/assets/uploads' };
const moving = (index: number, video: string, model = 'vgen-2.0-cl-fast') =>
  shot(index, { model, params: { reference_videos: [video] } });

async function open(): Promise<void> {
  world = await World.open({ settings: { maxRate: { submit: 1000, poll: 1000, download: 1000 } } });
}

/** The last look at these files is longer ago than the clock of the world. */
function old(...names: string[]): void {
  for (const name of names) utimesSync(join(world.folder, name), 0, 0);
}

describe('a large file that nobody has read before', () => {
  it('is hashed while it is sent, and identified by its content from then on', async () => {
    await open();
    const content = asMedium('walk.mp4', Buffer.alloc(SIZE, 'walk'));
    files(world, { 'walk.mp4': content });
    await world.run([moving(1, 'walk.mp4')]);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(world.engine.library.usedBy(world.job('0001').id)).toMatchObject([{ path: 'walk.mp4', sha256 }]);
    expect(world.engine.library.assets()).toMatchObject([{ local: { sha256, bytes: SIZE } }]);
    files(world, { 'copy.mp4': content });
    await world.run([moving(2, 'walk.mp4'), moving(3, 'copy.mp4')], { name: 'Day 2' });
    expectSaved(world, 3, 1);
  });

  it('goes once although copies of it, and others of its size, are wanted at the same time', async () => {
    await open();
    const content = Buffer.alloc(SIZE, 'walk');
    files(world, { 'a.mp4': content, 'b.mp4': content, 'c.mp4': Buffer.alloc(SIZE, 'run!'), 'd.mp4': content });
    await world.run(['a', 'b', 'c', 'd', 'a'].map((name, index) => moving(index + 1, `${name}.mp4`)));
    expectSaved(world, 5, 2);
    expect(new Set(uploadsOf(world).map((entry) => formOf(entry).files[0]?.sha256)).size).toBe(2);
  });

  it('is sent again after it broke off, and adopted when it had arrived', async () => {
    await open();
    files(world, { 'a.mp4': Buffer.alloc(SIZE, 'a'), 'b.mp4': Buffer.alloc(SIZE + 1, 'b') });
    world.fault(uploads, { fault: 'break-request', afterBytes: 1_000_000 });
    await world.run([moving(1, 'a.mp4')]);
    world.fault(uploads, { fault: 'reset', commit: true });
    await world.run([moving(2, 'b.mp4')], { name: 'Day 2' });
    expectSaved(world, 2, 3);
    expect(world.service.assets.assets()).toHaveLength(2);
  });

  it('that is refused is not sent for each shot that names it', async () => {
    await open();
    files(world, { 'a.mp4': Buffer.alloc(SIZE, 'a') });
    world.fault({ ...uploads, times: 'always' }, { fault: 'status', status: 413 });
    await world.run([1, 2, 3, 4].map((index) => moving(index, 'a.mp4')));
    expect(world.counts()).toMatchObject({ failed: 4 });
    expect(uploadsOf(world)).toHaveLength(1);
  });

  /** Killed when the file had arrived, and before the service could say so. */
  async function killedOnceItArrived(): Promise<void> {
    await open();
    files(world, { 'a.mp4': Buffer.alloc(SIZE, 'a') });
    old('a.mp4');
    world.fault(uploads, { fault: 'hang', commit: true });
    await world.start();
    await world.import([moving(1, 'a.mp4')]);
    world.engine.queue.run({});
    await world.until('it arrived', () => world.service.assets.assets().length === 1);
    await world.kill();
  }

  it('is found again after a kill before its hash was stored', async () => {
    await killedOnceItArrived();
    expect(world.sql('SELECT content FROM uploads')).toMatchObject([{ content: expect.stringMatching(/^unread:/) }]);
    await world.start();
    await world.settle();
    expectSaved(world, 1, 1);
  });

  it('and changed while the process was dead is uploaded as what it is now', async () => {
    await killedOnceItArrived();
    files(world, { 'a.mp4': Buffer.alloc(SIZE, 'b') });
    await world.start();
    await world.settle();
    expectSaved(world, 1, 2);
  });
});
