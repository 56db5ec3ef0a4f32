import { describe, expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const references = [
  { media_type: 'image', role: 'reference_image', url: 'https://media.example/hero.png', alias: 'hero' },
];
const film = shot(1, { prompt: '@hero walks', params: { duration: 5, references } });
const submits = { method: 'POST', path: '/v1/videos' };
const asked = { method: 'GET', path: '/v1/videos/*', times: 'always' as const };

describe('a reference that the service did not bind', () => {
  it('is told with the take, which is paid for and saved all the same, and what another would cost', async () => {
    world.fault(submits, { fault: 'binding', status: 'failed' });
    world.fault(asked, { fault: 'binding', status: 'failed' });
    await world.run([film]);
    const { state, notice } = world.job('0001');
    expect(state).toBe('saved');
    expect(notice).toMatchObject({
      code: 'reference_not_bound',
      cost: 'charged',
      message: expect.saying(/@hero \(reference_image\)/),
      remedy: expect.saying(/charged again/),
    });
    expect(world.recipe()).toMatchObject({ state: 'saved', unbound: ['@hero (reference_image)'] });
    expect(world.service.ledger.commits).toBe(1);
  });

  it('is known on another machine that opens the folder', async () => {
    world.fault(submits, { fault: 'binding', status: 'failed' });
    world.fault(asked, { fault: 'binding', status: 'failed' });
    await world.run([film]);
    await world.openOn('second');
    expect(world.job('0001').notice?.code).toBe('reference_not_bound');
  });

  it('is forgotten when the finished task lists it as bound', async () => {
    world.fault(submits, { fault: 'binding', status: 'failed' });
    await world.run([film]);
    expect(world.job('0001').state).toBe('saved');
    expect(world.job('0001').notice).toBeUndefined();
  });

  it('is seen when only the finished task says so', async () => {
    world.fault(asked, { fault: 'binding', status: 'failed' });
    await world.run([film]);
    expect(world.job('0001').notice?.code).toBe('reference_not_bound');
  });
});
