import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  aPicture,
  badAnswersOf,
  type BillablePost,
  billablePosts,
  PICTURE_NAME,
} from '../../support/billable-posts.ts';
import { isNightly } from '../../support/chance.ts';
import { forEachTest, World } from '../../support/world.ts';
import { encodeMovie } from '../../../src/demo/media/movie.ts';
import { shot } from '../db/seed.ts';

const HOUR = 3_600_000;

let world: World;
forEachTest((opened) => (world = opened));

async function openFor({ settings, before }: BillablePost): Promise<void> {
  world = await World.open({ settings: { submitTimeoutSeconds: 60, answerTimeoutSeconds: 60, ...settings } });
  writeFileSync(join(world.folder, PICTURE_NAME), aPicture);
  before?.(world.service);
}

/** Uploads are not billed. */
const UPLOADS = '/v1/assets/uploads';
const billable = { method: 'POST', path: /^(?!\/v1\/assets\/uploads$)/, times: 'always' } as const;
const posts = () => world.posts().filter(({ path }) => path !== UPLOADS);

/** Every post with each ninth misfortune, and every misfortune with each ninth post; all of them in the nightly run. */
const isDueNow = (post: BillablePost, index: number): boolean =>
  isNightly || (index + billablePosts.indexOf(post)) % 9 === 0;

describe.each(billablePosts)('the POST of $name', (post) => {
  it('is sent once, and its result is saved', async () => {
    await openFor(post);
    await world.run([post.shot]);
    expect(world.job('0001').state).toBe('saved');
    expect([posts().length, world.service.ledger.commits]).toEqual([1, 1]);
  });

  it('is refused for nothing, and never sent again by itself', async () => {
    await openFor(post);
    world.fault(billable, { fault: 'status', status: 400 });
    await world.run([post.shot]);
    await world.restart();
    await world.pass(30 * HOUR);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect([posts().length, world.service.ledger.commits]).toEqual([1, 0]);
  });

  it.each(badAnswersOf(post).filter((_, index) => isDueNow(post, index)))(
    'is never sent again by itself when it $what',
    async ({ fault, charged }) => {
      await openFor(post);
      world.fault(billable, fault);
      await world.run([post.shot]);
      const isFound = post.isListed === true && charged === 1;
      if (isFound) expect(world.job('0001').state).toBe('saved');
      else expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { cost: 'maybe' } });
      await world.restart();
      await world.settle();
      await world.pass(30 * HOUR);
      expect(world.job('0001').state).toBe(isFound ? 'saved' : 'submit_unknown');
      expect([posts().length, world.service.ledger.commits]).toEqual([1, charged]);
    },
  );
});

const picture = aPicture.toString('base64');
const aMovie = await encodeMovie({ width: 16, height: 16, framesPerSecond: 12, count: 2, paint: () => undefined });
const aVoice = readFileSync('resources/demo/voice-1.mp3');

let videos = 0;

/** What @copilotkit/aimock 1.43.0 (MIT) answers, byte for byte but for addresses and media: it has no asynchronous entry. */
const answers: Readonly<Record<string, (media: string) => string | Buffer>> = {
  'POST /v1/images/generations': (media) =>
    `{"created":1795545165,"data":[{"b64_json":"${picture}"},{"url":"${media}/boats.png"}]}`,
  'POST /v1/images/edits': () => `{"created":1795545165,"data":[{"b64_json":"${picture}"}]}`,
  'POST /v1/videos': (media) => {
    videos += 1;
    return `{"id":"video-${String(videos)}","status":"completed","url":"${media}/wave.mp4","created_at":1795545166}`;
  },
  'GET /v1/videos/video-1': (media) =>
    `{"id":"video-1","status":"completed","created_at":1795545166,"url":"${media}/wave.mp4"}`,
  'GET /v1/videos/video-2': (media) =>
    `{"id":"video-2","status":"completed","created_at":1795545166,"url":"${media}/wave.mp4"}`,
  'POST /v1/chat/completions': () =>
    '{"id":"chatcmpl-VTN1GjjZcfOGB_KE","object":"chat.completion","created":1795545166,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"INT. HARBOUR - NIGHT","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":4,"completion_tokens":5,"total_tokens":9}}',
  'POST /v1/responses': () =>
    '{"id":"resp-Nb3kZc-zjJfieEw0","object":"response","created_at":1795545167,"model":"gpt-4o","status":"completed","output":[{"type":"message","id":"msg-tQkrCi5cM4xWDck9","status":"completed","role":"assistant","content":[{"type":"output_text","text":"INT. HARBOUR - NIGHT","annotations":[]}]}],"usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0}}',
  'POST /v1/messages': () =>
    '{"id":"msg_-0jK5uw6gbSOyAJS","type":"message","role":"assistant","content":[{"type":"text","text":"INT. HARBOUR - NIGHT"}],"model":"claude-3-5-sonnet-20241022","stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}',
  'POST /v1beta/models/gemini-2.0-flash:generateContent': () =>
    '{"candidates":[{"content":{"role":"model","parts":[{"text":"INT. HARBOUR - NIGHT"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0,"totalTokenCount":0}}',
  'POST /v1/audio/speech': () => aVoice,
  'GET /boats.png': () => aPicture,
  'GET /wave.mp4': () => aMovie,
};
const NOT_FOUND = '{"error":{"message":"Not found","type":"not_found"}}';
const types: Readonly<Record<string, string>> = { png: 'image/png', mp4: 'video/mp4', speech: 'audio/mpeg' };

/** Plays the answers; `heard` has every request. */
async function playAnswers() {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const asked = `${request.method ?? ''} ${request.url ?? ''}`;
    heard.push(asked);
    request.resume().on('end', () => {
      const answer = answers[asked]?.(url);
      const type = types[/(?:\.|\/)(\w+)$/.exec(asked)?.[1] ?? ''] ?? 'application/json';
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': type }).end(answer ?? NOT_FOUND);
    });
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url, heard };
}

it('saves every row of a service without asynchronous images, at default settings', async () => {
  const { url, heard } = await playAnswers();
  writeFileSync(join(world.folder, PICTURE_NAME), aPicture);
  const image = { kind: 'image', model: 'gpt-image-1' } as const;
  const text = (index: number, route: string, model = 'gpt-4o') =>
    shot(index, { kind: 'text', model, params: { route } });
  const speech = { kind: 'speech', model: 'tts-1', params: { voice: 'alloy' } } as const;
  const rows = [
    ...[1, 2, 3].map((index) => shot(index, { ...image, params: { n: 2 } })),
    shot(4, { ...image, params: { operation: 'edit', image: PICTURE_NAME } }),
    ...[5, 6].map((index) => shot(index, { model: 'sora-2', params: {} })),
    ...[7, 8].map((index) => text(index, 'chat')),
    text(9, 'responses'),
    text(10, 'messages', 'claude-3-5-sonnet-20241022'),
    text(11, 'generate_content', 'gemini-2.0-flash'),
    ...[12, 13].map((index) => shot(index, speech)),
  ];
  await world.start({ baseUrl: url });
  await world.run(rows);
  expect(world.jobs().map(({ shot: key, state }) => `${key} ${state}`)).toEqual(rows.map(({ key }) => `${key} saved`));
  // Each of those may be asked by all rows that are sent at once.
  const posts = heard.filter((asked) => asked.startsWith('POST') && !asked.endsWith('/async'));
  expect(posts).toHaveLength(rows.length);
});
