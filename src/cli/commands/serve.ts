import { say } from '../../contract/messages/words.ts';
import { join } from 'node:path';
import { DataFolderInUseError } from '../../engine/base/instance-lock.ts';
import type { HostedEngine } from '../../host/hosted-engine.ts';
import { packageFolder } from '../../host/package-folder.ts';
import { startPrivateHost, type PrivateHost } from '../../server/private/host.ts';
import { startWebHost, type WebHost } from '../../server/web/host.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { openBrowser } from '../open-browser.ts';
import { settingsOf } from '../service-access.ts';
import { startHere } from '../own-engine.ts';
import { aborted, printTo, type Session, commandLine } from '../session.ts';
import { portNumber, verb, word, type Given } from '../verb.ts';
import { machineId } from '../../host/data-folder.ts';
import { socketOf } from '../../server/private/socket-path.ts';
import { stoppingLine } from '../output/words.ts';

const SERVE = [
  word('--port <n>', 'cli.optServePort', { parse: portNumber }),
  word('--open', 'cli.optServeOpen'),
] as const;
type ServeOptions = Given<typeof SERVE>;

export const verbs = [verb('serve', 'cli.helpServe', SERVE, serve)];

/** Serves the window to the browsers of this machine and works on the queue, until the person asks to stop. */
async function serve(session: Session, options: ServeOptions): Promise<ExitStatus> {
  let hosted: HostedEngine;
  try {
    hosted = await startHere(session, { settings: settingsOf(session), command: 'dailies serve' });
  } catch (error) {
    return openAnother(session, error, options);
  }
  const { engine, services } = hosted;
  let host: WebHost | null = null;
  let shared: PrivateHost | null = null;
  try {
    const windowFolder = join(packageFolder(), 'out', 'renderer');
    host = await startWebHost({ services, windowFolder, port: options.port });
    const { newEntry } = host;
    shared = await startPrivateHost(services, newEntry);
    engine.announce(shared.socket);
    engine.queue.run({});
    tell(session, 'cli.servedAt', newEntry, options);
    await aborted(session.interrupted);
    session.shell.stderr.write(`${stoppingLine(engine.queue.status().underWay.submit)}\n`);
  } finally {
    await host?.close();
    await shared?.close();
    await hosted.stop();
  }
  return exitStatus.saved;
}

/** Another engine holds the data folder: if it serves a window already, that one is opened. */
async function openAnother(session: Session, error: unknown, options: ServeOptions): Promise<ExitStatus> {
  const holder = error instanceof DataFolderInUseError ? error.holder : null;
  const socket = socketOf(holder, machineId(session.shell));
  if (holder === null || socket === null) throw error;
  const { connect } = await import('../shared-engine.ts');
  const connection = connect(holder, socket);
  try {
    const [printed, opened] = [await connection.newEntry(), await connection.newEntry()];
    if (printed === null || opened === null) throw error;
    const entries = [printed, opened];
    tell(session, 'cli.servedAlreadyAt', () => entries.shift() ?? '', options);
    return exitStatus.saved;
  } finally {
    await connection.close();
  }
}

/** Each address lets one window in, so the printed one is not the opened one. */
function tell(
  session: Session,
  words: 'cli.servedAt' | 'cli.servedAlreadyAt',
  newEntry: () => string,
  { open }: ServeOptions,
): void {
  const print = printTo(session);
  print(say(words, { address: newEntry() }));
  print(say('cli.oneWindow', { command: commandLine({}, 'serve', '--open') }));
  if (open) openBrowser(session, newEntry());
}
