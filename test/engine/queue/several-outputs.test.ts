import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../support/demo/service.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const pictures = (n: number) => shot(1, { kind: 'image', model: 'image-demo', params: { n } });
const saved = () => readdirSync(world.projectPath, { recursive: true }).filter((name) => String(name).endsWith('.png'));
const asked = (output: number) =>
  world.service.ledger.downloads().filter(({ path }) => path.endsWith(`/${String(output)}.png`)).length;
const media = (output: number) => ({ path: `/media/*/${String(output)}.png` });

/** What the service holds as one output, by its own account. */
async function held(output: number): Promise<Buffer> {
  world.service.faults.clear();
  const task = world.service.tasks.list()[0];
  const headers = { authorization: `Bearer ${world.service.apiKey}` };
  const answer = await fetch(`${world.service.url}/v1/images/tasks/${task?.id ?? ''}`, { headers });
  const { output: list } = (await answer.json()) as { output: { url: string }[] };
  return Buffer.from(await (await fetch(list[output - 1]?.url ?? '')).arrayBuffer());
}

async function expectRightFiles(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const file = readFileSync(join(world.projectPath, 'Day 1', `0001_t1_${String(number)}.png`));
    expect(file.equals(await held(number)), `file ${String(number)}`).toBe(true);
  }
}

describe('a take of several files', () => {
  it('asks for every file though the first one fails, and shows the good ones at once', async () => {
    const down = world.fault({ ...media(1), times: 'always' }, { fault: 'status', status: 503 });
    await world.begin([pictures(3)]);
    await world.until('two files are there', () => saved().length === 2);
    await world.pass(10 * 60_000);
    expect(world.job('0001')).toMatchObject({
      standing: 'unfinished',
      files: ['Day 1/0001_t1_2.png', 'Day 1/0001_t1_3.png'],
    });
    expect([asked(2), asked(3)]).toEqual([1, 1]);
    const projectId = world.job('0001').projectId;
    const { takes } = await world.engine.review.list(
      { projectId, standing: 'saved', sort: 'list' },
      { start: 0, count: 9 },
    );
    expect(takes.map(({ outputs }) => outputs.map(({ number }) => number))).toEqual([[2, 3]]);

    world.service.faults.remove(down);
    await world.comesTo({ '0001': 'saved' });
    await expectRightFiles(3);
    expect(world.posts()).toHaveLength(1);
  });

  it('says that two of three are saved when one is lost, and asks for it again free of charge', async () => {
    const gone = world.fault({ ...media(2), times: 'always' }, { fault: 'html' });
    expect(await world.run([pictures(3)])).toEqual({ is: 'over' });
    const { id, state, failure, files } = world.job('0001');
    expect({ state, files }).toEqual({
      state: 'download_blocked',
      files: ['Day 1/0001_t1_1.png', 'Day 1/0001_t1_3.png'],
    });
    expect(failure?.message).saying(/^2 of 3 outputs saved\. File 2 of 3 was not downloaded/);
    expect(failure?.remedy).saying(/downloading it again is free/);

    world.service.faults.remove(gone);
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: true });
    await world.comesTo({ '0001': 'saved' });
    await expectRightFiles(3);
    expect([asked(1), asked(3)]).toEqual([2, 2]);
    expect(world.posts()).toHaveLength(1);
  });

  it.each([
    { what: 'in another order', order: [3, 1, 2] },
    { what: 'without one that is here', order: [3, 2] },
  ])('keeps each file at its place when its addresses are named again $what', async ({ order }) => {
    world.fault(media(2), { fault: 'expired' });
    world.fault(media(3), { fault: 'status', status: 503 });
    await world.begin([pictures(3)]);
    await world.until('the first file is there', () => saved().length === 1);
    world.fault({ method: 'GET', path: '/v1/*', times: 'always' }, { fault: 'results', order });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
    expect(saved()).toHaveLength(3);
    await expectRightFiles(3);
    expect(world.posts()).toHaveLength(1);
  });

  it('saves no picture twice and loses none when new addresses tell nothing of their order', async () => {
    world.fault(media(2), { fault: 'expired' });
    await world.begin([pictures(2)]);
    await world.until('the first file is there', () => saved().length === 1);
    const moved: Fault = { fault: 'results', order: [2, 1], moved: true };
    world.fault({ method: 'GET', path: '/v1/*', times: 'always' }, moved);
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
    expect(saved()).toHaveLength(2);
    const numbers = world.service.ledger.downloads().map(({ path }) => /\/(\d)\.png/.exec(path)?.[1]);
    // The second one in vain, without the key and with it; then the first one under its address, and at last itself.
    expect(numbers).toEqual(['1', '2', '2', '1', '2']);
    await expectRightFiles(2);
  });

  it('fetches just the missing file after its project was opened in another data folder', async () => {
    const gone = world.fault({ ...media(2), times: 'always' }, { fault: 'html' });
    await world.run([pictures(3)]);
    await world.stop();
    world.service.faults.remove(gone);
    await world.openOn('other');
    await world.comesTo({ '0001': 'saved' });
    expect([asked(1), asked(3)]).toEqual([1, 1]);
    expect(saved()).toHaveLength(3);
    await expectRightFiles(3);
    expect(world.posts()).toHaveLength(1);
  });
});
