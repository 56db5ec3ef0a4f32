import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { driverFor, readAnswer } from '../../../src/engine/kinds/index.ts';
import { contextOf, findingsOf, shotOf } from './support.ts';

const full = { system: 'Plain words.', max_tokens: 300, output_format: 'json' };
const extra = { 'temperature:json': '0.2' };
const user = { role: 'user', content: 'p' };

const request = (params: ShotSpec['params'], more: Partial<ShotSpec> = {}) =>
  driverFor('text').toRequest(shotOf({ kind: 'text', params, ...more }), contextOf());

const findings = (params: ShotSpec['params'], fields: ShotSpec['extra'] = {}) =>
  findingsOf(shotOf({ kind: 'text', params, extra: fields })).map(({ severity, column }) => `${severity} ${column}`);

describe('the request of a text', () => {
  it.each<[string, string, object]>([
    [
      'chat',
      '/v1/chat/completions',
      {
        model: 'm',
        messages: [{ role: 'system', content: 'Plain words.' }, user],
        max_tokens: 300,
        response_format: { type: 'json_object' },
        temperature: 0.2,
      },
    ],
    [
      'generate_content',
      '/v1beta/models/m:generateContent',
      {
        contents: [{ role: 'user', parts: [{ text: 'p' }] }],
        systemInstruction: { parts: [{ text: 'Plain words.' }] },
        generationConfig: { maxOutputTokens: 300, responseMimeType: 'application/json', temperature: 0.2 },
      },
    ],
    [
      'responses',
      '/v1/responses',
      {
        model: 'm',
        instructions: 'Plain words.',
        input: 'p',
        max_output_tokens: 300,
        text: { format: { type: 'json_object' } },
        temperature: 0.2,
      },
    ],
    [
      'messages',
      '/v1/messages',
      { model: 'm', system: 'Plain words.', messages: [user], max_tokens: 300, temperature: 0.2 },
    ],
  ])('by the route %s has what its client library sends', (route, path, body) => {
    expect(request({ ...full, route }, { extra })).toMatchObject({
      path,
      answers: 'json',
      encoding: 'json',
      files: [],
    });
    expect(request({ ...full, route }, { extra }).body).toEqual(body);
  });

  it('goes to chat with the prompt alone where the row says nothing more', () => {
    expect(request({})).toMatchObject({ path: '/v1/chat/completions', body: { model: 'm', messages: [user] } });
    expect(Object.keys(request({}).body)).toEqual(['model', 'messages']);
  });

  const seen = { assets: new Map([['day.png', 'Asset://a1']]) };
  const withPictures = (route: string, more: ShotSpec['params'] = {}, prompt = 'p') =>
    driverFor('text').toRequest(
      shotOf({
        kind: 'text',
        prompt,
        params: { route, image: 'day.png', references: ['https://a.example/b.webp', 'Asset://a2'], ...more },
      }),
      contextOf(seen),
    ).body;
  const urls = ['Asset://a1', 'https://a.example/b.webp', 'Asset://a2'];

  it('shows pictures by their addresses and assets, in the form of its route', () => {
    const content = (body: object) => (body as { content: unknown }[])[0]?.content;
    expect(content(withPictures('chat').messages as object)).toEqual([
      ...urls.map((url) => ({ type: 'image_url', image_url: { url } })),
      { type: 'text', text: 'p' },
    ]);
    expect(content(withPictures('responses').input as object)).toEqual([
      ...urls.map((url) => ({ type: 'input_image', image_url: url })),
      { type: 'input_text', text: 'p' },
    ]);
    expect(content(withPictures('messages').messages as object)).toEqual([
      ...urls.map((url) => ({ type: 'image', source: { type: 'url', url } })),
      { type: 'text', text: 'p' },
    ]);
    expect(withPictures('generate_content').contents).toEqual([
      {
        role: 'user',
        parts: [
          { fileData: { mimeType: 'image/png', fileUri: 'Asset://a1' } },
          { fileData: { mimeType: 'image/webp', fileUri: 'https://a.example/b.webp' } },
          { fileData: { fileUri: 'Asset://a2' } },
          { text: 'p' },
        ],
      },
    ]);
  });

  const turns = [
    { role: 'user', content: 'Who are you?' },
    { role: 'assistant', content: 'The keeper.' },
  ];

  it('has the turns of its row before the prompt, and alone where there is none', () => {
    const messages = (params: ShotSpec['params'], prompt = 'p') =>
      driverFor('text').toRequest(shotOf({ kind: 'text', prompt, params }), contextOf()).body;
    expect(messages({ messages: turns }).messages).toEqual([...turns, user]);
    expect(messages({ messages: turns, system: 'Plain words.' }, '').messages).toEqual([
      { role: 'system', content: 'Plain words.' },
      ...turns,
    ]);
    expect(messages({ messages: turns, route: 'responses' }).input).toEqual([...turns, user]);
    expect(messages({ messages: turns, route: 'messages' }, '').messages).toEqual(turns);
    expect(withPictures('chat', { messages: turns, references: [] }, '').messages).toEqual([
      ...turns,
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'Asset://a1' } }] },
    ]);
    expect(findings({ messages: turns, route: 'generate_content' })).toEqual(['error messages']);
  });

  it('names a limit on the route that demands one', () => {
    expect(request({ route: 'messages' }).body).toEqual({ model: 'm', messages: [user], max_tokens: 4096 });
  });

  it('never leaves the path of its model', () => {
    expect(request({ route: 'generate_content' }, { model: '../v1/tasks?a#b' }).path).toBe(
      '/v1beta/models/..%2Fv1%2Ftasks%3Fa%23b:generateContent',
    );
  });
});

it.each([
  [{}, { messages: 'x' }, ['error param.messages']],
  [{}, { 'messages:json': '[]' }, ['error param.messages:json']],
  [{}, { 'stream:json': 'true' }, ['error param.stream:json']],
  [{ output_format: 'json' }, { 'response_format:json': '{}' }, ['error param.response_format:json']],
  [{ route: 'generate_content', max_tokens: 5 }, { maxOutputTokens: '6' }, ['error param.maxOutputTokens']],
  [{ route: 'messages', output_format: 'json' }, {}, ['warning output_format']],
  [{ route: 'responses' }, { 'temperature:json': '1' }, []],
])('the list with texts is told what cannot be sent: %j with %j', (params, fields, expected) => {
  expect(findings(params, fields)).toEqual(expected);
});

const textsOf = (answer: unknown): string[] =>
  readAnswer({ kind: 'text', params: {} }, Buffer.from(JSON.stringify(answer))).map((part) =>
    'content' in part ? part.content().toString() : `address ${part.url}`,
  );

describe('the text of an answer', () => {
  it.each<[string, unknown, string[]]>([
    ['chat', { choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }] }, ['a', 'b']],
    ['chat in parts', { choices: [{ message: { content: [{ type: 'text', text: 'a' }, { text: 'b' }] } }] }, ['ab']],
    [
      'chat that says the same twice',
      { choices: [{ message: { content: 'a' } }, { message: { content: 'a' } }] },
      ['a'],
    ],
    [
      'generateContent',
      { candidates: [{ content: { parts: [{ text: 'hm', thought: true }, { text: 'a' }, { text: 'b' }] } }] },
      ['ab'],
    ],
    [
      'responses',
      {
        output: [
          { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] },
          {
            type: 'message',
            content: [
              { type: 'output_text', text: 'a' },
              { type: 'refusal', refusal: 'b' },
            ],
          },
        ],
      },
      ['a'],
    ],
    [
      'messages',
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'a' },
        ],
      },
      ['a'],
    ],
    ['data.choices', { code: 'success', data: { choices: [{ message: { content: 'a' } }] } }, ['a']],
    ['data as the text', { code: 'success', data: 'a' }, ['a']],
    ['data as a list of texts', { data: ['a', 'b'] }, ['a', 'b']],
    ['output.text', { output: { text: 'a' }, usage: {} }, ['a']],
    ['result.data.message', { result: { data: { message: { role: 'assistant', content: 'a' } } } }, ['a']],
    ['the address of the text', { url: 'https://a.example/1.md' }, ['address https://a.example/1.md']],
    ['an address as the text', { choices: [{ message: { content: 'https://a.example/1' } }] }, ['https://a.example/1']],
  ])('is read from %s', (_what, answer, texts) => {
    expect(textsOf(answer)).toEqual(texts);
  });

  it.each<[string, unknown]>([
    ['a refusal', { choices: [{ message: { content: null, refusal: 'No.' } }] }],
    ['blanks', { choices: [{ message: { content: ' \n' } }] }],
    ['a message to the user', { code: 'success', message: 'a' }],
    ['a list', ['a']],
    ['null', null],
    ['a message of the user', { role: 'user', content: 'a' }],
  ])('is not found in %s', (_what, answer) => {
    expect(textsOf(answer)).toEqual([]);
  });
});
