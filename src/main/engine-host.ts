import { registerHooks } from 'node:module';
import tls from 'node:tls';
import { languageFor } from '../contract/messages/languages.ts';
import { messageFor } from '../contract/messages/message.ts';
import { sayText, setLanguage } from '../contract/messages/words.ts';
import type { Settings } from '../contract/settings.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import { DailiesError, toDiskTrouble, toMessage } from '../engine/base/errors.ts';
import { nonEmpty } from '../host/data-folder.ts';
import { startHostedEngine } from '../host/hosted-engine.ts';
import { readSettings } from '../host/settings-file.ts';
import { type Port, servePort } from '../server/router/router.ts';
import { type PrivateHost, startPrivateHost } from '../server/private/host.ts';
import { type EngineTrouble, type FromEngine, IN_USE, type ReaderEntry, ToEngine } from './engine-messages.ts';
import { basename } from 'node:path/posix';
import type { ReaderProcess, StartReader } from '../engine/base/reader-process.ts';
import type { FromReader } from '../engine/base/serve-reader.ts';
import type { Environment } from '../host/process-environment.ts';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { ShellContract } from '../contract/desktop.ts';
import type { Engine } from '../engine/engine.ts';

/** A port as it arrives: nothing comes through before `start`. */
export type ArrivedPort = Port & { start(): void; close(): void };

/** The line of the engine's process to main; Electron's `process.parentPort`. */
export interface ParentPort {
  on(event: 'message', listener: (message: { data: unknown; ports: readonly ArrivedPort[] }) => void): void;
  postMessage(message: FromEngine): void;
}

type EngineStart = Extract<ToEngine, { type: 'start' }>;

type RunningEngine = Awaited<ReturnType<typeof startRunning>>;

/**
 * Hosts an engine as main asks for it. `end` ends the process with a status. What it returns steers it for the system:
 * `stop` drains and ends the process, `fail` notes an unexpected failure and ends it, since its state is unknown.
 */
export function hostEngine(parent: ParentPort, machine: Environment, end: (status: number) => void) {
  let starting: Promise<RunningEngine | null> = Promise.resolve(null);
  let running: RunningEngine | null = null;

  const start = async (order: EngineStart, desktop: ArrivedPort): Promise<RunningEngine | null> => {
    try {
      running = await startRunning(machine, order, desktop);
      parent.postMessage({ type: 'running', socket: running.socket });
    } catch (error) {
      // Main's end goes with it. A folder that is in use is tried every other second, for a night perhaps.
      desktop.close();
      parent.postMessage({ type: 'failed', trouble: engineTroubleFor(error, order.dataFolder) });
    }
    return running;
  };
  const fail = (error: unknown): void => {
    running?.log(error instanceof Error ? (error.stack ?? error.message) : toMessage(error));
    end(1);
  };
  let stopping: Promise<void> | null = null;
  const stop = (): void => {
    stopping ??= starting.then((engine) => engine?.stop()).then(() => end(0), fail);
  };

  parent.on('message', ({ data, ports: [port] }) => {
    const message = ToEngine.parse(data);
    if (message.type === 'stop') return stop();
    if (message.type === 'reader' || message.type === 'readerEnded') return;
    if (!port) throw new Error(`A port must come with ${message.type}.`);
    if (message.type === 'start') {
      starting = starting.then((engine) => {
        if (!engine) return start(message, port);
        // A second start must not find its own engine in the folder and believe that there is none.
        port.close();
        return engine;
      });
    } else void starting.then((engine) => engine?.serve(port));
  });
  return { stop, fail };
}

/**
 * Starts the engine and everything that leads to it. The socket is there for media, and for the commands of a terminal,
 * which share this engine instead of fighting it for the folder. The app opens no port.
 */
async function startRunning(machine: Environment, order: EngineStart, toMain: ArrivedPort) {
  const { dataFolder, systemLanguage } = order;
  const settings = settingsInForce(machine, dataFolder);
  // Messages to a person who is away have words here. Another language counts from the next start.
  await setLanguage(languageFor([settings.language, systemLanguage]));
  const desktop = desktopOver(toMain);
  toMain.start();
  const hosted = await startHostedEngine(machine, {
    dataFolder,
    settings,
    command: 'Dailies',
    power: desktop.powerState,
    appFacts: desktop.facts,
    askSystem: (origin) => desktop.resolveProxy({ origin }),
    notify: desktop.notify,
    // For a person who started the app in a terminal, or reads the log of the system.
    sayAtOnce: (message) => void process.stderr.write(`${sayText(message)}\n`),
  });
  const { engine, services } = hosted;
  const stopping = new AbortController();
  let shared: PrivateHost | null = null;
  const stop = async (): Promise<void> => {
    stopping.abort();
    await shared?.close();
    await hosted.stop();
  };
  try {
    shared = await startPrivateHost(services);
    const { socket } = shared;
    engine.announce(socket);
    engine.queue.run({});
    hosted.studio.begin();
    void followPower(desktop, engine.queue, stopping.signal);
    return {
      socket,
      serve(port: ArrivedPort): void {
        servePort({ ...services, desktop, stopping: stopping.signal }, port);
        port.start();
      },
      log(reason: string): void {
        services.host.logger.error('The process of the engine failed', { reason });
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The settings of the data folder, with the address of `DAILIES_BASE_URL` over their own, as the commands have it. */
function settingsInForce({ env }: Environment, dataFolder: string): Settings {
  const settings = readSettings(dataFolder);
  const address = nonEmpty(env['DAILIES_BASE_URL']);
  return address === undefined ? settings : { ...settings, baseUrl: parseServiceAddress(address).base };
}

/** Why an engine could not start on a data folder, for a person without a terminal. Pure. */
function engineTroubleFor(error: unknown, dataFolder: string): EngineTrouble {
  // The disk below may be why the database or the settings failed.
  const disk = toDiskTrouble(error) ?? (error instanceof Error ? toDiskTrouble(error.cause) : null);
  if (disk) {
    const message = messageFor('shell.dataFolderUnusable', { folder: dataFolder, reason: disk.text });
    return { code: disk.code, message, remedy: disk.remedy };
  }
  if (error instanceof DailiesError) {
    const { code, text } = error;
    return { code, message: text, remedy: code === IN_USE ? messageFor('shell.dataFolderUsedRemedy') : error.remedy };
  }
  return {
    code: 'internal',
    message: messageFor('shell.engineNotStarted', { reason: toMessage(error) }),
    remedy: messageFor('shell.engineNotStartedRemedy'),
  };
}

/**
 * Trusts the system's authorities besides Node's own, for example that of a studio. The packaged app ignores
 * `NODE_OPTIONS`, so `NODE_EXTRA_CA_CERTS` too. When the system's authorities cannot be read, Node's own remain.
 */
export function trustSystem(node: Pick<typeof tls, 'getCACertificates' | 'setDefaultCACertificates'> = tls): void {
  try {
    const known = new Set(node.getCACertificates('default'));
    const more = node.getCACertificates('system').filter((certificate) => !known.has(certificate));
    if (more.length > 0) node.setDefaultCACertificates([...known, ...more]);
  } catch {
    // A connection that needs one of them says that its authority is not trusted, and sends nothing.
  }
}

/**
 * Makes sharp use its WebAssembly build in this process.
 *
 * Electron on Linux links the system's GLib, and sharp's native library brings its own. In one process each gets the
 * other's objects, and sooner or later a picture ends the process, with no error to catch. sharp takes the WebAssembly
 * build when there is no native one: the Linux package of the app has none. A checkout has one, for the command, so
 * this hides it.
 */
export function usePortableSharp(): void {
  const isPackaged = import.meta.dirname.includes('app.asar');
  if (process.platform !== 'linux' || isPackaged) return;
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('@img/sharp-linux')) return next(specifier, context);
      throw Object.assign(new Error(`${specifier} must not be loaded in Electron.`), { code: 'MODULE_NOT_FOUND' });
    },
  });
}

/** What main does for the engine's process: the other end of `serveDesktop`. Must not import electron. */
export const desktopOver = (port: Port): ContractRouterClient<ShellContract> => createORPCClient(new RPCLink({ port }));

/** Lets the queue rest while the machine sleeps, until the signal is aborted. */
export async function followPower(
  { power }: Pick<ContractRouterClient<ShellContract>, 'power'>,
  queue: Pick<Engine['queue'], 'rest' | 'wake'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const event of await power(undefined, { signal })) {
      if (event === 'suspend') queue.rest();
      else queue.wake();
    }
  } catch {
    // The end of the listening, or of main; a rest ends by itself.
  }
}

/** Electron's ports have `on`. */
type ReaderPort = ArrivedPort & { on(event: 'message', listener: (message: { readonly data: unknown }) => void): void };

/** Asks main for each process that reads files; the other side is `Readers`. */
export function readersOfMain(parent: ParentPort): StartReader {
  const arrivals = new Map<number, { arrived(port: ReaderPort): void; ended(): void }>();
  let newest = 0;
  parent.on('message', ({ data, ports: [port] }) => {
    const message = ToEngine.parse(data);
    if (message.type === 'reader' && port) arrivals.get(message.id)?.arrived(port as ReaderPort);
    if (message.type !== 'readerEnded') return;
    arrivals.get(message.id)?.ended();
    arrivals.delete(message.id);
  });
  return (entry): ReaderProcess => {
    newest += 1;
    const id = newest;
    const port = Promise.withResolvers<ReaderPort>();
    let onEvent: (message: FromReader) => void = () => undefined;
    let ended = (): void => undefined;
    arrivals.set(id, {
      arrived(arrived) {
        arrived.on('message', ({ data }) => onEvent(data as FromReader));
        arrived.start();
        port.resolve(arrived);
      },
      ended: () => ended(),
    });
    parent.postMessage({ type: 'startReader', id, entry: basename(entry.pathname) as ReaderEntry });
    return {
      send: (message) => void port.promise.then((arrived) => arrived.postMessage(message)),
      onMessage: (listener) => void (onEvent = listener),
      onEnd: (listener) => void (ended = listener),
      kill: () => parent.postMessage({ type: 'endReader', id }),
      // The engine runs for as long as the app.
      hold: () => undefined,
    };
  };
}
