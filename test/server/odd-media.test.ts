import { beforeAll, expect, it } from 'vitest';
import type { Unfamiliar } from '../support/demo/unfamiliar.ts';
import { createMediaHandler, type MediaHandler } from '../../src/server/media/handler.ts';
import { images, Served } from './support.ts';

const formats: readonly Unfamiliar[] = ['avif', 'svg', 'zip', 'noise'];
let served: Served;
let handler: MediaHandler;

beforeAll(async () => {
  served = await Served.open();
  for (const as of formats) {
    served.world.fault({ path: '/media/*' }, { fault: 'format', as });
    await served.world.run(images(1, { key: as, prompt: as }), { name: as });
  }
  handler = createMediaHandler(served.services);
  return () => served.close();
});

const ask = (kind: string, format: Unfamiliar) =>
  handler(new Request(`http://dailies.test/${kind}/${served.world.job(format).id}/1?w=320`));

it.each<[Unfamiliar, string]>([
  ['avif', 'image/avif'],
  ['svg', 'application/octet-stream'],
  ['zip', 'application/octet-stream'],
])('a window is given %s as %s', async (format, type) => {
  const answer = await ask('media', format);
  expect(answer.headers.get('content-type')).toBe(type);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  await answer.body?.cancel();
});

it.each(formats)('the engine makes no small picture of %s', async (format) => {
  expect((await ask('thumb', format)).status).toBe(204);
});
