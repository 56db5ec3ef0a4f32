import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IMAGE, MUSIC, startBench, VIDEO } from './support.ts';

const received: { method: string | undefined; body: unknown }[] = [];
const listener = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ method: request.method, body: JSON.parse(body) });
    response.end();
  });
});
let url: string;

beforeEach(async () => {
  received.length = 0;
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}/done`;
});
afterEach(async () => {
  vi.restoreAllMocks();
  listener.closeAllConnections();
  await new Promise((resolve) => listener.close(resolve));
});

describe('a callback', () => {
  it('of a job-style task goes to its notifyHook, as its query shows it', async () => {
    const bench = await startBench({ callbacks: true });
    const { json } = await bench.post('/jobimg/submit/imagine', { ...IMAGE, notifyHook: url, callback_url: 'no' });
    bench.letEverythingFinish();
    await vi.waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ method: 'POST', body: { id: json.result, status: 'SUCCESS' } });
  });

  it.each([
    ['/v1/videos', { ...VIDEO, callback_url: '' }],
    ['/v1/tasks', { ...MUSIC, callback_url: '' }],
    ['/v1/tasks', { ...MUSIC, callBackUrl: '' }],
  ])('of %s brings the finished task once, to the address of its request: %j', async (path, body) => {
    const bench = await startBench({ callbacks: true });
    const named = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value === '' ? url : value]));
    const { json } = await bench.post(path, named);
    expect(received).toEqual([]);
    bench.letEverythingFinish();
    await vi.waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ method: 'POST', body: { id: json.id, status: 'succeeded' } });
  });

  it.each([
    ['unless the service is told to', {}, 'http://127.0.0.1:9/done'],
    ['to another machine', { callbacks: true }, 'http://10.255.255.1/done'],
  ])('is never sent %s', async (_what, options, address) => {
    const bench = await startBench(options);
    await bench.post('/v1/videos', { ...VIDEO, callback_url: address });
    const fetched = vi.spyOn(globalThis, 'fetch');
    bench.letEverythingFinish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(fetched).not.toHaveBeenCalled();
  });
});
