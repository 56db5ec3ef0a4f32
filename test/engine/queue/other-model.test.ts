import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

it('says that another model made a take, wherever it is shown and on another machine', async () => {
  const made = { fault: 'other-model', model: 'vgen-2.0-nt-fast' } as const;
  world.fault({ method: 'GET', path: '/v1/videos/*', times: 'always' }, made);
  await world.run([shot(1)]);
  const shown = {
    state: 'saved',
    remarks: ['other_model'],
    notice: {
      code: 'other_model',
      cost: 'charged',
      message: expect.saying(/vgen-2\.0-nt-fast .*vgen-2\.0-cl-fast/) as unknown,
    },
  };
  expect(world.job('0001')).toMatchObject(shown);
  const recipes = join(world.projectPath, '.dailies', 'takes');
  expect(readFileSync(join(recipes, readdirSync(recipes)[0] ?? ''), 'utf8')).toContain('"modelUsed"');
  await world.stop();
  expect(world.manifest()).toContain('other_model');
  await world.openOn('second');
  expect(world.job('0001')).toMatchObject(shown);
});

it('says nothing of a task whose request named no model', async () => {
  const named = { fault: 'other-model', model: 'image-demo' } as const;
  world.fault({ method: 'GET', path: '/jobimg/task/*', times: 'always' }, named);
  await world.run([
    shot(1, { kind: 'image', model: 'jobimg', params: { operation: 'imagine' } }),
    shot(2, { kind: 'image', model: 'image-demo', params: {} }),
  ]);
  expect(world.jobs().map(({ state, remarks }) => [state, remarks])).toEqual([
    ['saved', undefined],
    ['saved', undefined],
  ]);
});
