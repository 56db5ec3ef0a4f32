import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../src/engine/api/client.ts';
import { ServiceError } from '../../../src/engine/api/errors.ts';
import { images, tasks, videos } from '../../../src/engine/api/resources/requests.ts';
import { answer, bench, deadAddress, hang, KEY, reset, taskPath, type Script } from './support.ts';
import { folderOfSuite } from '../../support/folders.ts';
import { asMedium } from '../library/media.ts';

const folder = folderOfSuite();
let picture: { field: string; path: string }[];
beforeAll(async () => {
  picture = [{ field: 'image', path: join(folder, 'a.png') }];
  await writeFile(join(folder, 'a.png'), asMedium('a.png', 'a'));
});

describe('the resources', () => {
  it.each<[string, (client: ServiceClient) => Promise<unknown>, string]>([
    ['videos.create', (c) => c.submit(videos.create({})), 'POST /v1/videos'],
    [
      'videos.createCompatible',
      (c) => c.submit(videos.createCompatible({})),
      'POST /api/v3/contents/generations/tasks',
    ],
    ['videos.path', (c) => c.poll(taskPath('video', 'a/b')), 'GET /v1/videos/a%2Fb'],
    ['images.generate', (c) => c.submit(images.generate({})), 'POST /v1/images/generations'],
    ['images.generateAsync', (c) => c.submit(images.generateAsync({})), 'POST /v1/images/generations/async'],
    ['images.edit', (c) => c.submit(images.edit({}, picture)), 'POST /v1/images/edits'],
    ['images.editAsync', (c) => c.submit(images.editAsync({}, picture)), 'POST /v1/images/edits/async'],
    ['images.vary', (c) => c.submit(images.vary({}, picture)), 'POST /v1/images/variations'],
    ['images.path', (c) => c.poll(taskPath('image', 't?')), 'GET /v1/images/tasks/t%3F'],
    ['tasks.create', (c) => c.submit(tasks.create({})), 'POST /v1/tasks'],
    ['tasks.path', (c) => c.poll(tasks.path('t')), 'GET /v1/tasks/t'],
    ['models.list', (c) => c.models.list(), 'GET /v1/models'],
  ])('%s is the call of the reference', async (_name, call, expected) => {
    await using at = await bench(answer(200, { id: 't', status: 'pending', data: [] }));
    await call(at.client);
    expect(at.server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([expected]);
  });

  it('tells synchronous image calls from those that make a task', async () => {
    await using at = await bench(answer(200, { id: 't' }));
    const { generate, generateAsync, edit, editAsync, vary } = images;
    const requests = [generate({}), generateAsync({}), edit({}, picture), editAsync({}, picture), vary({}, picture)];
    const outcomes = await Promise.all(requests.map((request) => at.client.submit(request)));
    expect(outcomes.map((outcome) => outcome.type)).toEqual([
      'answered',
      'accepted',
      'answered',
      'accepted',
      'answered',
    ]);
  });

  it('are below the prefix of the address, however it is typed', async () => {
    await using at = await bench(answer(200, { data: [] }));
    for (const suffix of ['/gate', '/gate//', '/gate/v1', '/gate/v1/']) {
      await using client = await bench(hang, { baseUrl: ` ${at.server.url}${suffix}` });
      await client.client.models.list();
      expect(client.client.origin).toBe(`${at.server.url}/gate`);
    }
    expect(new Set(at.server.requests.map((request) => request.path))).toEqual(new Set(['/gate/v1/models']));
  });
});

describe('models.list', () => {
  const models = [
    { id: 'vgen-2.0-cl', object: 'model', owned_by: 'vgen' },
    { id: 'other', owned_by: null },
  ];

  it.each<[string, unknown]>([
    ['data', { object: 'list', data: models }],
    ['models', { models }],
    ['nothing', models],
  ])('reads a list wrapped in %s', async (_wrapper, body) => {
    await using at = await bench(answer(200, body));
    expect(await at.client.models.list()).toEqual([{ id: 'vgen-2.0-cl', ownedBy: 'vgen' }, { id: 'other' }]);
  });

  it('keeps what the service says of a model beside its id', async () => {
    const body = { data: [{ id: 'vgen-2.0-cl', capabilities: { resolutions: ['480p', '720p'] }, price: 3 }] };
    await using at = await bench(answer(200, body));
    expect(await at.client.models.list()).toEqual([{ id: 'vgen-2.0-cl', listed: { resolution: ['480p', '720p'] } }]);
  });

  it.each<[number, string, number]>([
    [400, 'BadRequestError', 1],
    [401, 'AuthenticationError', 1],
    [403, 'PermissionDeniedError', 1],
    [404, 'NotFoundError', 1],
    [302, 'UnexpectedAnswerError', 1],
    [500, 'ServiceFaultError', 3],
    [503, 'ServiceFaultError', 3],
  ])('throws for %i a %s, after %i requests', async (status, name, requests) => {
    await using at = await bench(
      answer(status, { error: { message: `No, ${KEY}`, code: 'nope' }, trace_id: 'trace_1' }),
    );
    const listed = at.client.models.list().catch((error: unknown) => error);
    for (let n = 1; n < requests; n += 1) {
      await at.server.seen(n);
      await at.clock.whenSleepingFor(500 * 2 ** (n - 1));
      at.clock.advance(60_000);
    }
    const error = await listed;
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ name, httpStatus: status, code: 'nope', message: 'No, [key]' });
    expect((error as ServiceError).remedy).not.toBe('');
    expect((error as ServiceError).problem).toEqual({
      httpStatus: status,
      code: 'nope',
      message: 'No, [key]',
      traceId: 'trace_1',
    });
    expect(at.server.requests).toHaveLength(requests);
  });

  it('waits as long as the service asks before it asks again', async () => {
    const scripts = [answer(429, {}, { 'retry-after': '90' }), answer(200, { data: [] })];
    await using at = await bench((socket, request) => scripts.shift()?.(socket, request));
    const listed = at.client.models.list();
    await at.clock.whenSleepingFor(90_000);
    at.clock.advance(89_999);
    expect(at.server.requests).toHaveLength(1);
    at.clock.advance(1);
    expect(await listed).toEqual([]);
  });

  it.each<[string, Script]>([
    ['a web page', answer(200, '<html></html>')],
    ['something else', answer(200, { data: 'none' })],
  ])('does not take %s for a list', async (_what, script) => {
    await using at = await bench(script);
    await expect(at.client.models.list()).rejects.toMatchObject({ name: 'UnexpectedAnswerError', httpStatus: 200 });
  });

  it('throws when no answer comes', async () => {
    await using dead = await bench(hang, { baseUrl: await deadAddress() });
    await expect(dead.client.models.list({ tries: 1 })).rejects.toMatchObject({
      name: 'NoAnswerError',
      code: 'ECONNREFUSED',
    });
    await using at = await bench(reset);
    await expect(at.client.models.list({ tries: 1 })).rejects.toMatchObject({
      name: 'NoAnswerError',
      code: 'ECONNRESET',
    });
  });

  it('asks nothing without a key', async () => {
    await using at = await bench(hang, { apiKey: () => null });
    await expect(at.client.models.list()).rejects.toMatchObject({ name: 'AuthenticationError', code: 'no_key' });
    expect(at.server.connections).toBe(0);
  });

  it('can be stopped, also while it waits to ask again', async () => {
    await using at = await bench(answer(503));
    const stop = new AbortController();
    const listed = at.client.models.list({ signal: stop.signal });
    await at.clock.whenSleepingFor(500);
    stop.abort(new Error('stopping'));
    await expect(listed).rejects.toThrow('stopping');
  });
});
