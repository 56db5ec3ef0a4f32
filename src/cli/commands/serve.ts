import { join } from 'node:path';
import { DataFolderInUseError } from '../../engine/instance-lock.ts';
import { startHostedEngine, type HostedEngine } from '../../host/hosted-engine.ts';
import { packageFolder } from '../../host/package-folder.ts';
import { startWebHost, type WebHost } from '../../server/web/host.ts';
import { readToken } from '../../server/web/token.ts';
import { addressOf } from '../engine/shared-address.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { openBrowser } from '../open-browser.ts';
import { stoppingLine } from '../output/stopping.ts';
import { settingsOf } from '../service-access.ts';
import { sayTo, type Session } from '../session.ts';

export interface ServeOptions {
  readonly port?: number;
  readonly open?: boolean;
}

/** Serves the window to the browsers of this machine and works on the queue, until the person asks to stop. */
export async function serve(session: Session, options: ServeOptions): Promise<ExitStatus> {
  const { shell, dataFolder } = session;
  const say = sayTo(session);
  let hosted: HostedEngine;
  try {
    hosted = await startHostedEngine(shell, {
      dataFolder,
      settings: settingsOf(session),
      command: 'dailies serve',
      // Only a desktop program can keep the machine awake.
      keepsAwake: () => null,
    });
  } catch (error) {
    return tellWhereItIs(session, error, options);
  }
  const { engine, services } = hosted;
  let host: WebHost | null = null;
  try {
    host = await startWebHost({
      services,
      windowFolder: join(packageFolder(), 'out', 'renderer'),
      ...(options.port !== undefined && { port: options.port }),
    });
    engine.announce(host.address);
    engine.queue.run({});
    say(`Dailies is at ${host.entry}`);
    if (options.open) openBrowser(session, host.address, host.token);
    await untilInterrupted(session.interrupted);
    shell.stderr.write(`${stoppingLine(engine.queue.status().underWay.submit)}\n`);
  } finally {
    await host?.close();
    await hosted.stop();
  }
  return exitStatus.saved;
}

/** Another engine holds the data folder: a window that is served already is as good as a new one. */
function tellWhereItIs(session: Session, error: unknown, { open }: ServeOptions): ExitStatus {
  const address = error instanceof DataFolderInUseError ? addressOf(error.holder) : null;
  const token = readToken(session.dataFolder);
  if (address === null || token === null) throw error;
  sayTo(session)(`Dailies is at work already, at ${address}/?token=${token}`);
  if (open) openBrowser(session, address, token);
  return exitStatus.saved;
}

function untilInterrupted(interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interrupted.aborted) resolve();
    else interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
}
