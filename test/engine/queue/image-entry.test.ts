import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const SYNC = '/v1/images/generations';
const ASYNC = '/v1/images/generations/async';

let world: World;
forEachTest((opened) => (world = opened));

const picture = (index: number, model = 'image-demo'): ShotSpec => shot(index, { kind: 'image', model });
const asked = (path: string) => world.service.ledger.posts(path).length;

describe('the asynchronous image entry', () => {
  it.each([
    ['that does not exist', null],
    ['that the account may not use', { status: 403, message: 'Your account may not use this model.' }],
  ])('stays the entry of all others when the list names a model %s', async (_what, refusal) => {
    if (refusal) {
      const body = { error: { message: refusal.message, code: 'model_not_allowed' } };
      world.fault({ model: 'image-dmeo' }, { fault: 'status', status: refusal.status, body });
    }
    await world.run([picture(1, 'image-dmeo')]);
    await world.run([picture(2), picture(3)], { name: 'Day 2' });
    expect(world.job('0001')).toMatchObject({
      state: 'rejected',
      failure: { cost: 'nothing', remedy: expect.saying(/assumed.imageEntry/) as unknown },
    });
    expect([asked(ASYNC), asked(SYNC), world.counts().saved]).toEqual([3, 0, 2]);
  });

  it('is left for one model alone when it is not there for it', async () => {
    world = await World.open({ service: { asyncImages: { without: ['image-demo-pro'] } } });
    await world.run([picture(1, 'image-demo-pro'), picture(2)]);
    await world.run([picture(3, 'image-demo-pro'), picture(4)], { name: 'Day 2' });
    expect(world.counts()).toMatchObject({ saved: 4 });
    const models = (path: string) => world.service.ledger.posts(path).map(({ body }) => (body as ShotSpec).model);
    expect(models(ASYNC).toSorted()).toEqual(['image-demo', 'image-demo', 'image-demo-pro']);
    expect(models(SYNC)).toEqual(['image-demo-pro', 'image-demo-pro']);
    expect(world.service.ledger.commits).toBe(4);
  });

  it('is passed over where the settings say so', async () => {
    world = await World.open({ settings: { assumed: { imageEntry: 'synchronous' } } });
    await world.run([picture(1)]);
    expect([asked(ASYNC), asked(SYNC), world.counts().saved]).toEqual([0, 1, 1]);
  });
});
