import { say } from '../contract/messages/words.ts';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { writeWhole } from '../host/settings-file.ts';
import type { Session } from './session.ts';
import { environmentForOthers } from '../server/web/browser-desktop.ts';

/** Without one of these a Linux has nowhere to show a browser, and its opener might bring up one for terminals. */
const SCREENS = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'];

/** An opener that ends badly within this time has opened nothing, ms. */
const SOON_MS = 15_000;

/**
 * Opens the browser at a served window. It is given the path of a file that only its user can read, which leads on to
 * `entry`: the arguments of every process can be read by every user of the machine. An address was printed before, so a
 * machine without a browser is told so, and goes on.
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
      ? ['rundll32', 'url.dll,FileProtocolHandler', file]
      : [platform === 'darwin' ? 'open' : 'xdg-open', file];
  try {
    const browser = spawn(command, args, { stdio: 'ignore', detached: true, env: environmentForOthers(env) });
    const startedAt = shell.clock.now();
    browser.on('error', () => failed(say('cli.noBrowser')));
    browser.on('exit', (status) => {
      // One that ends later was open, and what Windows' opener ends with says nothing.
      const isEarly = shell.clock.now() - startedAt < SOON_MS;
      if (status !== 0 && isEarly && platform !== 'win32') failed(say('cli.noBrowser'));
    });
    browser.unref();
  } catch {
    failed(say('cli.noBrowser'));
  }
}

/** `entry` is an address of ours: there is nothing in it that HTML could take for its own. */
const pageThatLeadsTo = (entry: string): string =>
  `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${entry}">
<title>Dailies</title>
<p>${say('cli.opensHere')}</p>
`;
