import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Recipe } from '../../../src/contract/take.ts';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
afterEach(() => world.close());

it('names its attempt to the service, so that a person can find the task of a lost answer there', async () => {
  world = await World.open();
  world.service.faults.add({
    match: { method: 'POST', path: '/jobimg/submit/imagine' },
    do: { fault: 'reset', commit: true },
  });
  await world.run([shot(1, { kind: 'image', model: 'image-demo', params: { operation: 'imagine' } })]);
  const folder = join(world.projectPath, '.dailies', 'takes');
  const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const { attemptId, state } = Recipe.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  expect(state).toBe('submit_unknown');
  expect(world.posts().map(({ body }) => body)).toEqual([expect.objectContaining({ state: attemptId })]);
});
