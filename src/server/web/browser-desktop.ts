import { messageFor } from '../../contract/messages/message.ts';
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DesktopEvent } from '../../contract/desktop.ts';
import { windowsProgram } from '../../engine/base/machine.ts';
import { refused, type RefusedError } from '../../engine/base/errors.ts';
import type { Clock } from '../../engine/base/ports.ts';
import { orLate } from '../../engine/base/time-limit.ts';
import type { DesktopHost } from '../services.ts';

/** A file manager that has not failed by then is up, ms: some openers stay for as long as their window. */
const TIMEOUT_MS = 3000;

export interface OpenerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Windows: the arguments are quoted already, as the file manager reads them. */
  readonly verbatim?: boolean;
  /** It answers 1 when all is well. */
  readonly statusSaysNothing?: boolean;
}

/** Runs a command and resolves with its exit status; rejects when there is no such program. */
export type RunOpener = (opener: OpenerCommand) => Promise<number | null>;

export function browserDesktop(platform: NodeJS.Platform, clock: Clock, run: RunOpener = runOpener): DesktopHost {
  return {
    abilities: () =>
      Promise.resolve({
        host: 'browser',
        system: systemFor(platform),
        pickFolder: false,
        dragOut: false,
        updates: false,
        keepRunning: false,
      }),
    pickFolder: () => Promise.reject(onlyInTheApp()),
    async reveal({ path }) {
      const isFolder = (await stat(path)).isDirectory();
      const opener = openerFor(platform, path, isFolder);
      const ended = run(opener).then(
        (status) => status === 0 || opener.statusSaysNothing === true,
        () => false,
      );
      if (await orLate(clock, TIMEOUT_MS, ended, true)) return;
      throw refused('no_file_manager', messageFor('failure.noFileManager', { path }), 'remedy.copyPath');
    },
    prepareDrag: () => Promise.reject(onlyInTheApp()),
    menu: () => Promise.resolve(),
    update: () => Promise.reject(onlyInTheApp()),
    events: (_input, { signal }) => Promise.resolve(nothingHappens(signal)),
  };
}

export function systemFor(platform: NodeJS.Platform): 'macos' | 'windows' | 'linux' {
  if (platform === 'darwin') return 'macos';
  return platform === 'win32' ? 'windows' : 'linux';
}

/** How a system shows a file or a folder. The path is always one argument, and never looks like an option. */
export function openerFor(platform: NodeJS.Platform, path: string, isFolder: boolean): OpenerCommand {
  if (platform === 'darwin') return { command: 'open', args: ['-R', path] };
  if (platform === 'win32') {
    // Explorer has rules of its own: it splits at commas unless the path alone is in quotes, which no path can hold.
    return {
      command: windowsProgram('explorer.exe'),
      args: [`/select,"${path}"`],
      verbatim: true,
      statusSaysNothing: true,
    };
  }
  // There is no way to point at a file that every desktop knows.
  return { command: 'xdg-open', args: [isFolder ? path : dirname(path)] };
}

const runOpener: RunOpener = ({ command, args, verbatim = false }) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      stdio: 'ignore',
      detached: true,
      env: environmentForOthers(process.env),
      windowsVerbatimArguments: verbatim,
    });
    child.once('error', reject);
    child.once('exit', (status) => resolve(status));
    child.unref();
  });

const onlyInTheApp = (): RefusedError => refused('only_in_the_app', 'failure.notInBrowser', 'remedy.useDesktopApp');

async function* nothingHappens(signal: AbortSignal): AsyncGenerator<DesktopEvent, void, void> {
  yield { type: 'update', update: { state: 'none' } };
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The environment for other programs: without our own variables, the key above all. */
export function environmentForOthers(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('DAILIES_')));
}
