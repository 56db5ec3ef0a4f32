import { describe, expect, it } from 'vitest';
import { aPicture } from '../support/billable-posts.ts';
import { IMAGE, startBench, type Bench } from './support.ts';

const picture = aPicture.toString('base64');
const submit = (bench: Bench, action: string, body: object) => bench.post(`/jobimg/submit/${action}`, body);
const imagine = (bench: Bench, state?: string) => submit(bench, 'imagine', { ...IMAGE, prompt: 'A harbour', state });
const task = async (bench: Bench, id: unknown) => (await bench.get(`/jobimg/task/${String(id)}/fetch`)).json;

interface Button {
  customId: string;
  label: string;
}

describe('a job-style task', () => {
  it('is listed by its state, the newest first, and under no other parameter', async () => {
    const bench = await startBench();
    const [first, second] = [await imagine(bench, 'mine'), await imagine(bench, 'other')];
    const list = async (query: string) => (await bench.get(`/jobimg/task/list-by-condition${query}`)).json;
    expect(await list('')).toMatchObject([{ id: second.json.result }, { id: first.json.result }]);
    expect(await list('?state=mine')).toMatchObject([{ id: first.json.result, state: 'mine' }]);
    expect(await list('?state=none')).toEqual([]);
    expect((await bench.get('/jobimg/task/list-by-condition?owner=me')).code).toBe('unknown_parameter');
  });

  it('has buttons once it is done, each of which makes a task of its own', async () => {
    const bench = await startBench();
    const taskId = (await imagine(bench)).json.result;
    const early = await submit(bench, 'action', { customId: `job::reroll::${String(taskId)}`, taskId });
    bench.letEverythingFinish();
    const buttons = (await task(bench, taskId)).buttons as Button[];
    expect(buttons.map(({ label }) => label)).toEqual(['U1', 'U2', 'U3', 'U4', 'V1', 'V2', 'V3', 'V4', '']);
    const { customId } = buttons[0] ?? { customId: '' };
    const pressed = await submit(bench, 'action', { customId, taskId, state: 'pressed' });
    bench.letEverythingFinish();
    const upscaled = await task(bench, pressed.json.result);
    expect(upscaled).toMatchObject({ action: 'ACTION', state: 'pressed', prompt: 'A harbour, U1' });
    expect((upscaled.buttons as Button[]).map(({ label }) => label)).toEqual(['Vary (Subtle)', 'Vary (Strong)']);
    const strange = await submit(bench, 'action', { customId: 'other', taskId });
    expect([early.code, strange.code, bench.service.ledger.commits]).toEqual([
      'invalid_custom_id',
      'invalid_custom_id',
      2,
    ]);
  });
});

it('pictures in base64 are blended into one, bare or as data URLs', async () => {
  const bench = await startBench();
  const { json } = await submit(bench, 'blend', { base64Array: [picture, `data:image/png;base64,${picture}`] });
  bench.letEverythingFinish();
  expect(await task(bench, json.result)).toMatchObject({ action: 'BLEND', status: 'SUCCESS' });
});
