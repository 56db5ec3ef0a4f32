import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDemoService } from '../../src/demo/service.ts';
import { finishedVideo, networkError, readReply, readyAsset, startBench, VIDEO } from './support.ts';

let stateDir: string;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'demo-state-'));
});

afterEach(async () => {
  await rm(stateDir, { recursive: true });
});

/** The service in a process of its own. */
async function startProcess(): Promise<{ service: ChildProcess; url: string }> {
  const options = JSON.stringify({ stateDir, media: 'tiny' });
  const program = `
    const { startDemoService } = await import(${JSON.stringify(new URL('../../src/demo/service.ts', import.meta.url).href)});
    process.stdout.write((await startDemoService(${options})).url);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(service.stdout, 'data')) as [Buffer];
  return { service, url: url.toString() };
}

describe('a service with a state folder', () => {
  it('knows its tasks, addresses, assets and port again after a restart', async () => {
    const first = await startBench({ stateDir });
    const { id, url } = await finishedVideo(first);
    const asset = await readyAsset(first, { type: 'image' });
    const group = await first.post('/v1/asset-groups', { name: 'Foxes' });
    await first.patch(`/v1/asset-groups/${String(group.json.id)}`, { name: 'Red foxes' });
    const before = Buffer.from(await (await fetch(url)).arrayBuffer());
    await first.service.stop();
    // The client must have dropped its connections to the port, or it would try one of them first.
    while ((await networkError(first.get('/v1/models'))) !== 'ECONNREFUSED');

    const second = await startBench({ stateDir, clock: first.clock });
    expect(second.service.port).toBe(first.service.port);
    expect((await second.get(`/v1/videos/${id}`)).json.status).toBe('succeeded');
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(before);
    expect((await second.post('/v1/videos', { ...VIDEO, image: asset })).status).toBe(200);
    expect((await second.get(`/v1/asset-groups/${String(group.json.id)}`)).json.name).toBe('Red foxes');
  });

  it('starts after a kill in the middle of a line, and writes whole lines again', async () => {
    const first = await startBench({ stateDir });
    const { id } = await finishedVideo(first);
    await first.service.stop();
    await appendFile(join(stateDir, 'state.jsonl'), '{"record":"task","task":{"id":"task_torn"');

    const second = await startBench({ stateDir });
    expect(second.service.tasks.list().map((task) => task.id)).toEqual([id]);
    const { json } = await second.post('/v1/videos', VIDEO);
    await second.service.stop();

    const third = await startBench({ stateDir });
    expect(third.service.tasks.list().map((task) => task.id)).toEqual([id, json.id]);
  });

  it('loses no task it has answered for when its process is killed', async () => {
    const { service, url } = await startProcess();
    const init = { method: 'POST', headers: { authorization: 'Bearer demo-key' }, body: JSON.stringify(VIDEO) };
    const answered: unknown[] = [];
    const order = async (): Promise<void> => {
      for (;;) answered.push((await readReply(await fetch(`${url}/v1/videos`, init))).json.id);
    };
    const orders = [order(), order(), order()].map((running) => networkError(running));
    while (answered.length < 20) await turn();
    service.kill('SIGKILL');
    await Promise.all(orders);

    const survivor = await startBench({ stateDir });
    const known = survivor.service.tasks.list().map((task) => task.id);
    expect(known).toEqual(expect.arrayContaining(answered));
  });

  it('takes another port when its own is taken meanwhile', async () => {
    const first = await startBench({ stateDir });
    await first.service.stop();
    const squatter = createServer().listen(first.service.port, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    const second = await startBench({ stateDir });
    expect(second.service.port).not.toBe(first.service.port);
    expect((await second.get('/v1/models')).status).toBe(200);
    await new Promise((resolve) => squatter.close(resolve));
  });
});

describe('a service without one', () => {
  it('never hands out a task id twice', async () => {
    const ids = new Set<unknown>();
    for (let run = 0; run < 3; run++) {
      const bench = await startBench();
      ids.add((await bench.post('/v1/videos', VIDEO)).json.id);
    }
    expect(ids.size).toBe(3);
  });

  it('refuses to start on a port that is taken', async () => {
    const { service } = await startBench();
    await expect(startDemoService({ port: service.port })).rejects.toThrow(/EADDRINUSE/);
  });

  it('leaves nothing running when it is stopped', async () => {
    const bench = await startBench();
    await bench.service.stop();
    await bench.service.stop();
    expect(await networkError(bench.get('/v1/models'))).toBe('ECONNREFUSED');
  });
});
