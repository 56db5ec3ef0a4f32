import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { Fault } from '../../support/demo/service.ts';
import { aPicture } from '../../support/billable-posts.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const ROUTES = [
  ['chat', '/v1/chat/completions'],
  ['generate_content', '/v1beta/models/chat-demo:generateContent'],
  ['responses', '/v1/responses'],
  ['messages', '/v1/messages'],
] as const;

let world: World;
forEachTest((opened) => (world = opened));

const text = (index: number, params: ShotSpec['params'] = {}, changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(index, { kind: 'text', model: 'chat-demo', params, ...changes });
const picture = (params: ShotSpec['params']): ShotSpec => shot(1, { kind: 'image', model: 'image-demo', params });
const batchFiles = () => readdirSync(join(world.projectPath, 'Day 1')).filter((name) => name !== 'manifest.csv');
const fileOf = (name: string) => readFileSync(join(world.projectPath, 'Day 1', name), 'utf8');
const kept = () => readdirSync(join(world.dataFolder, 'answers'));

/** The next answer of the service is these words of a model, and nothing else of it is unusual. */
const nextAnswerSays = (content: string): void => {
  const body = { id: 'chatcmpl_1', object: 'chat.completion', choices: [{ message: { role: 'assistant', content } }] };
  world.fault({ method: 'POST' }, { fault: 'status', status: 200, body, commit: true });
};

describe('a text', () => {
  it.each(ROUTES)('by the route %s is paid for once and saved as its words alone', async (route, path) => {
    await world.run([
      text(1, { route, system: 'Plain words.', max_tokens: 500 }, { extra: { 'temperature:json': '0.2' } }),
    ]);
    await world.run([
      text(1, { route, system: 'Plain words.', max_tokens: 500 }, { extra: { 'temperature:json': '0.2' } }),
    ]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.md'] });
    expect(fileOf('0001_t1.md')).toMatch(/^# Shot 1\n\n.*“Shot 1”.*\.\n$/s);
    expect(world.service.ledger.posts().map((post) => post.path)).toEqual([path]);
    expect(world.service.ledger.commits).toBe(1);
    expect(kept()).toEqual([]);
  });

  it.each(ROUTES.slice(0, 3))('that is asked for as JSON by the route %s is a .json file', async (route) => {
    await world.run([text(1, { route, output_format: 'json' })]);
    expect(batchFiles()).toEqual(['0001_t1.json']);
    expect(JSON.parse(fileOf('0001_t1.json'))).toMatchObject({ title: 'Shot 1' });
  });

  it('that reached its limit says so wherever the take is shown, by every route', async () => {
    const limited = ROUTES.map(([route], index) => text(index + 1, { route, max_tokens: 3 }));
    await world.run([...limited, text(5, { max_tokens: 500 })]);
    for (const key of ['0001', '0002', '0003', '0004']) {
      expect(world.job(key)).toMatchObject({
        state: 'saved',
        remarks: ['cut_short'],
        notice: { code: 'text_cut_short', cost: 'charged', remedy: expect.saying(/max_tokens/) as unknown },
      });
    }
    expect(world.job('0005')).not.toHaveProperty('remarks');
    const recipes = join(world.projectPath, '.dailies', 'takes');
    const isCut = readdirSync(recipes).map((name) => readFileSync(join(recipes, name), 'utf8').includes('"isCut"'));
    expect(isCut.filter(Boolean)).toHaveLength(4);
    await world.stop();
    expect(fileOf('manifest.csv').match(/cut_short/g)).toHaveLength(4);
    await world.openOn('other');
    expect(world.job('0001')).toMatchObject({ state: 'saved', remarks: ['cut_short'] });
  });

  it.each(ROUTES)('by the route %s sees the pictures of its row, a local one as an asset', async (route) => {
    writeFileSync(join(world.folder, 'day.png'), aPicture);
    await world.run([text(1, { route, image: 'day.png', references: ['https://media.example/b.png'] })]);
    expect(world.job('0001').state).toBe('saved');
    const sent = JSON.stringify(world.posts().at(-1)?.body);
    expect(sent).toMatch(/Asset:\/\/.*https:\/\/media\.example\/b\.png.*Shot 1/);
  });

  it('answers the turns of its row', async () => {
    const messages = [
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', content: 'The keeper.' },
    ];
    await world.run(ROUTES.toSpliced(1, 1).map(([route], index) => text(index + 1, { route, messages })));
    expect(world.jobs().map(({ state }) => state)).toEqual(['saved', 'saved', 'saved']);
    for (const { body } of world.service.ledger.posts()) expect(JSON.stringify(body)).toContain('The keeper.');
  });

  it('goes to the paths that the settings name', async () => {
    world = await World.open({ settings: { paths: { responses: '/v1/elsewhere' } } });
    await world.run([text(1, { route: 'responses' })]);
    expect(world.service.ledger.posts().map((post) => post.path)).toEqual(['/v1/elsewhere']);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
  });

  it('has a file for each different answer that was asked for', async () => {
    await world.run([text(1, {}, { extra: { 'n:json': '3' } })]);
    expect(batchFiles().toSorted()).toEqual(['0001_t1_1.md', '0001_t1_2.md', '0001_t1_3.md']);
  });

  it.each([
    ['a web page', '<!doctype html><html><body>Shot 1</body></html>'],
    ['an address', 'https://cdn.example/1.png'],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
    ['the beginning of a sound', 'ID3 and more'],
    ['one letter', 'x'],
    ['other scripts', '灯台 🗼\u0007'],
    ['code in a fence', '```js\nrun();\n```'],
  ])('that reads like %s is kept as it came', async (_what, content) => {
    nextAnswerSays(content);
    await world.run([text(1)]);
    expect(batchFiles()).toEqual(['0001_t1.md']);
    expect(fileOf('0001_t1.md')).toBe(content);
  });

  it('that is JSON in a code fence is saved as the JSON', async () => {
    nextAnswerSays('```json\n{"lines": ["a"]}\n```\n');
    await world.run([text(1, { output_format: 'json' })]);
    expect(batchFiles()).toEqual(['0001_t1.json']);
    expect(fileOf('0001_t1.json')).toBe('{"lines": ["a"]}');
  });
});

describe('an answer without a text that can be read', () => {
  it.each<[string, Fault]>([
    ['a form nobody knows', { fault: 'status', status: 200, body: { outcome: 'Keep the light.' }, commit: true }],
    ['nothing said', { fault: 'status', status: 200, body: { choices: [{ message: { content: '' } }] }, commit: true }],
    ['events', { fault: 'not-json', body: 'data: {"choices":[]}\n\ndata: [DONE]\n\n' }],
  ])('is kept and shown, and can be saved as it is: %s', async (_what, fault) => {
    world.fault({ method: 'POST' }, fault);
    await world.run([text(1)]);
    const { id, state, failure, keptAnswer } = world.job('0001');
    expect({ state, cost: failure?.cost }).toEqual({ state: 'submit_unknown', cost: 'maybe' });
    const raw = readFileSync(keptAnswer?.file ?? '', 'utf8');

    await world.restart();
    expect(world.engine.jobs.resolve(id, { action: 'accept' })).toMatchObject({ ok: true });
    await world.settle();
    const [saved = ''] = batchFiles();
    expect(fileOf(saved)).toBe(raw);
    expect(world.posts()).toHaveLength(1);
  });
});

describe('a process that was killed while a text came in', () => {
  /** The answer is under way when the process ends; `afterAnswers`: it came whole just before. */
  async function killed({ afterAnswers }: { afterAnswers: boolean }): Promise<void> {
    world = await World.open({ service: { speed: { textMs: 5000 } } });
    if (!afterAnswers) world.fault({ method: 'POST' }, { fault: 'stall' });
    await world.begin([text(1)]);
    await world.until('the submit', () => world.posts().length === 1);
    if (!afterAnswers) await world.until('half of the answer', () => kept().length === 1);
    await world.kill({ afterAnswers });
    await world.start();
  }

  it('finds the whole answer on disk, and pays for nothing again', async () => {
    await killed({ afterAnswers: true });
    expect(world.engine.recovery).toMatchObject({ recoveredAnswers: 1, unknownSubmits: 0 });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.md'] });
    expect(fileOf('0001_t1.md')).toContain('“Shot 1”');
    expect(world.posts()).toHaveLength(1);
  });

  it('never takes half of an answer for the text: a person decides', async () => {
    await killed({ afterAnswers: false });
    expect(world.engine.recovery).toMatchObject({ recoveredAnswers: 0, unknownSubmits: 1 });
    await world.pass(30 * 3_600_000);
    const { state, keptAnswer } = world.job('0001');
    expect(state).toBe('submit_unknown');
    expect(readFileSync(keptAnswer?.file ?? '', 'utf8')).toMatch(/^\{"id":"chatcmpl_/);
    expect(world.posts()).toHaveLength(1);
  });
});

describe('a picture by another entry', () => {
  it('comes inside the answer of generateContent, with the instructions of its row', async () => {
    await world.run([picture({ entry: 'content', system: 'Ink only.', generation_config: { candidateCount: 2 } })]);
    expect(batchFiles().toSorted()).toEqual(['0001_t1_1.png', '0001_t1_2.png']);
    const [post] = world.service.ledger.posts();
    expect(post).toMatchObject({
      path: '/v1beta/models/image-demo:generateContent',
      body: {
        contents: [{ role: 'user', parts: [{ text: 'Shot 1' }] }],
        systemInstruction: { parts: [{ text: 'Ink only.' }] },
        generationConfig: { candidateCount: 2 },
      },
    });
    expect(world.service.ledger.commits).toBe(1);
  });

  it('of the family with messages is a task like any other image', async () => {
    await world.run([picture({ entry: 'messages', size: '512x768' })]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.png'] });
    const [post] = world.service.ledger.posts();
    expect(post).toMatchObject({
      path: '/v1/images/generations/async',
      body: { input: { messages: [{ role: 'user', content: 'Shot 1' }] }, parameters: { size: '512x768' } },
    });
    expect(world.service.ledger.gets(`/v1/images/tasks/${post?.taskId ?? ''}`).length).toBeGreaterThan(0);
  });

  it.each([
    [
      'content',
      (url: string) => ({ contents: [{ parts: [{ fileData: { mimeType: 'image/png', fileUri: url } }, {}] }] }),
    ],
    ['messages', (url: string) => ({ input: { messages: [{ content: [{ image_url: { url } }, {}] }] } })],
  ])('names a local image as the asset it was uploaded as: %s', async (entry, body) => {
    writeFileSync(join(world.folder, 'day.png'), aPicture);
    await world.run([picture({ entry, image: 'day.png' })]);
    expect(world.job('0001').state).toBe('saved');
    const [asset] = world.service.assets.assets();
    const [, post] = world.service.ledger.posts();
    expect(post?.body).toMatchObject(body(`Asset://${asset?.id ?? ''}`));
  });

  it('that is not there for the account is refused: the synchronous entry has no messages', async () => {
    world = await World.open({ service: { asyncImages: false } });
    await world.run([picture({ entry: 'messages' })]);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { httpStatus: 403, cost: 'nothing' } });
    expect(world.posts()).toHaveLength(1);
  });
});
