import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { t } from '../../contract/messages/words.ts';
import { DataFolderInUseError } from '../../engine/base/instance-lock.ts';
import { windowsProgram } from '../../engine/base/machine.ts';
import { machineId } from '../../host/data-folder.ts';
import type { HostedEngine } from '../../host/hosted-engine.ts';
import { packageFolder } from '../../host/package-folder.ts';
import { writeWhole } from '../../host/settings-file.ts';
import { type PrivateHost, startPrivateHost } from '../../server/private/host.ts';
import { socketFor } from '../../server/private/socket-path.ts';
import { environmentForOthers } from '../../server/web/browser-desktop.ts';
import { startWebHost, type WebHost } from '../../server/web/host.ts';
import { startHere } from '../own-engine.ts';
import { keptAccess } from '../service-access.ts';
import { aborted, commandLine, type Session } from '../session.ts';
import { portNumber, verb, word } from '../verb.ts';

const SERVE = [
  word('--port <n>', 'cli.optServePort', { parse: portNumber }),
  word('--open', 'cli.optServeOpen'),
] as const;
export const verbs = [
  verb('serve', 'cli.helpServe', SERVE, async (session, { port, open = false }) => {
    let hosted: HostedEngine;
    try {
      hosted = await startHere(session, keptAccess(session));
    } catch (error) {
      return openAnother(session, error, open);
    }
    const { engine, services } = hosted;
    let host: WebHost | null = null;
    let shared: PrivateHost | null = null;
    try {
      const windowFolder = join(packageFolder(), 'out', 'renderer');
      host = await startWebHost({ services, windowFolder, port });
      const { newEntry } = host;
      shared = await startPrivateHost(services, newEntry);
      engine.announce(shared.socket);
      engine.queue.run({});
      hosted.studio.begin();
      tell(session, t('cli.servedAt', { is: 'now', address: newEntry() }), open ? newEntry() : null);
      await aborted(session.interrupted);
      session.complain(t('cli.stopping', { count: engine.queue.status().underWay.submit }));
    } finally {
      await host?.close();
      await shared?.close();
      await hosted.stop();
    }
  }),
];

/** Another engine holds the data folder: if it serves a window already, that one is opened. */
async function openAnother(session: Session, error: unknown, open: boolean): Promise<void> {
  const holder = error instanceof DataFolderInUseError ? error.holder : null;
  const socket = socketFor(holder, machineId(session.shell));
  if (holder === null || socket === null) throw error;
  const { connect } = await import('../shared-engine.ts');
  const connection = connect(holder, socket);
  try {
    const address = await connection.newEntry();
    if (address === null) throw error;
    tell(session, t('cli.servedAt', { is: 'already', address }), open ? await connection.newEntry() : null);
  } finally {
    await connection.close();
  }
}

/** Each address lets one window in, so the printed one is not the opened one. */
function tell(session: Session, line: string, opened: string | null): void {
  session.print(line);
  session.print(t('cli.oneWindow', { command: commandLine({}, 'serve', '--open') }));
  if (opened !== null) openBrowser(session, opened);
}

/** Without one of these, a Linux machine shows no browser window; its opener might start one in the terminal. */
const SCREENS = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'];

/** An opener that fails within this time has opened nothing, ms. */
const SOON_MS = 15_000;

/**
 * Opens the browser at a served window. It passes the path of a file that only this user can read and that redirects to
 * `entry`, because every user of the machine can read the arguments of every process. The address was printed before:
 * without a browser this only reports the problem.
 */
function openBrowser({ shell, dataFolder, complain: failed }: Session, entry: string): void {
  const { platform, env } = shell;
  if (!['win32', 'darwin'].includes(platform) && !SCREENS.some((name) => env[name])) {
    return failed(t('cli.noBrowser'));
  }
  const file = join(dataFolder, 'run', 'open-window.html');
  writeWhole(file, pageThatLeadsTo(entry));
  const [command, ...args] =
    platform === 'win32'
      ? [windowsProgram('System32', 'rundll32.exe'), 'url.dll,FileProtocolHandler', file]
      : [platform === 'darwin' ? 'open' : 'xdg-open', file];
  try {
    const browser = spawn(command, args, { stdio: 'ignore', detached: true, env: environmentForOthers(env) });
    const startedAt = shell.clock.now();
    browser.on('error', () => failed(t('cli.noBrowser')));
    browser.on('exit', (status) => {
      // One that ends later did open a browser. The exit status of Windows' opener means nothing.
      const isEarly = shell.clock.now() - startedAt < SOON_MS;
      if (status !== 0 && isEarly && platform !== 'win32') failed(t('cli.noBrowser'));
    });
    browser.unref();
  } catch {
    failed(t('cli.noBrowser'));
  }
}

/** `entry` is our own address: it contains nothing that HTML would interpret. */
const pageThatLeadsTo = (entry: string): string =>
  `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${entry}">
<title>Dailies</title>
<p>${t('cli.opensHere')}</p>
`;
