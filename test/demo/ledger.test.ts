import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { finishedVideo, startBench, VIDEO } from './support.ts';

describe('the ledger', () => {
  it('lists every request in order, with what became of it', async () => {
    const bench = await startBench();
    const { id, url } = await finishedVideo(bench);
    await fetch(url);
    await fetch(`${bench.service.url}/v1/models?page=1`);
    const { ledger } = bench.service;
    expect(ledger.entries.map(({ n, method, status, ending }) => [n, method, status, ending])).toEqual([
      [1, 'POST', 200, 'complete'],
      [2, 'GET', 200, 'complete'],
      [3, 'GET', 200, 'complete'],
      [4, 'GET', 401, 'complete'],
    ]);
    expect(ledger.billableCommits()).toMatchObject([{ n: 1, taskId: id, body: VIDEO, authorized: true }]);
    expect(ledger.posts('/v1/videos')).toHaveLength(1);
    expect(ledger.gets(`/v1/videos/${id}`)).toHaveLength(1);
    expect(ledger.downloads()).toMatchObject([{ hasAuthorization: false, leakedKey: false }]);
    expect(ledger.entries[3]).toMatchObject({ path: '/v1/models', query: 'page=1', hasAuthorization: false });
  });

  it('never holds a key', async () => {
    const bench = await startBench({ apiKey: 'very-secret' });
    await bench.get('/v1/models');
    expect(JSON.stringify(bench.service.ledger.entries)).not.toContain('very-secret');
  });

  it('notes a client that left before its answer', async () => {
    const bench = await startBench();
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${bench.service.apiKey}` };
    const body = JSON.stringify({ model: 'image-demo', prompt: 'A kite' });
    const init = { method: 'POST', headers, body, signal: leaving.signal };
    const call = fetch(`${bench.service.url}/v1/images/generations`, init).catch(() => 'left');
    while (bench.clock.sleeping === 0) await turn();
    leaving.abort();
    expect(await call).toBe('left');
    const [entry] = bench.service.ledger.posts();
    while (entry?.ending === 'pending') await turn();
    bench.letEverythingFinish();
    await turn();
    expect(entry).toMatchObject({ committed: true, ending: 'client-left', status: null });
  });
});

describe('the control routes', () => {
  it('are not there unless they are asked for', async () => {
    const bench = await startBench();
    expect((await bench.get('/__demo/ledger')).code).toBe('unknown_route');
  });

  it('let another process read the ledger and set faults', async () => {
    const bench = await startBench({ control: true });
    const rule = { match: { path: '/v1/vid*' }, do: { fault: 'status', status: 500 } };
    expect((await bench.post('/__demo/faults', rule)).json.id).toBe(1);
    expect((await bench.post('/v1/videos', VIDEO)).status).toBe(500);
    const { json } = await bench.post('/v1/videos', VIDEO);
    const ledger = (await bench.get('/__demo/ledger')).json as { commits: number; entries: unknown[] };
    expect(ledger.commits).toBe(1);
    expect(ledger.entries).toMatchObject([{}, { fault: 'status' }, { taskId: json.id }, {}]);
    const tasks = (await bench.get('/__demo/tasks')).json as { tasks: unknown[] };
    expect(tasks.tasks).toMatchObject([{ id: json.id, status: 'pending' }]);
    expect((await bench.post('/__demo/faults', { do: { fault: 'gremlin' } })).code).toBe('invalid_fault');
  });

  it('stay open in an outage, and end it', async () => {
    const bench = await startBench({ control: true });
    await bench.service.faults.outage({ answer: 503 });
    const control = (method: string) => fetch(`${bench.service.url}/__demo/faults`, { method });
    expect((await bench.get('/v1/models')).status).toBe(503);
    expect((await control('DELETE')).status).toBe(200);
    expect((await bench.get('/v1/models')).status).toBe(200);
    expect((await bench.post('/__demo/outage', { answer: 'refused' })).code).toBe('invalid_outage');
  });
});
