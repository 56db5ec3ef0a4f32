import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import type { MessagePortMain, UtilityProcess } from 'electron';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../src/contract/procedures.ts';
import type { EngineTrouble, FromEngine, ToEngine } from '../../src/main/engine-messages.ts';
import { EngineLink } from '../../src/main/engine-link.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryLog } from '../support/world.ts';
import { state } from './electron/index.ts';
import { StrictEmitter } from './electron/strict.ts';

/** The engine's process, played by the test: it answers `projects.list` over the ports it is handed. */
class Child extends StrictEmitter {
  readonly told: ToEngine['type'][] = [];
  /** The first thing it was told, whole. */
  order: ToEngine | null = null;
  readonly ports: MessagePortMain[] = [];

  constructor() {
    super('UtilityProcess', ['message', 'error', 'exit']);
  }

  postMessage(message: ToEngine, ports: MessagePortMain[]): void {
    this.told.push(message.type);
    this.order ??= message;
    const [port] = ports;
    if (message.type !== 'serve' || !port) return;
    this.ports.push(port);
    const os = implement(contract);
    new RPCHandler({ projects: { list: os.projects.list.handler(() => []) } }).upgrade(port);
    port.start();
  }

  says(message: FromEngine): void {
    this.emit('message', message);
  }

  runs(): void {
    this.says({ type: 'running', socket: '/data/run/engine.sock' });
  }

  dies(status = 1): void {
    for (const port of this.ports) port.close();
    this.emit('exit', status);
  }
}

const inUse: EngineTrouble = { code: 'data_folder_in_use', message: 'In use by dailies run.', remedy: 'Wait.' };
const full: EngineTrouble = { code: 'disk', message: 'The disk is full.', remedy: 'Make room.' };

describe('the link to the engine', () => {
  let clock: FakeClock;
  let log: MemoryLog;
  let children: Child[];
  let told: string[];
  let link: EngineLink;
  const newest = (): Child => {
    const child = children.at(-1);
    if (!child) throw new Error('no process was started');
    return child;
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await setImmediate();
  };

  beforeEach(() => {
    state.app.languages = ['zh-CN'];
    clock = new FakeClock();
    log = new MemoryLog();
    children = [];
    told = [];
    link = new EngineLink({
      dataFolder: '/data',
      clock,
      logger: log,
      fork() {
        const child = new Child();
        children.push(child);
        return child as unknown as UtilityProcess;
      },
      kill: (child) => {
        told.push('killed');
        child.emit('exit', 137);
      },
      forkReader: () => new Child() as unknown as UtilityProcess,
      serveDesktop: () => told.push('desktop'),
      onTrouble: ({ code }) => told.push(code),
      onRunning: () => told.push('running'),
      onGaveUp: (deaths) => told.push(`gave up after ${deaths}`),
    });
  });

  it('starts the engine on the data folder, with a way back to main', () => {
    link.start();
    expect(newest().order).toEqual({ type: 'start', dataFolder: '/data', systemLanguage: 'zh-CN' });
    expect(told).toEqual(['desktop']);
    expect(link.isRunning).toBe(false);
  });

  it('lets calls wait for an engine that is just starting', async () => {
    link.start();
    const asked = link.client.projects.list();
    await setImmediate();
    newest().runs();
    expect(await asked).toEqual([]);
    expect(await link.socket()).toBe('/data/run/engine.sock');
    expect(link.isRunning).toBe(true);
    expect(log.lines.join()).not.toContain('secret');
  });

  it('opens a port of its own for each who asks', async () => {
    link.start();
    newest().runs();
    await link.openPort();
    await link.openPort();
    expect(newest().told).toEqual(['start', 'serve', 'serve', 'serve']);
  });

  it('restarts the engine when it crashes, after longer and longer pauses, and sends calls to the new one', async () => {
    link.start();
    newest().runs();
    for (const pause of [200, 1000, 3000]) {
      const before = children.length;
      newest().dies();
      expect(link.isRunning).toBe(false);
      await pass(pause - 1);
      expect(children).toHaveLength(before);
      await pass(1);
      expect(children).toHaveLength(before + 1);
      const asked = link.client.projects.list();
      newest().runs();
      expect(await asked).toEqual([]);
    }
    expect(told.filter((word) => word === 'running')).toHaveLength(4);
    expect(log.lines.filter((line) => line.includes('The process of the engine ended'))).toHaveLength(3);
  });

  it('outlives an engine without memory, and keeps what it reports of its environment out of the log', async () => {
    link.start();
    newest().runs();
    newest().emit('error', 'FatalError', 'v8::internal::Heap::FatalProcessOutOfMemory', '{"DAILIES_API_KEY":"a-key"}');
    newest().dies();
    await pass(200);
    expect(children).toHaveLength(2);
    expect(log.lines.join()).toContain('FatalProcessOutOfMemory');
    expect(log.lines.join()).not.toContain('a-key');
  });

  it('gives up when it keeps crashing, until a person tries again', async () => {
    link.start();
    for (const pause of [200, 1000, 3000, 10_000]) {
      newest().dies();
      await pass(pause);
    }
    expect(children).toHaveLength(5);
    newest().dies();
    await pass(3_600_000);
    expect(children).toHaveLength(5);
    expect(told.at(-1)).toBe('gave up after 5');
    link.tryAgain();
    newest().runs();
    expect(children).toHaveLength(6);
    newest().dies();
    await pass(200);
    expect(children).toHaveLength(7);
  });

  it('forgets deaths of long ago', async () => {
    link.start();
    for (let night = 0; night < 8; night += 1) {
      newest().dies();
      await pass(200);
      newest().runs();
      await pass(3_600_000);
    }
    expect(children).toHaveLength(9);
    expect(told.filter((word) => word.startsWith('gave up'))).toEqual([]);
  });

  it('looks again and again whether a folder that was in use is free', async () => {
    link.start();
    newest().says({ type: 'failed', trouble: inUse });
    for (let looks = 0; looks < 3; looks += 1) {
      await pass(2000);
      newest().says({ type: 'failed', trouble: inUse });
    }
    expect(children).toHaveLength(1);
    expect(newest().told).toEqual(['start', 'start', 'start', 'start']);
    expect(log.lines.filter((line) => line.includes('could not start'))).toHaveLength(1);
    await pass(2000);
    newest().runs();
    expect(told.at(-1)).toBe('running');
    expect(await link.client.projects.list()).toEqual([]);
  });

  it('tries nothing else again by itself', async () => {
    link.start();
    newest().says({ type: 'failed', trouble: full });
    await pass(3_600_000);
    expect(newest().told).toEqual(['start']);
    expect(told).toEqual(['desktop', 'disk']);
    link.tryAgain();
    expect(newest().told).toEqual(['start', 'start']);
  });

  it('drains when it is stopped, and restarts nothing', async () => {
    link.start();
    newest().runs();
    const stopped = link.stop(new AbortController().signal);
    await setImmediate();
    expect(newest().told.at(-1)).toBe('stop');
    newest().dies(0);
    await stopped;
    await pass(3_600_000);
    expect(children).toHaveLength(1);
    expect(told).not.toContain('killed');
  });

  it('waits no longer once it is forced', async () => {
    link.start();
    newest().runs();
    const force = new AbortController();
    const stopped = link.stop(force.signal);
    await setImmediate();
    expect(told).not.toContain('killed');
    force.abort();
    await stopped;
    expect(told).toContain('killed');
  });

  it('is stopped at once between two engines, and leaves nobody waiting', async () => {
    link.start();
    newest().dies();
    const asked = link.client.projects.list();
    await link.stop(new AbortController().signal);
    await expect(asked).rejects.toThrow('The engine was stopped.');
    await pass(3_600_000);
    expect(children).toHaveLength(1);
  });
});
