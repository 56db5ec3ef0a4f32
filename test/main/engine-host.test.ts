import { setLanguage, spoken, type Text } from '../../src/contract/messages/words.ts';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import Database from 'better-sqlite3';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Contract } from '../../src/contract/procedures.ts';
import { databaseFile, openDatabase } from '../../src/engine/db/open.ts';
import { lockDataFolder } from '../../src/engine/base/instance-lock.ts';
import { processEnvironment } from '../../src/host/process-environment.ts';
import { hostEngine, type ArrivedPort, type ParentPort } from '../../src/main/engine-host.ts';
import type { FromEngine, ToEngine } from '../../src/main/engine-messages.ts';
import { httpAnswer, scriptedServer } from '../engine/api/support.ts';
import { callSocket } from '../support/entry.ts';
import { proxyTo } from '../support/proxy.ts';
import { serveShell } from '../support/shell.ts';
import { MessageChannelMain } from './electron/index.ts';
import type { MessagePortStandIn } from './electron/ports.ts';

describe('the process of the engine', () => {
  let folder: string;
  let dataFolder: string;
  let env: Record<string, string>;
  let host: ReturnType<typeof hostEngine>;
  let ended: PromiseWithResolvers<number>;
  let onEvent: (message: { data: unknown; ports: readonly ArrivedPort[] }) => void;
  let answers: FromEngine[];
  let wake: () => void;

  const tell = (message: ToEngine) => {
    const { port1, port2 } = new MessageChannelMain();
    onEvent({ data: message, ports: message.type === 'stop' ? [] : [port2] });
    return port1;
  };
  const apiOver = (port: MessagePortStandIn): ContractRouterClient<Contract> => {
    port.start();
    return createORPCClient(new RPCLink({ port }));
  };
  /** What it says next. */
  const answer = async (): Promise<FromEngine> => {
    while (answers.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return answers.shift() as FromEngine;
  };
  const start = (): Promise<FromEngine> => {
    tell({ type: 'start', dataFolder, systemLanguage: 'en' });
    return answer();
  };
  const trouble = async () => {
    const told = await start();
    return told.type === 'failed' ? told.trouble : null;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-engine-'));
    dataFolder = join(folder, 'data');
    answers = [];
    wake = () => undefined;
    ended = Promise.withResolvers();
    const parent: ParentPort = {
      on: (_event, listener) => void (onEvent = listener),
      postMessage(message) {
        answers.push(message);
        wake();
      },
    };
    env = { DAILIES_API_KEY: 'a-secret-key' };
    const machine = { ...processEnvironment(), env, homeFolder: folder };
    host = hostEngine(parent, machine, (status) => ended.resolve(status));
  });

  afterEach(async () => {
    host.stop();
    await ended.promise;
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers the procedures on each port it is handed, and to the commands of a terminal', async () => {
    const running = await start();
    if (running.type !== 'running') throw new Error(JSON.stringify(running));
    const api = apiOver(tell({ type: 'serve' }));
    expect(await api.projects.list()).toEqual([]);
    expect(await api.settings.get()).toMatchObject({ dataFolder, key: { present: true, from: 'environment' } });

    const holder = JSON.parse(readFileSync(join(dataFolder, 'engine.json'), 'utf8')) as Record<string, unknown>;
    expect(holder).toMatchObject({ command: 'Dailies', socket: running.socket });
    expect(await callSocket(running.socket, 'projects/list')).toEqual({ status: 200, json: [] });
    // Nothing in the process listens at a port.
    expect(process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap')).toEqual([]);
  });

  it.each([
    { setting: 'system', language: 'zh-CN' },
    { setting: 'en', language: 'en' },
  ])('speaks $language where main says that the system prefers Chinese and the setting is $setting', async (facts) => {
    onTestFinished(() => setLanguage('en'));
    mkdirSync(dataFolder);
    writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ language: facts.setting }));
    tell({ type: 'start', dataFolder, systemLanguage: 'zh-CN' });
    expect((await answer()).type).toBe('running');
    expect(spoken()).toBe(facts.language);
  });

  it('sends its requests by the proxy that the system names to main, and says so', async () => {
    const server = await scriptedServer((socket) => socket.end(httpAnswer(200, { data: [{ id: 'vgen-2.0-nt' }] })));
    onTestFinished(() => server.close());
    const { port } = new URL(server.url);
    const proxy = await proxyTo({ to: Number(port) });
    env['DAILIES_BASE_URL'] = `http://service.test:${port}`;
    const toMain = tell({ type: 'start', dataFolder, systemLanguage: 'en' });
    const answers = { resolveProxy: () => Promise.resolve(`PROXY 127.0.0.1:${String(proxy.port)}`) };
    serveShell(answers, toMain);
    toMain.start();
    expect((await answer()).type).toBe('running');
    const api = apiOver(tell({ type: 'serve' }));
    expect(await api.settings.test({})).toMatchObject({
      ok: true,
      message: expect.saying(
        new RegExp(`Connected through the proxy 127\\.0\\.0\\.1:${String(proxy.port)}\\. 1 model is available`),
      ) as Text,
    });
    expect(proxy.asked.map(({ way }) => way)).toEqual([`service.test:${port}`]);
    expect((await api.desktop.diagnostics()).text).toContain("By the system's settings: proxy http://127.0.0.1:");
  });

  it('drains, frees the folder and ends when it is told to', async () => {
    await start();
    tell({ type: 'stop' });
    tell({ type: 'stop' });
    expect(await ended.promise).toBe(0);
    expect(existsSync(join(dataFolder, 'engine.json'))).toBe(false);
    expect(existsSync(join(dataFolder, 'run', 'engine.sock'))).toBe(false);
    lockDataFolder(dataFolder, 'the test', 0).release();
  });

  it('ends at once when asked to before it has started anything', async () => {
    tell({ type: 'stop' });
    expect(await ended.promise).toBe(0);
  });

  it('says who works in the folder already, and starts when that has ended', async () => {
    const lock = lockDataFolder(dataFolder, 'dailies run', 0);
    expect(await trouble()).toEqual({
      code: 'data_folder_in_use',
      message: expect.saying(/^The data folder .* is in use by .*process \d+/) as Text,
      remedy: expect.saying('Dailies opens as soon as it ends. To open now, stop it.') as Text,
    });
    lock.release();
    expect((await start()).type).toBe('running');
  });

  it('leaves no way to main open that nobody uses, however often it fails', async () => {
    const lock = lockDataFolder(dataFolder, 'dailies run', 0);
    let closed = 0;
    for (let looks = 0; looks < 3; looks += 1) {
      tell({ type: 'start', dataFolder, systemLanguage: 'en' }).on('close', () => (closed += 1));
      expect((await answer()).type).toBe('failed');
    }
    await vi.waitUntil(() => closed === 3);
    lock.release();
    const used = tell({ type: 'start', dataFolder, systemLanguage: 'en' });
    let isUsed = true;
    used.on('close', () => (isUsed = false));
    expect((await answer()).type).toBe('running');
    tell({ type: 'start', dataFolder, systemLanguage: 'en' }).on('close', () => (closed += 1));
    await vi.waitUntil(() => closed === 4);
    expect(isUsed).toBe(true);
    used.close();
  });

  it('stays the one engine when it is told to start twice', async () => {
    tell({ type: 'start', dataFolder, systemLanguage: 'en' });
    expect(await start()).toMatchObject({ type: 'running' });
    const port = tell({ type: 'serve' });
    const api: ContractRouterClient<Contract> = createORPCClient(new RPCLink({ port }));
    port.start();
    expect(await api.projects.list()).toEqual([]);
    tell({ type: 'stop' });
    expect(await ended.promise).toBe(0);
    expect(answers).toEqual([]);
    expect(existsSync(join(dataFolder, 'engine.json'))).toBe(false);
  });

  it('leaves a database of a newer release alone, and says so', async () => {
    mkdirSync(dataFolder);
    openDatabase(dataFolder).close();
    const db = new Database(databaseFile(dataFolder));
    db.pragma('user_version = 999999');
    db.close();
    expect(await trouble()).toMatchObject({
      code: 'newer_database',
      message: expect.saying(/newer version of Dailies/) as Text,
      remedy: expect.saying(/Install the newer version again/) as Text,
    });
  });

  it('says what is wrong with a folder it cannot use, in words', async () => {
    writeFileSync(dataFolder, 'a file, not a folder');
    const told = await trouble();
    expect(told).toMatchObject({
      code: 'disk',
      message: expect.saying(new RegExp(`${dataFolder}.*there is a file \\(ENOTDIR\\)`)) as Text,
    });
    expect(JSON.stringify(told)).not.toMatch(/mkdir|at .*\.ts/);
  });

  it('says what is wrong with settings it cannot read', async () => {
    mkdirSync(dataFolder);
    writeFileSync(join(dataFolder, 'settings.json'), '{ "baseUrl": ');
    expect(await trouble()).toMatchObject({ code: 'settings_file' });
  });

  it('notes what nothing foresaw without the key, and ends as failed', async () => {
    await start();
    host.fail(new Error('it broke over a-secret-key'));
    expect(await ended.promise).toBe(1);
    const log = readFileSync(join(dataFolder, 'logs', 'dailies.log'), 'utf8');
    expect(log).toContain('it broke over [key]');
    expect(log).not.toContain('a-secret-key');
  });
});
