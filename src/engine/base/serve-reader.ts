import { isMainThread, Worker } from 'node:worker_threads';
import { toMessage } from './errors.ts';

export type ToReader = { readonly request: unknown } | { readonly next: true };
export type FromReader = { readonly piece: unknown; readonly isLast: boolean } | { readonly failure: string };

/** Memory of the whole process, bytes. */
const MAX_BYTES = 600 * 1000 ** 2;
/** Longer than any host waits: this ends a reader whose host is gone. */
const MAX_MS = 120_000;
const LOOK_EVERY_MS = 25;

/** Answers this process's host: `read` yields a file's pieces, each made once the host took the one before. */
export function serveReader<Request>(read: (request: Request) => AsyncIterable<unknown>): void {
  const turns = watched();
  const next: { resolve?: () => void } = {};
  const answer = async (send: (message: FromReader) => void, request: Request): Promise<void> => {
    Atomics.add(turns, 0, 1);
    try {
      let held: unknown;
      let isFirst = true;
      for await (const piece of read(request)) {
        if (!isFirst) {
          const taken = new Promise<void>((resolve) => (next.resolve = resolve));
          send({ piece: held, isLast: false });
          await taken;
        }
        isFirst = false;
        held = piece;
      }
      send({ piece: held, isLast: true });
    } catch (error) {
      send({ failure: toMessage(error) });
    } finally {
      Atomics.add(turns, 0, 1);
    }
  };
  connect((send) => (message) => {
    if ('request' in message) void answer(send, message.request as Request);
    else next.resolve?.();
  });
}

interface ElectronPort {
  on(event: 'message', listener: (message: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
  start(): void;
}
type ElectronProcess = NodeJS.Process & {
  readonly parentPort?: {
    once(event: 'message', listener: (message: { readonly ports: readonly ElectronPort[] }) => void): void;
  };
};

/** Over the port that Electron's main process sends first, or the channel of a fork. */
function connect(serve: (send: (message: FromReader) => void) => (message: ToReader) => void): void {
  const { parentPort } = process as ElectronProcess;
  if (parentPort) {
    parentPort.once('message', ({ ports: [port] }) => {
      if (!port) throw new Error('A reader is given a port.');
      const receive = serve((message) => port.postMessage(message));
      port.on('message', ({ data }) => receive(data as ToReader));
      port.start();
    });
    return;
  }
  process.on('disconnect', () => process.exit());
  const receive = serve((message) => process.send?.(message));
  process.on('message', (message) => receive(message as ToReader));
}

/** Runs in a thread, since the process itself is busy when it matters. */
const WATCH = `
const { workerData } = require('node:worker_threads');
const { turns, maxBytes, maxMs, every } = workerData;
let turn = 0;
let since = performance.now();
setInterval(() => {
  const now = Atomics.load(turns, 0);
  if (now !== turn) since = performance.now();
  turn = now;
  const isBusy = now % 2 === 1;
  if (process.memoryUsage.rss() > maxBytes || (isBusy && performance.now() - since > maxMs))
    process.kill(process.pid, 'SIGKILL');
}, every);
`;

/**
 * Ends this process when it takes too much memory or time. The count that is returned is odd while a file is read.
 */
function watched(): Int32Array {
  const turns = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { turns, maxBytes: MAX_BYTES, maxMs: MAX_MS, every: LOOK_EVERY_MS };
  // A stand-in for a process, in tests, is a thread of another one.
  if (isMainThread) new Worker(WATCH, { eval: true, workerData, env: {}, execArgv: [] }).unref();
  return turns;
}
