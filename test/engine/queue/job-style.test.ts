import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Recipe } from '../../../src/contract/take.ts';
import { World, type WorldOptions } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
afterEach(() => world.close());

const SUBMIT = { method: 'POST', path: '/jobimg/submit/imagine' } as const;
const LIST = { method: 'GET', path: '/jobimg/task/list-by-condition', times: 'always' } as const;
const imagine = shot(1, { kind: 'image', model: 'image-demo', params: { operation: 'imagine' } });
const listed = () => world.service.ledger.entries.filter(({ path }) => path === LIST.path).length;

async function lose(options: WorldOptions = {}): Promise<void> {
  world = await World.open(options);
  world.service.faults.add({ match: SUBMIT, do: { fault: 'reset', commit: true } });
}

function recipe(): Recipe {
  const folder = join(world.projectPath, '.dailies', 'takes');
  const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Recipe.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
}

/** The money of the one submit that was made. */
const paid = () => [world.posts().length, world.service.ledger.commits];

describe('a lost job-style submit', () => {
  it('is settled by the task in the list that names its attempt, and is never sent again', async () => {
    await lose();
    await world.run([imagine]);
    expect(world.job('0001').state).toBe('saved');
    const { attemptId, taskId, state } = recipe();
    expect(world.posts()[0]?.body).toMatchObject({ state: attemptId });
    expect([state, taskId]).toEqual(['saved', world.job('0001').taskId]);
    expect(world.sql('SELECT outcome, task_id IS NOT NULL AS named FROM attempts')).toEqual([
      { outcome: 'unclear', named: 1 },
    ]);
    expect(paid()).toEqual([1, 1]);
  });

  it('is settled when the list shows its task late, or does not answer at first', async () => {
    await lose();
    world.service.faults.add({
      match: { ...LIST, times: 1 },
      do: { fault: 'status', status: 200, body: { result: [] } },
    });
    world.service.faults.add({ match: { ...LIST, times: 1 }, do: { fault: 'reset' } });
    await world.run([imagine]);
    expect(world.job('0001').state).toBe('saved');
    expect([listed(), ...paid()]).toEqual([3, 1, 1]);
  });

  it('is settled after a kill between the request and its answer', async () => {
    world = await World.open();
    world.service.faults.add({ match: SUBMIT, do: { fault: 'hang', commit: true } });
    await world.start();
    await world.import([imagine]);
    world.engine.queue.run({});
    await world.until('the task is made', () => world.service.ledger.commits === 1);
    await world.kill();
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(1);
    await world.settle();
    expect(world.job('0001').state).toBe('saved');
    expect(paid()).toEqual([1, 1]);
  });

  it('stays a decision when the list does not show it, until a later start finds it there', async () => {
    await lose();
    const empty = world.service.faults.add({ match: LIST, do: { fault: 'status', status: 200, body: { result: [] } } });
    await world.run([imagine]);
    expect(world.job('0001')).toMatchObject({
      state: 'submit_unknown',
      failure: { cost: 'maybe', remedy: expect.stringContaining('did not show its task') as string },
    });
    await world.pass(30 * 3_600_000);
    expect([listed(), ...paid()]).toEqual([4, 1, 1]);
    world.service.faults.remove(empty);
    await world.restart();
    await world.settle();
    expect(world.job('0001').state).toBe('saved');
    expect(paid()).toEqual([1, 1]);
  });

  it.each([
    ['tasks of others', { result: [{ id: 'task_other', state: 'someone else' }, { id: 'task_none' }] }],
    ['no list', { message: 'no such thing' }],
  ])('is not settled by an answer with %s', async (_what, body) => {
    await lose();
    world.service.faults.add({ match: LIST, do: { fault: 'status', status: 200, body } });
    await world.run([imagine]);
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('is left to a person where the path of the list is empty, or the row sends a state of its own', async () => {
    await lose({ settings: { paths: { jobList: '' } } });
    await world.run([imagine]);
    expect(world.job('0001').state).toBe('submit_unknown');
    await world.restart({ paths: {} });
    world.service.faults.add({ match: SUBMIT, do: { fault: 'reset', commit: true } });
    await world.run([{ ...imagine, key: '0002', extra: { state: 'mine' } }], { name: 'Day 2' });
    expect(world.job('0002').state).toBe('submit_unknown');
  });
});
