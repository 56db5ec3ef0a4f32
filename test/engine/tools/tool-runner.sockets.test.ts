import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Text } from '../../../src/contract/messages/message.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { ServiceClients } from '../../../src/engine/api/service-clients.ts';
import { openDatabase, type EngineDatabase } from '../../../src/engine/db/open.ts';
import { JobStore } from '../../../src/engine/db/job-store.ts';
import { ProjectStore } from '../../../src/engine/db/project-store.ts';
import { LedgerStore } from '../../../src/engine/db/ledger-store.ts';
import { ServiceStore } from '../../../src/engine/db/service-store.ts';
import { ToolStore } from '../../../src/engine/db/tool-store.ts';
import { ToolRunner, type ToolAsk } from '../../../src/engine/tools/tool-runner.ts';
import { FakeClock, pass } from '../../support/fake-clock.ts';
import { MemoryLog } from '../../support/world.ts';

const clock = new FakeClock();
const log = new MemoryLog();
let folder: string;
let server: Server;
let bodies: string[];
let answer: RequestListener;
let db: EngineDatabase;
let clients: ServiceClients;
let calls: ToolStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-tools-'));
  bodies = [];
  answer = (_request, response) => void response.end('{"text":"blue"}');
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      // Time for the limiter, which spaces requests.
      clock.advance(10_000);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await clients.close();
  db.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

/** The runner as an engine starts it. */
async function start(): Promise<ToolRunner> {
  db = openDatabase(folder);
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const settings = Settings.parse({ baseUrl: url, answerTimeoutSeconds: 60 });
  const ports = {
    clock,
    logger: log,
    secrets: { apiKey: () => 'key' },
    random: Math.random,
    disk: { freeBytes: () => Promise.resolve(1e12) },
  };
  clients = new ServiceClients(ports, new ServiceStore(db), new JobStore(db).tasksInFlight, () => settings);
  calls = new ToolStore(db);
  const stores = { projects: new ProjectStore(db), jobs: new JobStore(db), ledger: new LedgerStore(db) };
  const context = { ...stores, ports, dataFolder: folder, clients, pricesInForce: () => Promise.resolve() };
  const runner = new ToolRunner(context, calls, () => undefined);
  await runner.recover();
  return runner;
}

/** As when the process is killed and started again. */
async function startAgain(): Promise<ToolRunner> {
  await clients.close();
  db.close();
  return start();
}

const ask = (prompt = 'What colour is the sea?'): ToolAsk => ({
  tool: 'rewrite',
  projectId: null,
  about: 'Rewrite 1 shot',
  request: {
    operation: 'chat.create',
    method: 'POST',
    path: '/v1/chat/completions',
    encoding: 'json',
    body: { model: 'm', prompt },
    files: [],
    answers: 'json',
  },
});

describe('a call of a tool', () => {
  it('is written down before it is sent, and its answer is on disk before anybody reads it', async () => {
    const runner = await start();
    let journal: unknown;
    answer = (_request, response) => {
      journal = db.facts.prepare('SELECT state, about FROM tool_calls').all();
      response.end('{"text":"blue"}');
    };
    const result = await runner.run(ask());
    expect(result).toMatchObject({ type: 'answered', wasPaid: false, answer: Buffer.from('{"text":"blue"}') });
    expect(journal).toEqual([{ state: 'sent', about: 'Rewrite 1 shot' }]);
    expect(readdirSync(join(folder, 'answers'))).toHaveLength(1);
  });

  it('brings its answer again for nothing until it has served, after a restart too', async () => {
    let runner = await start();
    await runner.run(ask());
    runner = await startAgain();
    const again = await runner.run(ask());
    expect(again).toMatchObject({ type: 'answered', wasPaid: true, answer: Buffer.from('{"text":"blue"}') });
    expect(bodies).toHaveLength(1);
    if (again.type !== 'answered') return;
    await runner.markUsed(again.callId);
    expect(existsSync(join(folder, 'answers', `tool-${again.callId}`))).toBe(false);
    expect(await runner.run(ask())).toMatchObject({ type: 'answered', wasPaid: false });
    expect(bodies).toHaveLength(2);
  });

  it('that two windows make at the same time is made once', async () => {
    const runner = await start();
    await Promise.all([runner.run(ask()), runner.run(ask()), runner.run(ask('Another?'))]);
    expect(bodies).toHaveLength(2);
  });

  it('is of unknown fate when its process was killed before the answer came whole', async () => {
    let runner = await start();
    const arrived = new Promise<void>((resolve) => {
      answer = () => resolve();
    });
    const cutOff = runner.run(ask());
    await arrived;
    // What the killed process would have written is left out: the journal is put back to what was on disk.
    server.closeAllConnections();
    await cutOff;
    db.facts.prepare(`UPDATE tool_calls SET state = 'sent', failure = NULL`).run();
    runner = await startAgain();
    expect(runner.unclear()).toMatchObject([{ failure: { code: 'interrupted', cost: 'maybe' } }]);
    expect(await runner.run(ask())).toMatchObject({ type: 'failed', failure: { cost: 'maybe' } });
    expect(bodies).toHaveLength(1);
  });

  it('has its answer when its process was killed after the answer came whole', async () => {
    let runner = await start();
    await runner.run(ask());
    db.facts.prepare(`UPDATE tool_calls SET state = 'sent'`).run();
    runner = await startAgain();
    expect(await runner.run(ask())).toMatchObject({ type: 'answered', wasPaid: true });
    expect(bodies).toHaveLength(1);
  });

  it.each(['sent', 'answered'])(
    'is not paid for again by itself when its journal says %s and its answer is gone',
    async (state) => {
      const runner = await start();
      const first = await runner.run(ask());
      if (first.type === 'answered') rmSync(join(folder, 'answers', `tool-${first.callId}`));
      db.facts.prepare('UPDATE tool_calls SET state = ?').run(state);
      expect(await runner.run(ask())).toMatchObject({ type: 'failed', failure: { cost: 'maybe' } });
      expect(bodies).toHaveLength(1);
      expect(await runner.run({ ...ask(), isAgreed: true })).toMatchObject({ type: 'answered', wasPaid: false });
    },
  );

  it('is not made once a person has ended its wait', async () => {
    const runner = await start();
    await expect(runner.run(ask(), AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended');
    expect(bodies).toHaveLength(0);
  });

  const head = { 'content-type': 'application/json' };
  const unclear: readonly { what: string; how: RequestListener }[] = [
    { what: 'is reset', how: (request) => void request.socket.destroy() },
    { what: 'gets a 502', how: (_request, response) => void response.writeHead(502).end('bad gateway') },
    {
      what: 'is cut in the middle of its answer',
      how: (request, response) => {
        response.writeHead(200, { ...head, 'content-length': 100 });
        response.write('{"text":', () => request.socket.destroy());
      },
    },
    { what: 'is sent elsewhere', how: (_request, response) => void response.writeHead(302, { location: '/' }).end() },
    { what: 'gets no answer', how: () => void pass(clock, 61_000) },
  ];

  it.each(unclear)('that $what is a decision, and is sent again only when a person agrees', async ({ how }) => {
    let runner = await start();
    answer = how;
    expect(await runner.run(ask())).toMatchObject({ type: 'failed', failure: { cost: 'maybe' } });
    answer = (_request, response) => void response.end('{"text":"blue"}');
    runner = await startAgain();
    const asked = await runner.run(ask());
    expect(asked).toMatchObject({
      type: 'failed',
      failure: { cost: 'maybe', message: expect.saying(/was sent, but no clear answer/) as Text },
    });
    expect(bodies).toHaveLength(1);
    expect(await runner.run({ ...ask(), isAgreed: true })).toMatchObject({ type: 'answered' });
    expect(bodies).toHaveLength(2);
    expect(runner.unclear()).toEqual([]);
  });

  const refused: readonly { status: number; remedy: RegExp }[] = [
    { status: 400, remedy: /the model/ },
    { status: 401, remedy: /valid key/ },
    { status: 402, remedy: /credit/ },
    { status: 429, remedy: /Wait/ },
  ];

  it.each(refused)('that is refused with $status cost nothing and may be made again', async ({ status, remedy }) => {
    const runner = await start();
    answer = (_request, response) => void response.writeHead(status, head).end('{"error":{"message":"No."}}');
    const failure = {
      cost: 'nothing',
      remedy: expect.saying(remedy) as Text,
    };
    expect(await runner.run(ask())).toMatchObject({ type: 'failed', failure });
    expect(runner.unclear()).toEqual([]);
  });

  it('that no service took was not charged', async () => {
    const runner = await start();
    await new Promise((resolve) => server.close(resolve));
    expect(await runner.run(ask())).toMatchObject({ type: 'failed', failure: { cost: 'nothing' } });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  it('that a person dismissed is not shown any more, and the same question is a new one', async () => {
    const runner = await start();
    answer = (request) => void request.socket.destroy();
    await runner.run(ask());
    runner.dismiss(runner.unclear()[0]?.id ?? '');
    expect(runner.unclear()).toEqual([]);
    answer = (_request, response) => void response.end('{}');
    expect(await runner.run(ask())).toMatchObject({ type: 'answered' });
  });

  it('is not sent in a project of a studio, which grants takes alone', async () => {
    const runner = await start();
    const [projectId, path] = ['film', join(folder, 'film')];
    new ProjectStore(db).begin({ id: projectId, path, name: 'Film' }, 0);
    new JobStore(db).studio.join({ projectId, studio: 'studio-1', root: 'nas', path: 'film' });
    answer = () => expect.unreachable();
    await expect(runner.run({ ...ask(), projectId })).rejects.toMatchObject({ code: 'studio_tools' });
    expect(runner.unclear()).toEqual([]);
  });
});
