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
  it('has its id in the result of the submit, gives its state back, and ends with a picture and final prompts', async () => {
    const bench = await startBench();
    const { json } = await imagine(bench, 'mine');
    expect(await task(bench, json.result)).toMatchObject({
      action: 'IMAGINE',
      status: 'SUBMITTED',
      state: 'mine',
      progress: '0%',
    });
    bench.letEverythingFinish();
    const done = await task(bench, json.result);
    expect(done).toMatchObject({
      status: 'SUCCESS',
      progress: '100%',
      imageUrls: [done.imageUrl],
      promptEn: 'A harbour',
      properties: { finalPrompt: expect.stringContaining('A harbour, ') as string },
    });
    expect((await bench.get(`/v1/images/tasks/${String(json.result)}`)).code).toBe('task_not_found');
  });

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

describe('pictures in base64', () => {
  it('are blended into one, bare or as data URLs', async () => {
    const bench = await startBench();
    const { json } = await submit(bench, 'blend', { base64Array: [picture, `data:image/png;base64,${picture}`] });
    bench.letEverythingFinish();
    expect(await task(bench, json.result)).toMatchObject({ action: 'BLEND', status: 'SUCCESS' });
  });

  it('are described in the same words each time, once the task is done', async () => {
    const bench = await startBench();
    const described = async () => {
      const { json } = await submit(bench, 'describe', { base64Array: [picture] });
      expect(await task(bench, json.result)).not.toHaveProperty('prompt');
      bench.letEverythingFinish();
      return task(bench, json.result);
    };
    const [one, two] = [await described(), await described()];
    expect(one.prompt).toMatch(/\w+/);
    expect(one.prompt).toBe(two.prompt);
    expect(one).toMatchObject({ action: 'DESCRIBE', properties: { finalPrompt: one.prompt } });
    expect(one).not.toHaveProperty('imageUrl');
  });
});

it('the description of typography is billed as a call and follows from the address', async () => {
  const bench = await startBench();
  const describeIt = () => bench.post('/typo/describe', { image_url: 'https://media.example/day.png' });
  const [one, two] = [await describeIt(), await describeIt()];
  expect(one.json).toEqual(two.json);
  expect(one.json).toMatchObject({ descriptions: [{ text: expect.stringMatching(/\w+/) as string }] });
  expect((await bench.post('/typo/describe', {})).code).toBe('invalid_image');
  expect(bench.service.ledger.commits).toBe(2);
});
