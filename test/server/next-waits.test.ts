import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Wait } from '../../src/contract/job.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { shot } from '../engine/db/seed.ts';
import { images, Served, type Api } from './support.ts';

let served: Served;
let api: Api;

beforeEach(async () => {
  served = await Served.open();
  api = served.inProcess();
});
afterEach(() => served.close());

const film = (index: number, of: string, waitFor: ShotSpec['waitFor'] = 'pick'): ShotSpec =>
  shot(index, { waitFor, params: { first_frame: `Shot://${of}` } });

async function waits(wait?: Wait, count = 10) {
  const next = await api.jobs.nextWaits({ projectId: served.world.projectId, wait, count });
  return next.map((each) => `${each.wait} ${each.shot} ${each.isSaved ? 'saved' : 'open'}`);
}

it('names the shots to pick once each, and what else waits, in the order of the list, as they are now', async () => {
  const { world } = served;
  world.fault({ method: 'POST', prompt: 'Still 2' }, { fault: 'status', status: 400 });
  await world.run([
    ...images(3),
    ...[film(4, '0003'), film(5, '0001'), film(6, '0001'), film(7, '0002')],
    shot(8, { waitFor: 'release' }),
  ]);
  expect(await waits()).toEqual(['pick 0003 saved', 'pick 0001 saved', 'failed 0002 open', 'release 0008 open']);
  expect(await waits('pick', 1)).toEqual(['pick 0003 saved']);
  expect(await waits('release')).toEqual(['release 0008 open']);
  // Rows of a closed queue do not know of it yet.
  world.engine.queue.pause();
  await api.takes.judge({ ids: [world.job('0003').id], verdict: { flag: 'pick' } });
  expect(await waits('pick')).toEqual(['pick 0001 saved']);
});
