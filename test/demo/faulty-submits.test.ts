import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../support/demo/service.ts';
import { finishedVideo, networkError, startBench, VIDEO, type Bench } from './support.ts';

async function startWith(fault: Fault): Promise<Bench> {
  const bench = await startBench();
  bench.fault({ method: 'POST' }, fault);
  return bench;
}

describe('a submit that meets a fault', () => {
  it.each<[string, Fault, string]>([
    ['in seconds', { fault: 'rate-limit', seconds: 7 }, '7'],
    ['as a date', { fault: 'rate-limit', seconds: 7, as: 'date' }, 'Fri, 02 Jan 2026 03:04:12 GMT'],
  ])('is told %s when to come again', async (_form, fault, retryAfter) => {
    const bench = await startWith(fault);
    const reply = await bench.post('/v1/videos', VIDEO);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, retryAfter]);
    expect(bench.service.ledger.commits).toBe(0);
    expect((await bench.post('/v1/videos', VIDEO)).status).toBe(200);
  });

  it.each([
    ['the video format', '/api/v3/contents/generations/tasks', { content: [{ type: 'text', text: 'a harbour' }] }],
    ['speech', '/v1/audio/speech', { input: 'a harbour' }],
    ['chat', '/v1/chat/completions', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a harbour' }] }] }],
    ['generateContent', '/v1beta/models/m:generateContent', { contents: [{ parts: [{ text: 'a harbour' }] }] }],
  ])('is known by its words in the format of %s', async (_format, path, body) => {
    const bench = await startBench();
    bench.fault({ prompt: 'harbour', times: 'always' }, { fault: 'status', status: 418 });
    expect((await bench.post(path, body)).status).toBe(418);
  });

  it('may name its model in its address', async () => {
    const bench = await startBench();
    bench.fault({ model: 'm-1', times: 'always' }, { fault: 'status', status: 418 });
    expect((await bench.post('/v1beta/models/m-1:generateContent', {})).status).toBe(418);
  });

  const whole = { status: 502, ending: 'complete' };
  const cut = { status: 200, ending: 'cut' };
  it.each<[string, Fault, string, object]>([
    ['a reset', { fault: 'reset', commit: false }, 'ECONNRESET', { status: null, ending: 'reset' }],
    ['a reset with the task made', { fault: 'reset', commit: true }, 'ECONNRESET', { status: null, ending: 'reset' }],
    ['a 502', { fault: 'status', status: 502, body: '<h1>Bad</h1>', commit: false }, 'text/html', whole],
    ['a 502 with the task made', { fault: 'status', status: 502, body: '<h1>', commit: true }, 'text/html', whole],
    ['a cut body', { fault: 'cut', afterBytes: 20, framing: 'length' }, 'UND_ERR_SOCKET', cut],
    ['cut chunks', { fault: 'cut', afterBytes: 20, framing: 'chunked' }, 'UND_ERR_SOCKET', cut],
  ])('may end with %s', async (_what, fault, seen, entry) => {
    const bench = await startWith(fault);
    const posted = bench.post('/v1/videos', VIDEO).then(({ headers }) => headers.get('content-type')?.split(';')[0]);
    expect(await posted.catch(() => networkError(posted))).toBe(seen);
    const committed = !('commit' in fault) || fault.commit;
    expect(bench.service.ledger.posts()).toMatchObject([{ ...entry, committed }]);
    expect([bench.service.ledger.commits, bench.service.tasks.size]).toEqual(committed ? [1, 1] : [0, 0]);
  });

  it('may hang with the task made until the service stops', async () => {
    const bench = await startWith({ fault: 'hang', commit: true });
    const error = networkError(bench.post('/v1/videos', VIDEO));
    while (bench.service.ledger.posts()[0]?.ending !== 'hung') await turn();
    expect(bench.service.ledger.posts()[0]).toMatchObject({ committed: true, status: null });
    await bench.service.stop();
    expect(await error).not.toBe('no error');
  });
});

describe('fault rules', () => {
  it('strike from the nth matching request on, so many times', async () => {
    const bench = await startBench();
    const rule = bench.fault({ method: 'post', path: '/v1/*', nth: 2, times: 2 }, { fault: 'status', status: 503 });
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++) statuses.push((await bench.post('/v1/videos', VIDEO)).status);
    expect(statuses).toEqual([200, 503, 503, 200]);
    expect(bench.service.faults.hits(rule)).toBe(2);
  });

  it('tell tasks apart by prompt, model and kind, and may count for each task', async () => {
    const bench = await startBench();
    const one = await finishedVideo(bench, 'A lighthouse');
    const two = await finishedVideo(bench, 'A harbour');
    bench.fault({ method: 'GET', kind: 'video', model: VIDEO.model, each: 'task' }, { fault: 'status', status: 500 });
    const polls = [one, one, two, two].map(({ id }) => `/v1/tasks/${id}`);
    const statuses: number[] = [];
    for (const path of polls) statuses.push((await bench.get(path)).status);
    expect(statuses).toEqual([500, 200, 500, 200]);
    bench.fault({ prompt: 'harbour', times: 'always' }, { fault: 'html' });
    expect((await bench.get(`/v1/videos/${one.id}`)).json.status).toBe('succeeded');
    expect((await bench.get(`/v1/videos/${two.id}`)).headers.get('content-type')).toContain('text/html');
    bench.service.faults.clear();
    expect((await bench.get(`/v1/videos/${two.id}`)).json.status).toBe('succeeded');
  });

  it('are checked when they are added', async () => {
    const { service } = await startBench();
    expect(() => service.faults.add({ do: { fault: 'status', status: 42 } })).toThrow();
  });
});

describe('an outage', () => {
  it('closes the port until it is lifted', async () => {
    const bench = await startBench();
    await bench.service.faults.outage({ answer: 'refused' });
    expect(await networkError(bench.post('/v1/videos', VIDEO))).toBe('ECONNREFUSED');
    await bench.service.faults.lift();
    expect((await bench.post('/v1/videos', VIDEO)).status).toBe(200);
  });

  it('ends by itself when its time is over', async () => {
    const bench = await startBench();
    await bench.service.faults.outage({ answer: 503, forMs: 60_000 });
    expect((await bench.post('/v1/videos', VIDEO)).status).toBe(503);
    bench.clock.advance(60_000);
    await turn();
    expect((await bench.post('/v1/videos', VIDEO)).status).toBe(200);
    expect(bench.service.ledger.commits).toBe(1);
  });

  it('may cut every request', async () => {
    const bench = await startBench();
    await bench.service.faults.outage({ answer: 'reset' });
    expect(await networkError(bench.get('/v1/models'))).toBe('ECONNRESET');
  });
});
