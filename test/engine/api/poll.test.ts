import { describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { pass } from '../../support/fake-clock.ts';
import { answer, bench, deadAddress, hang, httpAnswer, reset, type Script } from './support.ts';

const path = '/v1/videos/task_7';

describe('a poll', () => {
  it.each<[string, string, boolean]>([
    ['pending', 'pending', true],
    ['submitted', 'pending', true],
    ['running', 'pending', true],
    ['succeeded', 'succeeded', true],
    ['failed', 'failed', true],
    ['cancelled', 'cancelled', true],
    ['canceled', 'cancelled', true],
    ['SUBMITTED', 'pending', true],
    ['QUEUED', 'pending', true],
    ['IN_PROGRESS', 'pending', true],
    ['SUCCESS', 'succeeded', true],
    ['FAILURE', 'failed', true],
    ['CANCELED', 'cancelled', true],
    ['brewing', 'pending', false],
  ])('reads the status %s as %s', async (remoteStatus, status, known) => {
    await using at = await bench(answer(200, { id: 'task_7', status: remoteStatus }));
    expect(await at.client.poll(path)).toMatchObject({ type: 'task', status, remoteStatus, known });
  });

  it('hands on the whole answer and its ids', async () => {
    const body = {
      id: 'task_7',
      status: 'succeeded',
      result_url: 'https://media/v.mp4?sig=a%2Fb',
      request_id: 'req_1',
    };
    await using at = await bench(answer(200, body, { 'x-trace-id': 'trace_1' }));
    expect(await at.client.poll(path)).toEqual({
      type: 'task',
      status: 'succeeded',
      remoteStatus: 'succeeded',
      known: true,
      answer: body,
      complaint: null,
      requestId: 'req_1',
      traceId: 'trace_1',
    });
  });

  it.each<[string, unknown]>([
    ['data', { code: 'success', data: { task_id: 'task_7', status: 'SUCCESS' } }],
    ['the first record of data', { code: 'success', data: [{ id: 'a', status: 'SUCCESS' }] }],
    [
      'the task, though its data has a status too',
      { task_id: 'task_7', status: 'SUCCESS', data: { status: 'FAILURE' } },
    ],
    ['data, though the wrapper has a status too', { status: 'ok', data: { id: 'task_7', status: 'succeeded' } }],
  ])('finds the status in %s', async (_where, body) => {
    await using at = await bench(answer(200, body));
    expect(await at.client.poll(path)).toMatchObject({ type: 'task', status: 'succeeded', known: true });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['error.message', { error: { message: 'Face refused', code: 'policy' } }, 'Face refused'],
    ['error', { error: 'Face refused' }, 'Face refused'],
    ['fail_reason', { fail_reason: 'Face refused' }, 'Face refused'],
    ['message', { error: null, message: 'Face refused' }, 'Face refused'],
    ['nowhere', {}, 'it gave no reason.'],
  ])('reads why a task failed from %s', async (_where, facts, message) => {
    await using at = await bench(answer(200, { id: 'task_7', status: 'failed', trace_id: 'trace_1', ...facts }));
    const complaint = { message: expect.saying(message), traceId: 'trace_1' };
    expect(await at.client.poll(path)).toMatchObject({ status: 'failed', complaint });
  });

  it('reads why a task failed from outside its record', async () => {
    await using at = await bench(answer(200, { message: 'No credit', data: { id: 'task_7', status: 'FAILURE' } }));
    expect(await at.client.poll(path)).toMatchObject({ status: 'failed', complaint: { message: 'No credit' } });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['the code of its record', { code: 'content_policy', fail_reason: 'Face refused' }, 'content_policy'],
    ['no code, where the wrapper alone has one that means success', { fail_reason: 'Face refused' }, ''],
  ])('of a failed task in an answer that succeeded reads %s', async (_what, facts, code) => {
    const record = { task_id: 'task_7', status: 'FAILURE', ...facts };
    await using at = await bench(answer(200, { code: 'success', message: 'success', data: record }));
    const outcome = await at.client.poll(path);
    expect(outcome).toMatchObject({ status: 'failed', complaint: { message: 'Face refused' } });
    expect((outcome as { complaint: { code?: string } }).complaint.code ?? '').toBe(code);
  });

  it('takes the word success of an answer for no reason of a failed task', async () => {
    const body = { code: 'success', message: 'Success', data: { task_id: 'task_7', status: 'FAILURE' } };
    await using at = await bench(answer(200, body));
    expect(await at.client.poll(path)).toMatchObject({ complaint: { message: expect.saying('it gave no reason.') } });
  });

  const cut: Script = (socket) => {
    socket.end(httpAnswer(200, '{"id":"task_7","status":"succ', { 'content-length': '90' }));
  };
  it.each<[string, Script, Record<string, unknown>]>([
    ['500', answer(500, { error: { message: 'Oh no' } }), { httpStatus: 500, message: 'Oh no' }],
    ['502 with a web page', answer(502, '<html></html>'), { httpStatus: 502 }],
    ['404', answer(404, { error: { message: 'No such task' } }), { httpStatus: 404, message: 'No such task' }],
    ['200 with a web page', answer(200, '<html>Please sign in</html>'), { httpStatus: 200 }],
    ['200 without a status', answer(200, { id: 'task_7' }), { httpStatus: 200 }],
    ['200 with an error', answer(200, { error: { message: 'Oh no' } }), { message: 'Oh no' }],
    ['a redirect', answer(302, '', { location: 'http://127.0.0.1:9/' }), { httpStatus: 302 }],
    ['a reset', reset, { code: 'ECONNRESET' }],
    ['a cut body', cut, {}],
  ])('got no answer from %s, and leaves the task alone', async (_what, script, complaint) => {
    await using at = await bench(script);
    expect(await at.client.poll(path)).toMatchObject({ type: 'no_answer', complaint });
    expect(at.server.requests).toHaveLength(1);
    expect(at.clock.sleeping).toBe(0);
  });

  it('got no answer where nothing listens', async () => {
    await using at = await bench(hang, { baseUrl: await deadAddress() });
    expect(await at.client.poll(path)).toMatchObject({ type: 'no_answer', complaint: { code: 'ECONNREFUSED' } });
  });

  it('gives up after 30 s, also in the middle of a body', async () => {
    await using at = await bench((socket) => socket.write(httpAnswer(200, '{', { 'content-length': '90' })));
    const polled = at.client.poll(path);
    await at.server.seen(1);
    await pass(at.clock, 30_000);
    expect(await polled).toMatchObject({ type: 'no_answer', complaint: { code: 'answer_timeout' } });
  });

  it('reads an answer that came compressed, after an interim one', async () => {
    const body = gzipSync('{"id":"task_7","status":"running"}');
    await using at = await bench((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(httpAnswer(200, '', { 'content-encoding': 'gzip', 'content-length': String(body.length) }));
      socket.write(body);
    });
    expect(await at.client.poll(path)).toMatchObject({ type: 'task', status: 'pending' });
  });

  it('has no answer when it is not compressed as it says', async () => {
    await using at = await bench(answer(200, { id: 'task_7', status: 'failed' }, { 'content-encoding': 'br' }));
    expect(await at.client.poll(path)).toMatchObject({ type: 'no_answer', complaint: { code: 'bad_encoding' } });
  });

  it('has the answer that came while the process stood still', async () => {
    await using at = await bench((socket, request) => {
      answer(200, { id: 'task_7', status: 'running' })(socket, request);
      at.clock.advance(66_000);
    });
    expect(await at.client.poll(path)).toMatchObject({ type: 'task', status: 'pending' });
  });

  it('ends at once when it is stopped, also before the connection stands', async () => {
    await using at = await bench(hang);
    await using tls = await bench(hang, { baseUrl: at.server.url.replace('http:', 'https:') });
    for (const client of [at.client, tls.client]) {
      const stop = new AbortController();
      const polled = client.poll(path, { signal: stop.signal });
      stop.abort();
      expect(await polled).toMatchObject({ type: 'no_answer', complaint: { code: 'stopped' } });
      expect(await client.poll(path, { signal: stop.signal })).toMatchObject({ complaint: { code: 'stopped' } });
    }
  });

  it('is not sent any more once it was stopped', async () => {
    await using at = await bench(answer(200, { id: 'task_7', status: 'running' }));
    const stop = new AbortController();
    const stopped = at.client.poll(path, { signal: stop.signal });
    stop.abort();
    await stopped;
    await at.client.poll('/v1/videos/task_8');
    await at.client.poll('/v1/videos/task_9');
    expect(at.server.requests.map((request) => request.path)).toEqual(['/v1/videos/task_8', '/v1/videos/task_9']);
  });

  it('got no answer from a client that was closed', async () => {
    await using at = await bench(hang);
    const polled = at.client.poll(path);
    await at.server.seen(1);
    await at.client.close();
    expect(await polled).toMatchObject({ type: 'no_answer' });
    expect(await at.client.poll(path)).toMatchObject({ type: 'no_answer' });
    expect(at.clock.sleeping).toBe(0);
  });

  it('is throttled by 429, with the floor the service names', async () => {
    await using at = await bench(answer(429, {}, { 'retry-after': '1.5' }));
    expect(await at.client.poll(path)).toMatchObject({ type: 'throttled', retryAfterMs: 1500 });
  });

  it.each([401, 403])('says that the key is not accepted after %i', async (status) => {
    await using at = await bench(answer(status, { error: { message: 'Bad key' } }));
    expect(await at.client.poll(path)).toMatchObject({ type: 'unauthorized', complaint: { message: 'Bad key' } });
  });

  it('asks nothing without a key, nor at a path that is none', async () => {
    let key: string | null = null;
    await using at = await bench(hang, { apiKey: () => key });
    expect(await at.client.poll(path)).toMatchObject({ type: 'unauthorized', complaint: { code: 'no_key' } });
    key = 'sk';
    expect(await at.client.poll('http://evil.example/')).toMatchObject({ complaint: { code: 'unusable_request' } });
    expect(at.server.connections).toBe(0);
  });

  it('reads no answer larger than an answer should be', async () => {
    await using at = await bench(answer(200, { id: 'task_7', status: 'running', padding: 'x'.repeat(2000) }), {
      limits: { json: 1000, result: 1000 },
    });
    expect(await at.client.poll(path)).toMatchObject({
      type: 'no_answer',
      complaint: { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' },
    });
  });

  it('keeps its connections for the next', async () => {
    await using at = await bench(answer(200, { id: 'task_7', status: 'running' }));
    for (let n = 0; n < 5; n += 1) await at.client.poll(path);
    expect(at.server.requests).toHaveLength(5);
    // A poll that follows at once may find the first connection still settling.
    expect(at.server.connections).toBeLessThanOrEqual(2);
  });
});

describe('a probe', () => {
  it.each([
    [200, true],
    [401, true],
    [429, true],
    [500, false],
    [503, false],
  ])('takes %i for an answer: %s', async (status, answered) => {
    await using at = await bench(answer(status, {}));
    expect(await at.client.probe()).toBe(answered);
    expect(at.server.requests[0]).toMatchObject({ method: 'GET', path: '/v1/models' });
  });

  it('is not answered where nothing listens', async () => {
    await using at = await bench(hang, { baseUrl: await deadAddress() });
    expect(await at.client.probe()).toBe(false);
  });
});
