import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Engine } from '../../engine/engine-api.ts';
import { DataFolderInUseError } from '../../engine/instance-lock.ts';
import type { Logger } from '../../engine/ports.ts';
import { freeBytes } from '../../engine/projects/free-space.ts';
import { SAMPLE_SERVICE } from '../../server/sample-project.ts';
import { startWebHost, type WebHost } from '../../server/web/host.ts';
import { readToken } from '../../server/web/token.ts';
import { logFileOf } from '../data-folder.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { createFileLogger } from '../log-file.ts';
import { packageFolder, packageVersion } from '../package-folder.ts';
import { settingsOf } from '../service-access.ts';
import { keyStore, type ServedKey } from '../serving/key-store.ts';
import { sampleKit, type SampleKit } from '../serving/sample-kit.ts';
import { settingsStore } from '../serving/settings-store.ts';
import { sayTo, type Session } from '../session.ts';

export interface ServeOptions {
  readonly port?: number;
  readonly open?: boolean;
}

/** Serves the window to the browsers of this machine and works on the queue, until the person asks to stop. */
export async function serve(session: Session, options: ServeOptions): Promise<ExitStatus> {
  const say = sayTo(session);
  const settings = settingsStore(session.dataFolder, settingsOf(session));
  const key = await keyStore(session, () => settings.get().baseUrl);
  const logger = loggerWithout(session, key);
  let engine: Engine;
  try {
    engine = await startEngine(session, { key, logger, settings: settings.get() });
  } catch (error) {
    return tellWhereItIs(session, error, options);
  }
  const sample = sampleKit(session);
  let host: WebHost | null = null;
  try {
    await goOnWithSample(engine, sample);
    host = await startWebHost({
      services: { engine, settings, key, host: serverHost(session, logger, sample) },
      windowFolder: join(packageFolder(), 'out', 'renderer'),
      ...(options.port !== undefined && { port: options.port }),
    });
    engine.announce(host.address);
    engine.queue.run({});
    say(`Dailies is at ${host.entry}`);
    if (options.open) openBrowser(session, host.entry);
    await untilInterrupted(session.interrupted);
    session.shell.stderr.write('Stopping: what is on its way to the service is waited for.\n');
  } finally {
    await host?.close();
    await engine.stop();
    await sample.stop();
  }
  return exitStatus.saved;
}

interface EngineParts {
  readonly key: ServedKey;
  readonly logger: Logger;
  readonly settings: ReturnType<typeof settingsOf>;
}

function startEngine({ shell, dataFolder }: Session, { key, logger, settings }: EngineParts): Promise<Engine> {
  return shell.startEngine({
    dataFolder,
    settings,
    command: 'dailies serve',
    ports: { clock: shell.clock, logger, secrets: { apiKey: () => key.current() }, disk: { freeBytes } },
  });
}

/** The log of this run, with the key as it is at the moment taken out of every line. */
function loggerWithout({ dataFolder }: Session, key: ServedKey): Logger {
  return createFileLogger(logFileOf(dataFolder), (line) => {
    const secret = key.current();
    return secret === null ? line : line.replaceAll(secret, '[key]');
  });
}

function serverHost({ shell, dataFolder }: Session, logger: Logger, sample: SampleKit) {
  return {
    version: packageVersion(),
    dataFolder,
    homeFolder: shell.homeFolder,
    clock: shell.clock,
    logger,
    // Only a desktop program can keep the machine awake.
    keepsAwake: () => null,
    freeBytes,
    sample: () => sample.open(),
  };
}

/** Takes of the sample project that an earlier run left unfinished need its service again. */
async function goOnWithSample(engine: Engine, sample: SampleKit): Promise<void> {
  const projects = await engine.views.projects();
  if (!projects.some(({ isSample, counts }) => isSample && counts.unfinished > 0)) return;
  engine.useService(SAMPLE_SERVICE, (await sample.open()).service);
}

/** Another engine holds the data folder: a window that is served already is as good as a new one. */
function tellWhereItIs(session: Session, error: unknown, { open }: ServeOptions): ExitStatus {
  if (!(error instanceof DataFolderInUseError) || !error.holder?.address) throw error;
  const token = readToken(session.dataFolder);
  if (token === null) throw error;
  const entry = `${error.holder.address}/?token=${token}`;
  sayTo(session)(`Dailies is at work already, at ${entry}`);
  if (open) openBrowser(session, entry);
  return exitStatus.saved;
}

function openBrowser({ shell }: Session, address: string): void {
  const [command, ...args] =
    shell.platform === 'win32'
      ? ['rundll32', 'url.dll,FileProtocolHandler', address]
      : [shell.platform === 'darwin' ? 'open' : 'xdg-open', address];
  const browser = spawn(command, args, { stdio: 'ignore', detached: true });
  // The address was printed: a machine without a browser is no reason to stop.
  browser.on('error', () => undefined);
  browser.unref();
}

function untilInterrupted(interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interrupted.aborted) resolve();
    else interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
}
