import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
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
  | { readonly host: 'desktop'; readonly binary: string }
  | { readonly host: 'web'; readonly because: string };

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

/** How a program ended. */
export type End =
  | { readonly how: 'notStarted' }
  | { readonly how: 'exit'; readonly status: number }
  | { readonly how: 'signal'; readonly signal: NodeJS.Signals; readonly afterMs: number };

/** Runs Electron on this checkout. */
export const startDesktop = (binary: string, args: readonly string[]): Promise<End> =>
  endOf(spawn(binary, [root, ...args], { stdio: 'inherit' }));

/** An app that a signal ends within this time of its start has shown no window, ms. */
const START_MS = 10_000;
const ASKED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** What follows the end of the desktop app: its status, or the window in a browser. `says` is for the person. */
export interface AfterDesktop {
  readonly says: string | null;
  /** Null: the browser takes its place. */
  readonly status: number | null;
}

/** What an end of the desktop app means. Pure. */
export function afterDesktop(end: End, platform: NodeJS.Platform): AfterDesktop {
  // A shell's word, and the loader's, for a program that cannot be run.
  if (end.how === 'notStarted' || (end.how === 'exit' && end.status === 127))
    return {
      says: 'Electron could not be started (libraries of the system may be missing): Dailies opens in a browser instead.',
      status: null,
    };
  if (end.how === 'exit') return { says: null, status: end.status };
  const { signal, afterMs } = end;
  const status = 128 + constants.signals[signal];
  if (ASKED.includes(signal)) return { says: null, status };
  if (afterMs >= START_MS)
    return {
      says:
        `The desktop app was ended by ${signal}. Nothing is lost: \`npm start\` goes on where it was.\n` +
        'If it happens again, `npm start -- --web` opens the same window in a browser.',
      status,
    };
  return {
    says:
      platform === 'linux' && signal === 'SIGTRAP'
        ? 'The desktop app was stopped as it started (SIGTRAP): this system does not allow its sandbox.\n' +
          'docs/start/installing.md says under Linux how to allow it. Dailies opens in a browser instead.'
        : `The desktop app was stopped as it started (${signal}): Dailies opens in a browser instead.`,
    status: null,
  };
}

async function startWeb(args: readonly string[]): Promise<number> {
  const command = join(root, 'out', 'main', 'cli.js');
  const end = await endOf(spawn(process.execPath, [command, 'serve', '--open', ...args], { stdio: 'inherit' }));
  return end.how === 'exit' ? end.status : 1;
}

function endOf(child: ChildProcess): Promise<End> {
  const startedAt = performance.now();
  for (const signal of ASKED) {
    process.on(signal, () => {
      // A terminal signals the whole group itself; at a second signal the program would not wait for running requests.
      const isTold = signal !== 'SIGTERM' && process.stdin.isTTY;
      if (!isTold) child.kill(signal);
    });
  }
  return new Promise((resolveEnd) => {
    child.once('error', () => resolveEnd({ how: 'notStarted' }));
    child.once('exit', (status, signal) =>
      resolveEnd(
        signal === null
          ? { how: 'exit', status: status ?? 1 }
          : { how: 'signal', signal, afterMs: performance.now() - startedAt },
      ),
    );
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
    const { says, status } = afterDesktop(await startDesktop(plan.binary, args), process.platform);
    if (says !== null) say(says);
    if (status !== null) return status;
  } else {
    say(plan.because);
  }
  return startWeb(args);
}

if (import.meta.main) process.exitCode = await start(process.argv.slice(2));
