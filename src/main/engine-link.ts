import { textForLog } from '../contract/messages/message.ts';
import { createORPCClient, DynamicLink, type ClientContext, type ClientLink } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { MessageChannelMain, type MessagePortMain, type UtilityProcess } from 'electron';
import type { Contract } from '../contract/procedures.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import { FromEngine, IN_USE, type EngineTrouble, type ReaderEntry, type ToEngine } from './engine-messages.ts';
import { systemLanguage } from './window.ts';

/** How often it is looked whether a data folder that was in use is free, ms. */
const LOOK_AGAIN_MS = 2000;
/** How long after a crash the engine restarts, ms, by the number of crashes before. */
const RESTART_AFTER_MS = [200, 1000, 3000, 10_000] as const;
/** Deaths that lie further back than this say nothing about the next start, ms. */
const MEMORY_MS = 10 * 60 * 1000;

export interface EngineLinkOptions {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fork: () => UtilityProcess;
  readonly kill: (child: UtilityProcess) => void;
  readonly forkReader: (entry: ReaderEntry) => UtilityProcess;
  readonly serveDesktop: (port: MessagePortMain) => void;
  /** It could not start. A folder that is in use is tried again by itself, anything else by `tryAgain`. */
  readonly onTrouble: (trouble: EngineTrouble) => void;
  /** It works: at the start, and again after a death. Ports of the engine before are dead. */
  readonly onRunning: () => void;
  /** It crashed so often within a few minutes that it does not restart before `tryAgain`. */
  readonly onGaveUp: (deaths: number) => void;
}

interface Connected {
  readonly socket: string;
  readonly child: UtilityProcess;
  readonly link: ClientLink<ClientContext>;
}

/** The engine's process for main: started, restarted after a crash, stopped. Calls over ports wait for its start. */
export class EngineLink {
  readonly client: ContractRouterClient<Contract>;
  readonly #options: EngineLinkOptions;
  readonly #readers: Readers;
  readonly #over = new AbortController();
  #child: UtilityProcess | null = null;
  #connected = Promise.withResolvers<Connected>();
  #running = false;
  #deaths: number[] = [];
  #trouble = '';
  #exited = Promise.resolve(0);

  constructor(options: EngineLinkOptions) {
    this.#options = options;
    this.#readers = new Readers(options.forkReader);
    // There may be no caller when it turns out that there will be no engine.
    this.#connected.promise.catch(() => undefined);
    this.client = createORPCClient(new DynamicLink(async () => (await this.#connected.promise).link));
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** The socket that gives media; waits for an engine that is just starting. Rejects once the link is stopped. */
  async socket(): Promise<string> {
    return (await this.#connected.promise).socket;
  }

  start(): void {
    const { fork, logger } = this.#options;
    const child = fork();
    const exited = Promise.withResolvers<number>();
    this.#exited = exited.promise;
    this.#child = child;
    child.on('message', (message: unknown) => this.#onEvent(child, FromEngine.parse(message)));
    // Without memory, say. Its report is left out: it holds the whole environment, and with it the key. The end follows.
    child.on('error', (type: unknown, location: unknown) => {
      logger.error('The process of the engine cannot go on', { type, location });
    });
    child.on('exit', (status) => {
      exited.resolve(status);
      this.#readers.endAll();
      this.#child = null;
      this.#running = false;
      if (!this.#over.signal.aborted) this.#onCrash(status);
    });
    this.#orderStart(child);
  }

  tryAgain(): void {
    this.#deaths = [];
    if (this.#child) this.#orderStart(this.#child);
    else this.start();
  }

  async openPort(): Promise<MessagePortMain> {
    const { child } = await this.#connected.promise;
    return this.#portTo(child);
  }

  /**
   * Drains and stops the engine. Aborting `force` ends its process at once: the outcome of running submits is then
   * unclear, and the person decides at the next start.
   */
  async stop(force: AbortSignal): Promise<void> {
    this.#over.abort();
    this.#connected.reject(new Error('The engine was stopped.'));
    const child = this.#child;
    if (!child) return;
    tell(child, { type: 'stop' });
    const kill = (): void => this.#options.kill(child);
    if (force.aborted) kill();
    force.addEventListener('abort', kill, { once: true });
    await this.#exited;
    force.removeEventListener('abort', kill);
  }

  #orderStart(child: UtilityProcess): void {
    const { port1, port2 } = new MessageChannelMain();
    this.#options.serveDesktop(port1);
    port1.start();
    const { dataFolder } = this.#options;
    tell(child, { type: 'start', dataFolder, systemLanguage: systemLanguage() }, port2);
  }

  #portTo(child: UtilityProcess): MessagePortMain {
    const { port1, port2 } = new MessageChannelMain();
    tell(child, { type: 'serve' }, port2);
    return port1;
  }

  #onEvent(child: UtilityProcess, message: FromEngine): void {
    if (message.type === 'failed') return this.#onStartFailure(message.trouble);
    if (message.type !== 'running') {
      return this.#readers.handle(message, (answer, port) => tell(child, answer, port));
    }
    const port = this.#portTo(child);
    const link = new RPCLink({ port });
    port.start();
    this.#options.logger.info('The engine is at work', { socket: message.socket });
    this.#running = true;
    this.#trouble = '';
    this.#connected.resolve({ child, link, socket: message.socket });
    this.#options.onRunning();
  }

  #onStartFailure(trouble: EngineTrouble): void {
    // A folder that is in use for hours is not worth a line every other second.
    const reason = textForLog(trouble.message);
    if (reason !== this.#trouble) this.#options.logger.warn('The engine could not start', { ...trouble });
    this.#trouble = reason;
    this.#options.onTrouble(trouble);
    if (trouble.code === IN_USE) this.#later(LOOK_AGAIN_MS, () => this.tryAgain());
  }

  #onCrash(status: number): void {
    const now = this.#options.clock.now();
    this.#deaths = [...this.#deaths.filter((at) => at > now - MEMORY_MS), now];
    this.#connected = Promise.withResolvers<Connected>();
    this.#connected.promise.catch(() => undefined);
    const wait = RESTART_AFTER_MS[this.#deaths.length - 1];
    this.#options.logger.error('The process of the engine ended', { status, restartsInMs: wait ?? null });
    if (wait === undefined) this.#options.onGaveUp(this.#deaths.length);
    else this.#later(wait, () => this.start());
  }

  #later(ms: number, work: () => void): void {
    // Rejects only when the app ends, and then there is nothing left to do.
    void this.#options.clock.sleep(ms, { signal: this.#over.signal }).then(work, () => undefined);
  }
}

function tell(child: UtilityProcess, message: ToEngine, port?: MessagePortMain): void {
  child.postMessage(message, port ? [port] : []);
}

type StartOrEnd = Extract<FromEngine, { type: 'startReader' | 'endReader' }>;

/** The processes that read files for the engine, which can start none itself. */
export class Readers {
  readonly #fork: (entry: ReaderEntry) => UtilityProcess;
  readonly #running = new Map<number, UtilityProcess>();

  constructor(fork: (entry: ReaderEntry) => UtilityProcess) {
    this.#fork = fork;
  }

  handle(message: StartOrEnd, tell: (message: ToEngine, port?: MessagePortMain) => void): void {
    const { id } = message;
    if (message.type === 'endReader') return void this.#running.get(id)?.kill();
    const reader = this.#fork(message.entry);
    this.#running.set(id, reader);
    reader.on('exit', () => {
      this.#running.delete(id);
      tell({ type: 'readerEnded', id });
    });
    const { port1, port2 } = new MessageChannelMain();
    reader.postMessage(null, [port1]);
    tell({ type: 'reader', id }, port2);
  }

  endAll(): void {
    for (const reader of this.#running.values()) reader.kill();
    this.#running.clear();
  }
}
