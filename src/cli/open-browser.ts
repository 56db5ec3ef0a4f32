import { spawn } from 'node:child_process';
import type { Session } from './session.ts';
import { newEntryCode } from '../server/web/entry-codes.ts';
import { environmentForOthers } from '../server/web/environment.ts';

/** Without one of these a Linux has nowhere to show a browser, and its opener might bring up one for terminals. */
const SCREENS = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'];

/** An opener that ends badly within this time has opened nothing, ms. */
const SOON_MS = 15_000;

/**
 * Opens the browser at a served window. The address was printed before: a machine without a browser is told so, and that is
 * no reason to stop.
 */
export function openBrowser({ shell }: Session, address: string, token: string): void {
  const failed = (why: string): void => {
    shell.stderr.write(`${why}: open the address above in a browser of this machine.\n`);
  };
  const { platform, env } = shell;
  if (!['win32', 'darwin'].includes(platform) && !SCREENS.some((name) => env[name])) {
    return failed('There is no display here');
  }
  const entry = `${address}/?enter=${newEntryCode(token, shell.clock.now())}`;
  const [command, ...args] =
    platform === 'win32'
      ? ['rundll32', 'url.dll,FileProtocolHandler', entry]
      : [platform === 'darwin' ? 'open' : 'xdg-open', entry];
  try {
    const browser = spawn(command, args, { stdio: 'ignore', detached: true, env: environmentForOthers(env) });
    const startedAt = shell.clock.now();
    browser.on('error', () => failed('No browser could be started'));
    browser.on('exit', (status) => {
      // One that ends later was open, and what Windows' opener ends with says nothing.
      const isEarly = shell.clock.now() - startedAt < SOON_MS;
      if (status !== 0 && isEarly && platform !== 'win32') failed('No browser could be started');
    });
    browser.unref();
  } catch {
    failed('No browser could be started');
  }
}
