import { describe, expect, it } from 'vitest';
import { startBench, type Bench, type Reply } from './support.ts';

const ask = { role: 'user', content: 'A lighthouse' };
const CHAT = { model: 'chat-demo', messages: [ask] };
const content = (model: string) => `/v1beta/models/${model}:generateContent`;
const part = { text: 'A lighthouse' };

/** What is asked for takes its time; a synchronous call is answered when that is over. */
async function answered(bench: Bench, path: string, body: unknown): Promise<Reply> {
  const reply = bench.post(path, body);
  while (bench.clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
  bench.letEverythingFinish();
  return reply;
}

const said = ({ json }: Reply): unknown => (json.choices as { message: object }[])[0]?.message;

describe('a request for a text', () => {
  it.each<[string, string, unknown, string]>([
    ['chat without messages', '/v1/chat/completions', { model: 'chat-demo' }, 'missing_field'],
    [
      'chat with a strange role',
      '/v1/chat/completions',
      { ...CHAT, messages: [{ ...ask, role: 'x' }] },
      'invalid_field',
    ],
    [
      'chat with nothing asked',
      '/v1/chat/completions',
      { ...CHAT, messages: [{ ...ask, content: '' }] },
      'missing_prompt',
    ],
    ['chat with an image model', '/v1/chat/completions', { ...CHAT, model: 'image-demo' }, 'model_not_supported'],
    [
      'chat with a model of embeddings',
      '/v1/chat/completions',
      { ...CHAT, model: 'embed-demo' },
      'model_not_supported',
    ],
    ['chat without a model', '/v1/chat/completions', { messages: [ask] }, 'missing_model'],
    ['chat as a stream', '/v1/chat/completions', { ...CHAT, stream: true }, 'invalid_field'],
    ['a response as a stream', '/v1/responses', { model: 'chat-demo', input: 'x', stream: true }, 'invalid_field'],
    ['a message as a stream', '/v1/messages', { ...CHAT, max_tokens: 5, stream: true }, 'invalid_field'],
    [
      'generateContent as a stream',
      '/v1beta/models/chat-demo:streamGenerateContent',
      { contents: [{ parts: [part] }] },
      'unknown_operation',
    ],
    ['a response without input', '/v1/responses', { model: 'chat-demo' }, 'missing_field'],
    ['a message without a limit', '/v1/messages', { ...CHAT }, 'missing_field'],
    [
      'a message of the system',
      '/v1/messages',
      { ...CHAT, max_tokens: 5, messages: [{ ...ask, role: 'system' }] },
      'invalid_field',
    ],
    ['generateContent without contents', content('chat-demo'), {}, 'missing_field'],
    ['generateContent without parts', content('chat-demo'), { contents: [{ role: 'user' }] }, 'missing_field'],
    [
      'generateContent with a strange part',
      content('chat-demo'),
      { contents: [{ parts: [{ words: 'x' }] }] },
      'invalid_field',
    ],
    [
      'generateContent with a strange field',
      content('chat-demo'),
      { contents: [{ parts: [part] }], top: 1 },
      'unknown_field',
    ],
    [
      'generateContent with a video model',
      content('vgen-2.0-cl'),
      { contents: [{ parts: [part] }] },
      'model_not_supported',
    ],
    [
      'another operation',
      '/v1beta/models/chat-demo:countTokens',
      { contents: [{ parts: [part] }] },
      'unknown_operation',
    ],
    [
      'generateContent with an asset that is not there',
      content('image-demo'),
      { contents: [{ parts: [part, { fileData: { fileUri: 'Asset://none' } }] }] },
      'asset_not_found',
    ],
    [
      'messages for a picture without words',
      '/v1/images/generations/async',
      { model: 'image-demo', input: { messages: [{ role: 'assistant', content: 'x' }] } },
      'missing_prompt',
    ],
    [
      'messages for a picture beside a prompt',
      '/v1/images/generations/async',
      { model: 'image-demo', input: { messages: [ask] }, prompt: 'x' },
      'unknown_field',
    ],
    [
      'messages for a picture of an asset that is not there',
      '/v1/images/generations/async',
      {
        model: 'image-demo',
        input: { messages: [{ role: 'user', content: [part, { image_url: { url: 'Asset://none' } }] }] },
      },
      'asset_not_found',
    ],
  ])('is refused at no charge: %s', async (_what, path, body, code) => {
    const bench = await startBench();
    expect(await bench.post(path, body)).toMatchObject({ code });
    expect(bench.service.ledger.commits).toBe(0);
  });

  it('is billed once it is accepted, and answered when it is made', async () => {
    const bench = await startBench();
    const first = await answered(bench, '/v1/chat/completions', CHAT);
    const again = await answered(bench, '/v1/chat/completions', CHAT);
    const other = await answered(bench, '/v1/chat/completions', { ...CHAT, messages: [{ ...ask, content: 'A ship' }] });
    expect(said(again)).not.toEqual(said(first));
    expect(said(other)).not.toEqual(said(first));
    expect(bench.service.ledger.commits).toBe(3);
  });

  it('has the same text in every run, and another one when it is asked for again', async () => {
    const run = async (): Promise<unknown[]> => {
      const bench = await startBench();
      const first = await answered(bench, '/v1/chat/completions', CHAT);
      return [first, await answered(bench, '/v1/chat/completions', CHAT)].map(said);
    };
    const [first, again] = await run();
    expect(again).not.toEqual(first);
    expect(await run()).toEqual([first, again]);
  });

  it('that fails is told as an error, and is struck by faults for its words', async () => {
    const bench = await startBench();
    bench.service.faults.add({
      match: { kind: 'text', prompt: 'lighthouse' },
      do: { fault: 'outcome', end: 'failed' },
    });
    expect(await answered(bench, '/v1/chat/completions', CHAT)).toMatchObject({
      status: 400,
      code: 'content_rejected',
    });
    bench.service.faults.add({ match: { model: 'chat-demo' }, do: { fault: 'rate-limit' } });
    expect(await bench.post(content('chat-demo'), { contents: [{ parts: [part] }] })).toMatchObject({ status: 429 });
  });
});
