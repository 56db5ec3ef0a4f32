import type { Kind } from '../../../src/contract/kinds/all.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { taskPathFor } from '../../../src/engine/kinds/index.ts';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { toQueues, RequestQueue, type AccountQueues } from '../../../src/engine/api/request-queue.ts';
import { createServiceClient, type ServiceClient, type ServiceClientOptions } from '../../../src/engine/api/client.ts';
import type { PlannedRequest } from '../../../src/contract/take.ts';
import type { Clock } from '../../../src/engine/base/ports.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryLog } from '../../support/memory-log.ts';

export const KEY = 'sk-test-0123456789abcdef';

export const clockOfTest = (): FakeClock => new FakeClock(Date.UTC(2030, 0, 1));

/** One request as it came over the wire. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** What the server does once a whole request is there. */
export type Script = (socket: Socket, request: SeenRequest) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly requests: SeenRequest[];
  readonly connections: number;
  /** Resolves when the n-th whole request has come. */
  seen(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A server of raw sockets, so that it can break what an HTTP server would not let it break. */
export async function scriptedServer(
  script: Script,
  { onConnect = (_socket: Socket): void => undefined } = {},
): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let connections = 0;

  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let read = takeRequest(received); read !== null; read = takeRequest(received)) {
        received = Buffer.from(read.rest);
        requests.push(read.request);
        for (const waiter of waiting) if (requests.length >= waiter.count) waiter.resolve();
        script(socket, read.request);
      }
    });
    onConnect(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    requests,
    get connections() {
      return connections;
    },
    seen: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

function takeRequest(received: Buffer): { request: SeenRequest; rest: Buffer } | null {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [start = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyEnd = end + 4 + Number(headers['content-length'] ?? 0);
  if (received.length < bodyEnd) return null;
  const [method = '', path = ''] = start.split(' ');
  const request = { method, path, headers, body: received.subarray(end + 4, bodyEnd) };
  return { request, rest: received.subarray(bodyEnd) };
}

/** A whole HTTP answer; objects travel as JSON. */
export function answer(status: number, body: unknown = '', headers: Record<string, string> = {}): Script {
  return (socket) => {
    socket.write(httpAnswer(status, body, headers));
  };
}

export function httpAnswer(status: number, body: unknown = '', headers: Record<string, string> = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { 'content-length': String(Buffer.byteLength(text)), 'content-type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${String(status)} Word\r\n${lines.join('')}\r\n${text}`;
}

export const hang: Script = () => undefined;
export const reset: Script = (socket) => {
  socket.resetAndDestroy();
};

/** Everything a test of the client needs, closed by `await using`. */
export interface Bench extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly client: ServiceClient;
  readonly clock: FakeClock;
  readonly log: MemoryLog;
}

export async function bench(
  script: Script,
  options: Partial<ServiceClientOptions> & { onConnect?: (socket: Socket) => void } = {},
): Promise<Bench> {
  const { onConnect, ...overrides } = options;
  const server = await scriptedServer(script, onConnect === undefined ? {} : { onConnect });
  const clock = clockOfTest();
  const log = new MemoryLog();
  const client = createServiceClient({
    baseUrl: server.url,
    apiKey: () => KEY,
    clock,
    logger: log,
    timeouts: { connectMs: 15_000, submitMs: 600_000, answerMs: 3_600_000, getMs: 30_000 },
    random: () => 0.5,
    queues: unlimitedQueues(clock),
    ...overrides,
  });
  return {
    server,
    client,
    clock,
    log,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server.close();
    },
  };
}

/** A paid request for a task. */
export const videoRequest: PlannedRequest = {
  operation: 'videos.create',
  method: 'POST',
  path: '/v1/videos',
  encoding: 'json',
  body: { model: 'vgen-2.0-cl', prompt: 'A lighthouse at dusk' },
  files: [],
  answers: 'task',
};

/** A paid request whose answer is the result. */
export const imageRequest: PlannedRequest = {
  ...videoRequest,
  operation: 'images.generate',
  path: '/v1/images/generations',
  answers: 'json',
};

/** An address at which nothing listens. */
export async function deadAddress(): Promise<string> {
  const server = await scriptedServer(hang);
  await server.close();
  return server.url;
}

/** Where a task of a kind is asked about, under the settings as they come. */
export const taskPath = (kind: Kind, taskId: string): string =>
  taskPathFor({ kind, params: {} }, taskId, Settings.parse({}));

/** Only the floors of 429s hold requests back. */
export function unlimitedQueues(clock: Clock): AccountQueues {
  const limits = { concurrency: Infinity, maxRate: Infinity };
  return toQueues(() => new RequestQueue({ clock, limits }));
}
