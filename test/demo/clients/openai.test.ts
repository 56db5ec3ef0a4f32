import OpenAI, { APIError, toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { serviceForClients } from './service.ts';

const service = serviceForClients();
/** Reference, "Authentication": its base address is that of the service with /v1. */
const client = (apiKey = service.current.apiKey) =>
  new OpenAI({ baseURL: `${service.current.url}/v1`, apiKey, maxRetries: 0 });

const model = 'chat-demo';
const messages = [
  { role: 'system', content: 'Plain words.' },
  { role: 'user', content: 'A lighthouse at dawn' },
] as const;
const aPicture = () => toFile(Buffer.from('a picture'), 'day.png', { type: 'image/png' });

describe('the client library of OpenAI', () => {
  it('lists the models', async () => {
    const ids = (await client().models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['vgen-2.0-cl', 'vgen-2.0-nt-mini', 'chat-demo', 'image-demo', 'music-demo']),
    );
  });

  it('completes a chat, in other words each time', async () => {
    const [first, again] = await Promise.all(
      [1, 2].map(() => client().chat.completions.create({ model, messages: [...messages] })),
    );
    expect(first?.choices[0]?.message.content).toContain('“A lighthouse at dawn”');
    expect(again?.choices[0]?.message.content).not.toBe(first?.choices[0]?.message.content);
    expect(first?.usage?.total_tokens).toBeGreaterThan(10);
  });

  it('is given JSON, several choices, and no more than it asked for', async () => {
    const asJson = await client().chat.completions.create({
      model,
      messages: [...messages],
      response_format: { type: 'json_object' },
      n: 2,
    });
    expect(asJson.choices.map(({ message }) => JSON.parse(message.content ?? '') as unknown)).toEqual(
      [1, 2].map(() => ({ title: 'A lighthouse at dawn', lines: expect.any(Array) as unknown })),
    );
    const short = await client().chat.completions.create({ model, messages: [...messages], max_completion_tokens: 3 });
    expect(short.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '# A lighthouse ' } });
  });

  it('has a response', async () => {
    const response = await client().responses.create({ model, instructions: 'Plain words.', input: 'A lighthouse' });
    expect(response.output_text).toContain('“A lighthouse”');
    expect(response).toMatchObject({ status: 'completed', error: null });
  });

  it('makes, edits and varies pictures', async () => {
    const images = [
      await client().images.generate({ model: 'image-demo', prompt: 'A kite', n: 2 }),
      await client().images.edit({ model: 'image-demo', prompt: 'Make it night', image: await aPicture() }),
      await client().images.createVariation({ model: 'image-demo', image: await aPicture() }),
    ];
    expect(images.map(({ data }) => data?.length)).toEqual([2, 1, 1]);
    const picture = await fetch(images[0]?.data?.[0]?.url ?? '');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    const inside = await client().images.generate({
      model: 'image-demo',
      prompt: 'A kite',
      response_format: 'b64_json',
    });
    expect(
      Buffer.from(inside.data?.[0]?.b64_json ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('has embeddings, near for texts that are alike', async () => {
    const input = ['A lighthouse at dawn', 'Dawn over two lighthouses', 'Recording a cello'];
    const { data } = await client().embeddings.create({ model: 'embed-demo', input });
    const [first = [], alike = [], other = []] = data.map(({ embedding }) => embedding);
    const near = (a: number[], b: number[]): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    expect(first).toHaveLength(256);
    expect(near(first, first)).toBeCloseTo(1, 5);
    expect(near(first, alike)).toBeGreaterThan(near(first, other) + 0.3);
    const floats = await client().embeddings.create({ model: 'embed-demo', input, encoding_format: 'float' });
    expect(floats.data[0]?.embedding[0]).toBeCloseTo(first[0] ?? NaN, 5);
    const short = await client().embeddings.create({ model: 'embed-demo', input: 'A lighthouse', dimensions: 8 });
    expect(short.data[0]?.embedding).toHaveLength(8);
  });

  it('reads an error as its own', async () => {
    const refused = async (work: Promise<unknown>) => {
      const error: unknown = await work.catch((reason: unknown) => reason);
      if (!(error instanceof APIError)) throw new Error('the service did not refuse');
      return { status: error.status as unknown, code: error.code };
    };
    const ask = (more: object, key?: string) =>
      client(key).chat.completions.create({ model, messages: [...messages], ...more });
    expect(await refused(ask({}, 'wrong'))).toEqual({ status: 401, code: 'invalid_api_key' });
    expect(await refused(ask({ model: 'none' }))).toEqual({ status: 404, code: 'model_not_found' });
    expect(await refused(ask({ model: 'image-demo' }))).toEqual({ status: 400, code: 'model_not_supported' });
    expect(await refused(ask({ messages: [] }))).toEqual({ status: 400, code: 'invalid_field' });
    expect(await refused(ask({ messages: undefined }))).toEqual({ status: 400, code: 'missing_field' });
  });
});
