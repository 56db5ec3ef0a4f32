import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { electronBinary } from './electron-binary.ts';

/**
 * `npm start`: the desktop app where it can run, otherwise the same window in a browser, with a sentence why.
 * `npm start -- --web` takes the browser anyhow; `npm run start:desktop` downloads Electron first.
 */
const root = resolve(import.meta.dirname, '..');

export interface Circumstances {
  readonly binary: string | null;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  readonly wantsWeb: boolean;
}

export type Start =
  { readonly host: 'desktop'; readonly binary: string } | { readonly host: 'web'; readonly because: string };

/** What to start, and why it is not the desktop app when it is not. */
export function planStart({ binary, platform, env, isRoot, wantsWeb }: Circumstances): Start {
  const web = (because: string): Start => ({ host: 'web', because });
  if (wantsWeb) return web('Dailies opens in a browser, as was asked for.');
  if (binary === null)
    return web(
      'Electron, which the desktop app needs, is not on this machine: Dailies opens in a browser instead.\n' +
        '`npm run start:desktop` downloads it (about 120 MB from GitHub) and opens the app.',
    );
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY'])
    return web('There is no display here for the desktop app: Dailies is served to a browser instead.');
  if (platform === 'linux' && isRoot)
    return web(
      "The desktop app does not run as root, because Chromium's sandbox does not, and without it it does not start:\n" +
        'Dailies opens in a browser instead. Start it as another user for the app.',
    );
  return { host: 'desktop', binary };
}

/** Runs Electron on this checkout. Returns its status, or null where it could not be run at all. */
export async function startDesktop(binary: string, args: readonly string[]): Promise<number | null> {
  const status = await statusOf(spawn(binary, [root, ...args], { stdio: 'inherit' }));
  // A shell's word, and the loader's, for a program that cannot be run: libraries of the system are missing.
  return status === 127 ? null : status;
}

function startWeb(args: readonly string[]): Promise<number | null> {
  const command = join(root, 'out', 'main', 'cli.js');
  return statusOf(spawn(process.execPath, [command, 'serve', '--open', ...args], { stdio: 'inherit' }));
}

/** Null when it could not be started, or was ended by a signal. */
function statusOf(child: ChildProcess): Promise<number | null> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A terminal signals the whole group itself; at a second signal the program would not wait for running requests.
      const isTold = signal !== 'SIGTERM' && process.stdin.isTTY;
      if (!isTold) child.kill(signal);
    });
  }
  return new Promise((resolveStatus) => {
    child.once('error', () => resolveStatus(null));
    child.once('exit', (code) => resolveStatus(code));
  });
}

/** Has Electron's package download its program. Returns what went wrong, in one line, or null. */
function fetchElectron(): string | null {
  say('Downloading Electron…');
  const installer = join(root, 'node_modules', 'electron', 'install.js');
  const { status, stderr } = spawnSync(process.execPath, [installer], { encoding: 'utf8' });
  if (status === 0) return null;
  return /^\s*(?:\w*Error: )?(.+)$/m.exec(stderr)?.[1]?.trim() ?? 'it gave no reason';
}

const say = (words: string): void => void process.stderr.write(`${words}\n`);

async function start(given: readonly string[]): Promise<number> {
  const args = given.filter((arg) => arg !== '--web' && arg !== '--fetch');
  if (!existsSync(join(root, 'out', 'main', 'cli.js')) || !existsSync(join(root, 'out', 'renderer', 'index.html'))) {
    say('Dailies was not built yet: run `npm ci`, or `npm run build` when that was done.');
    return 1;
  }
  if (given.includes('--fetch') && electronBinary() === null) {
    const trouble = fetchElectron();
    if (trouble !== null) say(`Electron could not be downloaded: ${trouble}.`);
  }
  const plan = planStart({
    binary: electronBinary(),
    platform: process.platform,
    env: process.env,
    isRoot: process.getuid?.() === 0,
    wantsWeb: given.includes('--web'),
  });
  if (plan.host === 'desktop') {
    const status = await startDesktop(plan.binary, args);
    if (status !== null) return status;
    say('Electron could not be started (libraries of the system may be missing): Dailies opens in a browser instead.');
  } else {
    say(plan.because);
  }
  return (await startWeb(args)) ?? 1;
}

if (import.meta.main) process.exitCode = await start(process.argv.slice(2));
