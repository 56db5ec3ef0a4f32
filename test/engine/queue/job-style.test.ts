import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type TakeButton } from '../../../src/contract/take.ts';
import { pressed, type TakeDetails } from '../../../src/contract/review.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { aPicture, PICTURE_NAME } from '../../support/billable-posts.ts';
import { forEachTest, World, type WorldOptions } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const SUBMIT = { method: 'POST', path: '/jobimg/submit/imagine' } as const;
const LIST = { method: 'GET', path: '/jobimg/task/list-by-condition', times: 'always' } as const;
const imagine = shot(1, { kind: 'image', model: 'image-demo', params: { operation: 'imagine' } });
const listed = () => world.service.ledger.entries.filter(({ path }) => path === LIST.path).length;

async function lose(options: WorldOptions = {}): Promise<void> {
  world = await World.open(options);
  world.fault(SUBMIT, { fault: 'reset', commit: true });
}

/** The money of the one submit that was made. */
const paid = () => [world.posts().length, world.service.ledger.commits];

describe('a lost job-style submit', () => {
  it('is settled by the task in the list that names its attempt, and is never sent again', async () => {
    await lose();
    await world.run([imagine]);
    expect(world.job('0001').state).toBe('saved');
    const { attemptId, taskId, state } = world.recipe();
    expect(world.posts()[0]?.body).toMatchObject({ state: attemptId });
    expect([state, taskId]).toEqual(['saved', world.job('0001').taskId]);
    expect(world.sql('SELECT outcome, task_id IS NOT NULL AS named FROM attempts')).toEqual([
      { outcome: 'unclear', named: 1 },
    ]);
    expect(paid()).toEqual([1, 1]);
  });

  it('is settled when the list shows its task late, or does not answer at first', async () => {
    await lose();
    world.fault({ ...LIST, times: 1 }, { fault: 'status', status: 200, body: { result: [] } });
    world.fault({ ...LIST, times: 1 }, { fault: 'reset' });
    await world.run([imagine]);
    expect(world.job('0001').state).toBe('saved');
    // Twice in vain, then with the find, then with a state that nobody sent.
    expect([listed(), ...paid()]).toEqual([4, 1, 1]);
  });

  it('is settled after a kill between the request and its answer', async () => {
    world.fault(SUBMIT, { fault: 'hang', commit: true });
    await world.begin([imagine]);
    await world.until('the task is made', () => world.service.ledger.commits === 1);
    await world.kill();
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(1);
    await world.comesTo({ '0001': 'saved' });
    expect(paid()).toEqual([1, 1]);
  });

  it('stays a decision when the list does not show it, until a later start finds it there', async () => {
    await lose();
    const empty = world.fault(LIST, { fault: 'status', status: 200, body: { result: [] } });
    await world.run([imagine]);
    expect(world.job('0001')).toMatchObject({
      state: 'submit_unknown',
      failure: { cost: 'maybe', remedy: expect.saying(/did not show its task/) as string },
    });
    await world.pass(30 * 3_600_000);
    expect([listed(), ...paid()]).toEqual([4, 1, 1]);
    world.service.faults.remove(empty);
    await world.restart();
    await world.comesTo({ '0001': 'saved' });
    expect(paid()).toEqual([1, 1]);
  });

  it.each([
    ['tasks of others', { result: [{ id: 'task_other', state: 'someone else' }, { id: 'task_none' }] }],
    ['no list', { message: 'no such thing' }],
  ])('is not settled by an answer with %s', async (_what, body) => {
    await lose();
    world.fault(LIST, { fault: 'status', status: 200, body });
    await world.run([imagine]);
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  describe('beside tasks of other people', () => {
    /** Sent with the same key from elsewhere. */
    async function someoneSends(prompt: string): Promise<string> {
      const headers = { authorization: `Bearer ${world.service.apiKey}`, 'content-type': 'application/json' };
      const sent = await fetch(`${world.service.url}${SUBMIT.path}`, {
        ...{ method: 'POST', headers },
        body: JSON.stringify({ prompt, state: 'theirs' }),
      });
      return ((await sent.json()) as { result: string }).result;
    }

    it.each([true, false])(
      'is not settled by a list that repeats the state it was asked for (made: %s)',
      async (commit) => {
        await someoneSends('A door of theirs');
        await someoneSends('Shot 1');
        world.fault(SUBMIT, { fault: 'reset', commit });
        world.fault(LIST, { fault: 'list-echo' });
        await world.run([imagine]);
        expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', files: [] });
        expect(world.posts('0001').length).toBe(2);
      },
    );

    it('takes from a list only what has the words that it sent', async () => {
      const theirs = await someoneSends('A door of theirs');
      await world.import([imagine]);
      world.fault(SUBMIT, { fault: 'reset', commit: true });
      world.fault({ ...LIST, times: 1 }, { fault: 'reset' });
      world.engine.queue.run({});
      await world.until('the first look', () => listed() === 1);
      const [sent] = world.posts('0001');
      expect(sent).toBeDefined();
      const { state } = (sent?.body ?? {}) as { state: string };
      const body = { result: [{ id: theirs, state, action: 'IMAGINE', prompt: 'A door of theirs' }] };
      const answers = world.fault(LIST, { fault: 'status', status: 200, body });
      await world.settle();
      expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', files: [] });
      world.service.faults.remove(answers);
      await world.restart();
      await world.comesTo({ '0001': 'saved' });
      expect(world.job('0001').taskId).not.toBe(theirs);
    });
  });

  it('is left to a person where the path of the list is empty, or the row sends a state of its own', async () => {
    await lose({ settings: { paths: { jobList: '' } } });
    await world.run([imagine]);
    expect(world.job('0001').state).toBe('submit_unknown');
    await world.restart({ paths: {} });
    world.fault(SUBMIT, { fault: 'reset', commit: true });
    await world.run([{ ...imagine, key: '0002', extra: { state: 'mine' } }], { name: 'Day 2' });
    expect(world.job('0002').state).toBe('submit_unknown');
  });
});

it('a job-style take needs no model, and sends none with its pictures', async () => {
  writeFileSync(join(world.folder, PICTURE_NAME), aPicture);
  const words = `kind,prompt,operation,blend_images\nimage,A harbour,imagine,${PICTURE_NAME}\nimage,,blend,`;
  const bytes = Buffer.from(`${words}${PICTURE_NAME}; ${PICTURE_NAME}\n`);
  const table = await readTable({ name: 'list.csv', bytes });
  const { shots, defects } = await checkList(table, { listFolder: world.folder });
  expect(defects).toEqual([]);
  await world.run(shots);
  expect(world.jobs().map(({ state, model }) => [state, model])).toEqual([
    ['saved', 'jobimg'],
    ['saved', 'jobimg'],
  ]);
  const [imagined, blended] = world.posts().map(({ body }) => body as { base64Array: string[] });
  expect([Object.keys(imagined ?? {}), Object.keys(blended ?? {})]).toEqual([
    ['prompt', 'state', 'base64Array'],
    ['state', 'base64Array'],
  ]);
  expect(imagined?.base64Array).toEqual([`data:image/png;base64,${aPicture.toString('base64')}`]);
});

describe('a job-style submit whose answer is a code that is not success', () => {
  const body = { code: 24, description: 'The prompt has a banned word', properties: { bannedWord: 'gore' } };

  it('is refused with the description as the reason, and is no decision', async () => {
    world.fault(SUBMIT, { fault: 'status', status: 200, body });
    await world.run([imagine]);
    const { state, failure } = world.job('0001');
    expect([state, failure?.code, failure?.cost]).toEqual(['rejected', '24', 'nothing']);
    expect(failure?.message).saying(/The prompt has a banned word/);
    expect([listed(), ...paid()]).toEqual([0, 1, 0]);
  });

  it('says why a task failed, where nothing else does', async () => {
    world.fault(
      { method: 'GET', path: '/jobimg/task/*/fetch', times: 'always' },
      { fault: 'status', status: 200, body: { ...body, id: 'task_1', status: 'FAILURE' } },
    );
    await world.run([imagine]);
    const { state, failure } = world.job('0001');
    expect([state, failure?.code]).toEqual(['remote_failed', '24']);
    expect(failure?.message).saying(/The prompt has a banned word/);
  });
});

describe('the buttons and final prompts of a job-style take', () => {
  const details = (): TakeDetails => world.engine.review.details(world.job('0001').id);
  const button = (label: string): TakeButton => {
    const found = details().recipe.extras?.buttons.find((each) => each.label === label);
    if (!found) throw new Error(`no button ${label}`);
    return found;
  };

  it('are kept with it, also for a data folder that has never seen it', async () => {
    await world.run([imagine]);
    const extras = {
      buttons: expect.arrayContaining([expect.objectContaining({ label: 'U1' })]) as unknown,
      prompts: [
        { name: 'finalPrompt', text: 'Shot 1, natural light, fine detail' },
        { name: 'finalZhPrompt', text: 'Shot 1，自然光，细节丰富' },
      ],
    };
    expect(details().recipe.extras).toMatchObject(extras);
    await world.openOn('another machine');
    expect(details().recipe.extras).toMatchObject(extras);
  });

  it('make a take from it when pressed, which can be pressed again, and are paid for once each', async () => {
    world = await World.open({ settings: { prices: [{ model: '*', per: 'take', price: 2 }] } });
    await world.run([imagine]);
    const wanted = pressed(details().take, button('U1'));
    if (!wanted) throw new Error('it cannot be pressed');
    expect(await world.engine.review.estimate(wanted)).toMatchObject({ newTakes: 1, price: 2 });
    const made = await world.engine.review.another(wanted);
    await world.settle();
    expect(world.job('0001', 2)).toMatchObject({
      state: 'saved',
      from: [{ how: 'action', takeId: details().take.id }],
    });
    expect(world.posts()[1]).toMatchObject({
      path: '/jobimg/submit/action',
      body: { customId: button('U1').customId, taskId: world.job('0001').taskId },
    });
    expect(world.posts()[1]?.body).not.toHaveProperty('prompt');
    const upscaled = world.engine.review.details(made.id);
    const again = upscaled.recipe.extras?.buttons[0];
    const next = again && pressed(upscaled.take, again);
    if (!next) throw new Error('it cannot be pressed');
    await world.engine.review.another(next);
    await world.settle();
    expect(world.job('0001', 3)).toMatchObject({ state: 'saved', from: [{ how: 'action', takeId: made.id }] });
    expect(world.posts()[2]?.body).toMatchObject({ taskId: upscaled.recipe.taskId });
    expect(paid()).toEqual([3, 3]);
  });

  it('costs nothing when a press is undone before it is sent', async () => {
    await world.run([imagine]);
    const wanted = pressed(details().take, button('V2'));
    if (!wanted) throw new Error('it cannot be pressed');
    const { id } = await world.engine.review.another(wanted);
    expect(world.engine.jobs.withdraw(id)).toMatchObject({ ok: true });
    await world.settle();
    expect(paid()).toEqual([1, 1]);
  });

  const pressing = (n: number, button: string) =>
    shot(n, {
      ...{ kind: 'image', model: 'image-demo', prompt: '' },
      params: { operation: 'action', action_task: 'Shot://0001', button },
    });

  it('are pressed from another row by their label, and a label that the take does not have costs nothing', async () => {
    await world.run([imagine, pressing(2, ' u1 '), pressing(3, 'U9')]);
    expect(world.job('0002')).toMatchObject({ state: 'saved', from: [{ takeId: world.job('0001').id }] });
    expect(world.posts()[1]?.body).toMatchObject({
      customId: button('U1').customId,
      taskId: world.job('0001').taskId,
    });
    const { state, failure } = world.job('0003');
    expect([state, failure?.code, failure?.cost]).toEqual(['rejected', 'no_such_button', 'nothing']);
    expect(failure?.message).saying(/U9 \(button\)/);
    expect(failure?.remedy).saying(/U1, U2/);
    expect(paid()).toEqual([2, 2]);
  });
});
