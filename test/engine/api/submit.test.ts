import { describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { pass } from '../../support/fake-clock.ts';
import {
  answer,
  bench,
  deadAddress,
  hang,
  httpAnswer,
  imageRequest,
  KEY,
  reset,
  videoRequest,
  type Script,
} from './support.ts';

const errorBody = { error: { message: 'duration must be 4 to 15', type: 'invalid_request', code: 'bad_duration' } };

describe('an accepted submit', () => {
  it.each<[string, number, unknown]>([
    ['in id', 200, { id: 'task_7', object: 'task', status: 'pending' }],
    ['in id, with status 201', 201, { id: 'task_7', status: 'submitted' }],
    ['in task_id', 202, { task_id: 'task_7' }],
    ['in data.id', 200, { code: 'success', data: { id: 'task_7' } }],
    ['in data.task_id', 200, { data: { task_id: 'task_7', status: 'SUBMITTED' } }],
    ['as data itself, like music', 200, { code: 'success', message: '', data: 'task_7' }],
    ['as the result, like job-style images', 200, { code: 1, description: 'Submit success', result: 'task_7' }],
    ['in output.task_id', 200, { output: { task_id: 'task_7', task_status: 'PENDING' } }],
    ['in a list', 200, [{ id: 'task_7' }]],
    ['in a list of records, like music', 200, { code: 'success', data: [{ task_id: 'task_7' }] }],
  ])('takes the task id %s', async (_where, status, body) => {
    await using at = await bench(answer(status, body));
    expect(await at.client.submit(videoRequest)).toEqual({ type: 'accepted', taskId: 'task_7' });
    expect(at.server.requests).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ['as a list of ids', { code: 'success', data: ['task_1', 'task_2'] }],
    ['as records with ids', { code: 'success', data: [{ id: 'task_1' }, { id: 'task_2', status: 'submitted' }] }],
    [
      'as records with ids of their own',
      {
        data: [
          { id: 'a', task_id: 'task_1' },
          { id: 'b', task_id: 'task_2' },
        ],
      },
    ],
  ])('takes every task id of a list: %s', async (_how, body) => {
    await using at = await bench(answer(200, body));
    expect(await at.client.submit(videoRequest)).toEqual({
      type: 'accepted',
      taskId: 'task_1',
      otherTaskIds: ['task_2'],
    });
  });

  it('takes a task id out of an answer that came compressed although it was asked not to be', async () => {
    const body = gzipSync('{"id":"task_7"}').toString('latin1');
    await using at = await bench((socket) =>
      socket.write(
        httpAnswer(200, body, { 'content-encoding': 'gzip', 'content-length': String(body.length) }),
        'latin1',
      ),
    );
    expect(await at.client.submit(videoRequest)).toEqual({ type: 'accepted', taskId: 'task_7' });
  });

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['102 and 103', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    ['several with 100', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\nx-a: 1\r\n\r\n'],
  ])('skips interim answers before it: %s', async (_what, interim) => {
    const whole = interim + httpAnswer(200, { id: 'task_7' });
    for (const cut of [1, 12, interim.length - 1, interim.length, interim.length + 4]) {
      await using at = await bench((socket) => {
        socket.setNoDelay(true).write(whole.slice(0, cut));
        setTimeout(() => socket.write(whole.slice(cut)), 5);
      });
      expect(await at.client.submit(videoRequest)).toEqual({ type: 'accepted', taskId: 'task_7' });
      expect(at.server.requests).toHaveLength(1);
    }
  });

  it('takes a task id once that several records name', async () => {
    const data = [
      { id: 'a', task_id: 'task_7' },
      { id: 'b', task_id: 'task_7' },
    ];
    await using at = await bench(answer(200, { code: 'success', data }));
    expect(await at.client.submit(videoRequest)).toEqual({ type: 'accepted', taskId: 'task_7' });
  });

  it.each([
    ['9007199254740993', '{"id": 9007199254740993}'],
    ['123456789012345678901234', '{"code":"success","data":[{"task_id":123456789012345678901234}]}'],
    ['42', '{"data":{"id":42}}'],
  ])('takes the task id %s with all its digits when it is a number', async (taskId, body) => {
    await using at = await bench(answer(200, body));
    expect(await at.client.submit(videoRequest)).toEqual({ type: 'accepted', taskId });
  });

  it('keeps the ids for troubleshooting, those of the body before those of the headers', async () => {
    const headers = { 'x-request-id': 'req_h', 'x-trace-id': 'trace_h' };
    await using at = await bench(answer(200, { id: 'task_7', request_id: 'req_b' }, headers));
    expect(await at.client.submit(videoRequest)).toEqual({
      type: 'accepted',
      taskId: 'task_7',
      requestId: 'req_b',
      traceId: 'trace_h',
    });
  });

  it('sends the body as JSON with the key, below a path prefix, over a connection of its own', async () => {
    await using at = await bench(answer(200, { id: 'task_7' }));
    await at.client.submit(videoRequest);
    await at.client.submit(videoRequest);
    const [request] = at.server.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/v1/videos' });
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, connection: 'close' });
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual(videoRequest.body);
    expect(at.server.connections).toBe(2);
  });

  it('follows a task that came in place of a synchronous result', async () => {
    await using at = await bench(answer(200, { object: 'task', id: 'task_7', status: 'pending' }));
    expect(await at.client.submit(imageRequest)).toMatchObject({ type: 'accepted', taskId: 'task_7' });
  });
});

describe('a refused submit', () => {
  it.each([400, 401, 402, 403, 404, 405, 413, 415, 422])(
    'is one with status %i, with what the service said',
    async (status) => {
      await using at = await bench(answer(status, errorBody, { 'x-request-id': 'req_1' }));
      expect(await at.client.submit(videoRequest)).toEqual({
        type: 'refused',
        complaint: {
          httpStatus: status,
          code: 'bad_duration',
          message: 'duration must be 4 to 15',
          requestId: 'req_1',
        },
      });
      expect(at.server.requests).toHaveLength(1);
    },
  );

  it('stays refused when its body is cut', async () => {
    await using at = await bench((socket) => {
      socket.end(httpAnswer(401, '{"error"', { 'content-length': '500' }));
    });
    expect(await at.client.submit(videoRequest)).toMatchObject({ type: 'refused', complaint: { httpStatus: 401 } });
    expect(at.server.requests).toHaveLength(1);
  });

  it('is one though the service answers before it has read it all', async () => {
    await using at = await bench(hang, {
      onConnect: (socket) =>
        socket.once('data', () => socket.write(httpAnswer(401, errorBody, { connection: 'close' }))),
    });
    const request = { ...videoRequest, body: { prompt: 'rain '.repeat(2_000_000) } };
    expect(await at.client.submit(request)).toMatchObject({ type: 'refused', complaint: { httpStatus: 401 } });
    expect(at.server.connections).toBe(1);
  });

  it('says in words what the service did not say', async () => {
    await using at = await bench(answer(403, '<html>Forbidden</html>'));
    const outcome = await at.client.submit(videoRequest);
    expect(outcome).toMatchObject({ type: 'refused', complaint: { message: expect.saying(/web page/) } });
  });
});

describe('a throttled submit', () => {
  const date = (clockMs: number): string => new Date(clockMs).toUTCString();
  it.each<[string, Record<string, string>, number | null]>([
    ['whole seconds', { 'retry-after': '7' }, 7000],
    ['more seconds than anybody would wait', { 'retry-after': '86400' }, 86_400_000],
    ['a date', { 'retry-after': date(Date.UTC(2030, 0, 1, 0, 2)) }, 120_000],
    ['no floor', {}, null],
    ['an unreadable floor', { 'retry-after': 'soon' }, null],
  ])('names %s', async (_what, headers, retryAfterMs) => {
    await using at = await bench(answer(429, errorBody, headers));
    expect(await at.client.submit(videoRequest)).toMatchObject({
      type: 'throttled',
      retryAfterMs,
      complaint: { httpStatus: 429, code: 'bad_duration' },
    });
    expect(at.server.requests).toHaveLength(1);
  });
});

describe('a submit of unclear fate', () => {
  const cut: Script = (socket) => {
    socket.end(httpAnswer(200, '{"id":"task_7","sta', { 'content-length': '90' }));
  };
  const cutChunks: Script = (socket) => {
    socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"id":"t\r\n');
  };
  const cutAtClose: Script = (socket) => {
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"id":"task_7","sta');
  };
  const halfHead: Script = (socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-le');
  };

  it.each<[string, Script, Record<string, unknown>]>([
    ['a reset after the request', reset, { code: 'ECONNRESET' }],
    ['a close without an answer', (socket) => socket.end(), { code: 'UND_ERR_SOCKET' }],
    ['half a header', halfHead, {}],
    ['a body cut short', cut, { httpStatus: 200, message: expect.saying(/task_7/) }],
    ['chunks cut short', cutChunks, { httpStatus: 200 }],
    ['a body that ends with the connection and is not whole', cutAtClose, { httpStatus: 200 }],
    ['500', answer(500, errorBody), { httpStatus: 500, message: 'duration must be 4 to 15' }],
    ['502 with a web page', answer(502, '<html>Bad Gateway</html>'), { httpStatus: 502 }],
    ['503', answer(503), { httpStatus: 503 }],
    ['408', answer(408, errorBody), { httpStatus: 408 }],
    ['409', answer(409, errorBody), { httpStatus: 409 }],
    ['204', (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), { httpStatus: 204 }],
    ['200 without an id', answer(200, { code: 'success', data: null }), { httpStatus: 200, code: 'unclear_answer' }],
    ['200 with an empty id', answer(200, { id: '' }), { httpStatus: 200 }],
    ['200 with a web page', answer(200, '<html>Please sign in</html>'), { httpStatus: 200 }],
    [
      '200 with an error like music',
      answer(200, { code: 'error', message: 'busy', data: 'try_later' }),
      { code: 'error' },
    ],
    ['something that is not HTTP', (socket) => socket.end('hello\r\n\r\n'), {}],
  ])('is one after %s, and is never sent twice', async (_what, script, complaint) => {
    await using at = await bench(script);
    expect(await at.client.submit(videoRequest)).toMatchObject({ type: 'unclear', complaint });
    expect(at.server.requests).toHaveLength(1);
    expect(at.server.connections).toBe(1);
    expect(at.clock.sleeping).toBe(0);
  });

  it('is one after a reset while the request was still being read', async () => {
    await using at = await bench(hang, {
      onConnect: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    });
    const request = { ...videoRequest, body: { prompt: 'rain '.repeat(1_000_000) } };
    expect(await at.client.submit(request)).toMatchObject({ type: 'unclear' });
    expect(at.server.requests).toHaveLength(0);
    expect(at.server.connections).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])('is one after a redirect with %i, which is not followed', async (status) => {
    await using elsewhere = await bench(answer(200, { id: 'task_7' }));
    await using at = await bench(answer(status, '', { location: `${elsewhere.server.url}/v1/videos` }));
    expect(await at.client.submit(videoRequest)).toMatchObject({ type: 'unclear', complaint: { httpStatus: status } });
    expect(at.server.requests).toHaveLength(1);
    expect(elsewhere.server.connections).toBe(0);
  });

  it('is one when no answer comes in the time for it, and not a moment earlier', async () => {
    await using at = await bench(hang);
    let settled = false;
    const submitted = at.client.submit(videoRequest).finally(() => (settled = true));
    await at.server.seen(1);
    await pass(at.clock, 599_999);
    expect(settled).toBe(false);
    await pass(at.clock, 1);
    expect(await submitted).toMatchObject({ type: 'unclear', complaint: { code: 'answer_timeout' } });
    expect(at.server.requests).toHaveLength(1);
  });

  it('waits longer where the answer is the result', async () => {
    await using at = await bench((socket) => {
      setTimeout(() => socket.write(httpAnswer(200, { data: [{ url: 'https://media/1.png' }] })), 5);
    });
    const submitted = at.client.submit(imageRequest);
    await at.server.seen(1);
    await pass(at.clock, 3_599_999);
    expect(await submitted).toMatchObject({ type: 'answered' });
  });

  it('is none when the answer came while the process stood still for longer than the limit', async () => {
    const timeouts = { connectMs: 15_000, submitMs: 60_000, answerMs: 60_000, getMs: 30_000 };
    await using at = await bench(
      (socket, request) => {
        answer(200, { id: 'task_7', data: [{ url: 'https://media/1.png' }] })(socket, request);
        // The answer is in the client's socket, and its timers fire before it is read.
        at.clock.advance(66_000);
      },
      { timeouts },
    );
    expect(await at.client.submit(videoRequest)).toEqual({ type: 'accepted', taskId: 'task_7' });
    expect(await at.client.submit(imageRequest)).toMatchObject({ type: 'answered' });
    expect(at.server.requests).toHaveLength(2);
    expect(at.clock.sleeping).toBe(0);
  });

  it('is none when the answer is in the socket at the moment the limit ends', async () => {
    await using at = await bench((socket, request) => {
      void pass(at.clock, 599_999).then(() => {
        answer(200, { id: 'task_7' })(socket, request);
        at.clock.advance(1);
      });
    });
    expect(await at.client.submit(videoRequest)).toEqual({ type: 'accepted', taskId: 'task_7' });
  });

  it('is one when the process stood still and no answer comes within the whole limit after it', async () => {
    await using at = await bench(hang);
    let settled = false;
    const submitted = at.client.submit(videoRequest).finally(() => (settled = true));
    await at.server.seen(1);
    await pass(at.clock, 590_000);
    at.clock.advance(66_000);
    await pass(at.clock, 599_000);
    expect(settled).toBe(false);
    await pass(at.clock, 5000);
    expect(await submitted).toMatchObject({ type: 'unclear', complaint: { code: 'answer_timeout' } });
  });

  it('is one when it is stopped while the answer is awaited', async () => {
    await using at = await bench(hang);
    const stop = new AbortController();
    const submitted = at.client.submit(videoRequest, { signal: stop.signal });
    await at.server.seen(1);
    stop.abort();
    expect(await submitted).toMatchObject({ type: 'unclear', complaint: { code: 'stopped' } });
  });

  it('is one when the answer is larger than any answer should be', async () => {
    await using at = await bench(answer(200, { id: 'task_7', padding: 'x'.repeat(3000) }), {
      limits: { json: 1000, result: 1000 },
    });
    expect(await at.client.submit(videoRequest)).toMatchObject({ type: 'unclear', complaint: { httpStatus: 200 } });
  });
});

describe('a submit that was never sent', () => {
  it('is one when nothing listens at the address', async () => {
    await using at = await bench(hang, { baseUrl: await deadAddress() });
    expect(await at.client.submit(videoRequest)).toEqual({
      type: 'never_sent',
      complaint: { code: 'ECONNREFUSED', message: expect.saying(/Nothing responds/) },
    });
  });

  it('is one when it was stopped before it began', async () => {
    await using at = await bench(hang);
    const outcome = await at.client.submit(videoRequest, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ type: 'never_sent', complaint: { code: 'stopped' } });
    expect(at.server.connections).toBe(0);
  });

  // A TLS handshake that is never answered is a connection that does not stand: no byte of the request can leave.
  describe('while the connection is being made', () => {
    const overTls = async () => {
      const connected = Promise.withResolvers<undefined>();
      const at = await bench(hang, { onConnect: () => connected.resolve(undefined) });
      const tls = await bench(hang, { baseUrl: at.server.url.replace('http:', 'https:') });
      return { at, tls, connected: connected.promise };
    };

    it('is one when it is stopped', async () => {
      const { at, tls, connected } = await overTls();
      await using _ = at;
      await using __ = tls;
      const stop = new AbortController();
      const submitted = tls.client.submit(videoRequest, { signal: stop.signal });
      await connected;
      stop.abort();
      expect(await submitted).toMatchObject({ type: 'never_sent', complaint: { code: 'stopped' } });
    });

    it('is one when the connection takes too long', async () => {
      const { at, tls, connected } = await overTls();
      await using _ = at;
      await using __ = tls;
      const submitted = tls.client.submit(videoRequest);
      await connected;
      await pass(tls.clock, 15_000);
      expect(await submitted).toMatchObject({ type: 'never_sent', complaint: { code: 'connect_timeout' } });
    });
  });

  it.each<[string, string | null, string]>([
    ['no key is set', null, 'no_key'],
    ['the key is empty', ' \n', 'no_key'],
    ['the key could forge a header', 'sk-1\r\nx-evil: 1', 'bad_key'],
    ['the key holds what no header can', 'sk-clé', 'bad_key'],
  ])('is one, blocked, when %s', async (_what, key, code) => {
    await using at = await bench(hang, { apiKey: () => key });
    expect(await at.client.submit(videoRequest)).toMatchObject({
      type: 'never_sent',
      blocked: true,
      complaint: { code },
    });
    expect(at.server.connections).toBe(0);
  });

  it.each(['v1/videos', '//evil.example/v1/videos', 'http://evil.example/', '/v1/vid eos', '/v1\r\nx: 1'])(
    'is one, blocked, when the path is %j',
    async (path) => {
      await using at = await bench(hang);
      expect(await at.client.submit({ ...videoRequest, path })).toMatchObject({ type: 'never_sent', blocked: true });
      expect(at.server.connections).toBe(0);
    },
  );
});

describe('the key', () => {
  it('is asked for at each request, without the line end it was pasted with', async () => {
    const keys = ['first\n', 'second'];
    await using at = await bench(answer(200, { id: 'task_7' }), { apiKey: () => keys.shift() ?? null });
    await at.client.submit(videoRequest);
    await at.client.submit(videoRequest);
    expect(at.server.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
  });

  const echoed = { error: { message: `Bad key ${KEY}`, code: KEY }, message: KEY, request_id: KEY };
  it.each<[string, Script]>([
    ['a refusal', answer(401, echoed, { 'x-trace-id': KEY })],
    ['an error', answer(500, echoed)],
    ['a throttle', answer(429, echoed)],
    ['a success without an id', answer(200, echoed)],
    ['a web page', answer(200, `<p>${KEY}</p>`)],
    ['a body cut short', (socket) => socket.end(httpAnswer(200, `{"k":"${KEY}"`, { 'content-length': '500' }))],
    ['a long error', answer(500, { error: { message: `${'x'.repeat(480)}${KEY}` } })],
    ['a long web page', answer(200, `${'x'.repeat(185)}${KEY}`)],
  ])('never shows in what is made of %s that echoes it', async (_what, script) => {
    await using at = await bench(script);
    const told = JSON.stringify([await at.client.submit(videoRequest), await at.client.poll('/v1/videos/task_7')]);
    expect(told + at.log.lines.join('')).not.toContain(KEY.slice(0, 12));
  });
});
