import { basename } from 'node:path/posix';
import type { MessageChannelMain, UtilityProcess } from 'electron';
import type { ReaderProcess, StartReader } from '../engine/base/reader-process.ts';
import type { FromReader } from '../engine/base/serve-reader.ts';
import type { ArrivedPort, ParentPort } from './engine-host.ts';
import { ToEngine, type FromEngine } from './engine-messages.ts';

type StartOrEnd = Extract<FromEngine, { type: 'startReader' | 'endReader' }>;
/** Electron's ports have `on`. */
type Port = ArrivedPort & { on(event: 'message', listener: (message: { readonly data: unknown }) => void): void };
type Entry = Extract<FromEngine, { type: 'startReader' }>['entry'];

/** Main's side: starts the processes that read files for the engine, which can start none itself. */
export class Readers {
  readonly #fork: (entry: Entry) => UtilityProcess;
  readonly #channel: () => MessageChannelMain;
  readonly #running = new Map<number, UtilityProcess>();

  constructor(fork: (entry: Entry) => UtilityProcess, channel: () => MessageChannelMain) {
    this.#fork = fork;
    this.#channel = channel;
  }

  handle(message: StartOrEnd, tell: (message: ToEngine, port?: MessageChannelMain['port2']) => void): void {
    const { id } = message;
    if (message.type === 'endReader') return void this.#running.get(id)?.kill();
    const reader = this.#fork(message.entry);
    this.#running.set(id, reader);
    reader.on('exit', () => {
      this.#running.delete(id);
      tell({ type: 'readerEnded', id });
    });
    const { port1, port2 } = this.#channel();
    reader.postMessage(null, [port1]);
    tell({ type: 'reader', id }, port2);
  }

  /** The engine is gone. */
  endAll(): void {
    for (const reader of this.#running.values()) reader.kill();
    this.#running.clear();
  }
}

/** The engine's side: asks main for each process. */
export function readersOfMain(parent: ParentPort): StartReader {
  const arrivals = new Map<number, { arrived(port: Port): void; ended(): void }>();
  let newest = 0;
  parent.on('message', ({ data, ports: [port] }) => {
    const message = ToEngine.parse(data);
    if (message.type === 'reader' && port) arrivals.get(message.id)?.arrived(port as Port);
    if (message.type !== 'readerEnded') return;
    arrivals.get(message.id)?.ended();
    arrivals.delete(message.id);
  });
  return (entry): ReaderProcess => {
    newest += 1;
    const id = newest;
    const port = Promise.withResolvers<Port>();
    let hear: (message: FromReader) => void = () => undefined;
    let ended = (): void => undefined;
    arrivals.set(id, {
      arrived(arrived) {
        arrived.on('message', ({ data }) => hear(data as FromReader));
        arrived.start();
        port.resolve(arrived);
      },
      ended: () => ended(),
    });
    parent.postMessage({ type: 'startReader', id, entry: basename(entry.pathname) as Entry });
    return {
      send: (message) => void port.promise.then((arrived) => arrived.postMessage(message)),
      onMessage: (listener) => void (hear = listener),
      onEnd: (listener) => void (ended = listener),
      kill: () => parent.postMessage({ type: 'endReader', id }),
      // The engine runs for as long as the app.
      hold: () => undefined,
    };
  };
}
