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
