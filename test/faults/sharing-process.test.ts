import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isNightly } from '../support/chance.ts';
import { holdTasks } from '../support/held-tasks.ts';
import { ensureBuilt } from './support/command.ts';
import { hasSignals, itWithSignals } from './support/left-out.ts';
import { ended, CommandProcesses, summaryOf } from './support/command-processes.ts';

beforeAll(ensureBuilt);

const once = (posts: Map<string, number>) => [...posts.values()].every((count) => count === 1);

describe('processes that meet in one data folder', () => {
  it('share the engine of the one that serves: two runs, a resume, jobs and assets at once @night', async () => {
    const house = await CommandProcesses.open();
    const server = await house.serve();
    const ends = await Promise.all([
      house.run('run', house.list('day', 8), '--project', 'film', '--json'),
      house.run('run', house.list('night', 8), '--project', 'film', '--json'),
      house.run('assets', 'sync'),
      house.run('jobs', 'list'),
      house.run('status'),
    ]);
    expect(ends.map(({ status, stderr }) => ({ status, stderr }))).toEqual(ends.map(() => ({ status: 0, stderr: '' })));
    const saved = { type: 'summary', saved: 8, failed: 0, unknown: 0, cancelled: 0, unfinished: 0, waiting: 0 };
    expect(ends.slice(0, 2).map(summaryOf)).toEqual([saved, saved]);
    expect(house.posts.size).toBe(16);
    expect(once(house.posts)).toBe(true);
    const resumed = await house.run('resume', '--json');
    // Nothing was left, so it answers for no batch.
    expect(summaryOf(resumed)).toMatchObject({ saved: 0, unfinished: 0 });
    const stopped = ended(server);
    server.kill('SIGTERM');
    expect((await stopped).status).toBe(hasSignals ? 0 : null);
  });

  it.runIf(isNightly)('speak with each other past every proxy of the environment', async () => {
    const house = await CommandProcesses.open();
    await house.serve();
    const heard: string[] = [];
    const proxy = createServer((request, answer) => {
      heard.push(`${request.url}`);
      answer.end();
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void proxy.close());
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
    const proxies = Object.fromEntries(names.map((name) => [name, address]));
    house.env = { ...proxies, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' };
    expect(await house.run('run', house.list('day', 2), '--project', 'film')).toMatchObject({ status: 0, stderr: '' });
    expect(heard).toEqual([]);
  });

  it('go on when the serving one is killed: nothing is lost, and nothing is posted twice', async () => {
    const house = await CommandProcesses.open();
    const server = await house.serve();
    const release = holdTasks(house.service);
    const running = house.run('run', house.list('night', 24), '--project', 'film', '--json');
    await expect.poll(() => house.posts.size).toBeGreaterThan(4);
    server.kill('SIGKILL');
    release();
    const end = await running;
    // A request that was running at that moment needs a decision; everything else is saved.
    expect([0, 4]).toContain(end.status);
    expect(end.stderr).toMatch(/^process \d+ \(dailies serve\) ended before it responded\. /);
    const { saved, unknown, ...rest } = summaryOf(end);
    expect(rest).toMatchObject({ failed: 0, cancelled: 0, unfinished: 0 });
    expect(saved + unknown).toBe(24);
    // What needs a decision may have been on its way to the service and never come there.
    expect(house.posts.size).toBeGreaterThanOrEqual(saved);
    expect(once(house.posts)).toBe(true);
  });

  it.runIf(isNightly)('go on one after the other when two follow the one that is killed', async () => {
    const house = await CommandProcesses.open();
    const server = await house.serve();
    const release = holdTasks(house.service);
    const both = [
      house.run('run', house.list('day', 12), '--project', 'film', '--json'),
      house.run('run', house.list('night', 12), '--project', 'film', '--json'),
    ];
    await expect.poll(() => house.posts.size).toBeGreaterThan(6);
    server.kill('SIGKILL');
    release();
    for (const end of await Promise.all(both)) {
      expect([0, 4]).toContain(end.status);
      expect(summaryOf(end)).toMatchObject({ failed: 0, unfinished: 0 });
    }
    expect(once(house.posts)).toBe(true);
  });

  itWithSignals('share the next one, when it is there at once @night', async () => {
    const house = await CommandProcesses.open();
    const server = await house.serve();
    const release = holdTasks(house.service);
    const child = house.start('run', house.list('night', 24), '--project', 'film', '--json');
    const running = ended(child);
    await expect.poll(() => house.posts.size).toBeGreaterThan(4);
    // Asleep until the next one is there, however long a busy machine takes to start it.
    child.kill('SIGSTOP');
    server.kill('SIGKILL');
    const next = await house.serve();
    child.kill('SIGCONT');
    release();
    const end = await running;
    expect([0, 4]).toContain(end.status);
    expect(next.exitCode).toBeNull();
    expect(once(house.posts)).toBe(true);
  });

  it.runIf(isNightly)('lose nothing when the one that follows is killed', async () => {
    const house = await CommandProcesses.open();
    await house.serve();
    const release = holdTasks(house.service);
    const child = house.start('run', house.list('night', 12), '--project', 'film');
    await expect.poll(() => house.posts.size).toBeGreaterThan(2);
    child.kill('SIGKILL');
    release();
    await expect.poll(() => house.savedIn('night')).toBe(12);
    expect(once(house.posts)).toBe(true);
  });

  it('make new takes of everything once, though the one that was asked dies at any moment of it @night', async () => {
    const house = await CommandProcesses.open();
    const list = house.list('night', 300);
    const takes: number[] = [];
    // Dead before, while and after it stores them, wherever the machine is by then.
    const delays = isNightly ? [500, 0, 100, 250, 450] : [500, 0];
    for (const [round, delay] of delays.entries()) {
      const server = await house.serve();
      if (round === 0) await house.pause();
      const child = house.start('run', list, '--project', 'film', '--json', ...(round === 0 ? [] : ['--again']));
      const ending = ended(child);
      // The first line says that it has found the one that serves.
      await new Promise((found) => child.stdout?.once('data', found));
      await new Promise((passed) => setTimeout(passed, delay));
      server.kill('SIGKILL');
      expect((await ending).status).toBe(3);
      takes.push(await house.takes());
      // What waits to be sent would be taken for the new takes that the next round asks for.
      expect((await house.run('jobs', 'cancel', '--all-unfinished')).status).toBe(0);
    }
    expect(takes).toEqual(delays.map((_delay, round) => 300 * (round + 1)));
    expect(house.posts.size).toBe(0);
  });
});
