import { say } from '../contract/messages/words.ts';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { writeWhole } from '../host/settings-file.ts';
import type { Session } from './session.ts';
import { windowsProgram } from '../engine/base/machine.ts';
import { environmentForOthers } from '../server/web/browser-desktop.ts';

/**
 * Without one of these, a Linux machine cannot show a browser window, and its opener might start a browser in the
 * terminal.
 */
const SCREENS = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'];

/** An opener that fails within this time has opened nothing, ms. */
const SOON_MS = 15_000;

/**
 * Opens the browser at a served window. It passes the path of a file that only this user can read and that redirects to
 * `entry`, because every user of the machine can read the arguments of every process. The address was printed before:
 * without a browser this only reports the problem.
 */
export function openBrowser({ shell, dataFolder }: Session, entry: string): void {
  const failed = (why: string): void => {
    shell.stderr.write(`${why}\n`);
  };
  const { platform, env } = shell;
  if (!['win32', 'darwin'].includes(platform) && !SCREENS.some((name) => env[name])) {
    return failed(say('cli.noDisplay'));
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
    browser.on('error', () => failed(say('cli.noBrowser')));
    browser.on('exit', (status) => {
      // One that ends later did open a browser. The exit status of Windows' opener means nothing.
      const isEarly = shell.clock.now() - startedAt < SOON_MS;
      if (status !== 0 && isEarly && platform !== 'win32') failed(say('cli.noBrowser'));
    });
    browser.unref();
  } catch {
    failed(say('cli.noBrowser'));
  }
}

/** `entry` is our own address: it contains nothing that HTML would interpret. */
const pageThatLeadsTo = (entry: string): string =>
  `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${entry}">
<title>Dailies</title>
<p>${say('cli.opensHere')}</p>
`;
