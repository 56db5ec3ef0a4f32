import { once } from 'node:events';
import { dataFolderOf } from '../host/data-folder.ts';
import type { Shell } from './shell.ts';

export interface Session {
  readonly shell: Shell;
  readonly options: GlobalOptions;
  readonly dataFolder: string;
  /** Aborted, with an `InterruptedError`, when the person asks to stop. */
  readonly interrupted: AbortSignal;
}

export function openSession(shell: Shell, options: GlobalOptions, interrupted: AbortSignal): Session {
  return { shell, options, dataFolder: dataFolderOf(options.data, shell), interrupted };
}

export function printTo({ shell, options }: Session): (line: string) => void {
  return (line) => shell.stdout.write(`${withGlobals(options, line)}\n`);
}

export interface GlobalOptions {
  readonly data?: string;
  readonly baseUrl?: string;
  readonly lang?: string;
}

/**
 * A command line that a person can paste: the command as typed here, with the given `--data` and `--base-url`.
 * Arguments are quoted where a shell would split them.
 */
export function commandLine(options: GlobalOptions, ...words: string[]): string {
  const globals = [
    ...(options.data === undefined ? [] : ['--data', options.data]),
    ...(options.baseUrl === undefined ? [] : ['--base-url', options.baseUrl]),
    ...(options.lang === undefined ? [] : ['--lang', options.lang]),
  ];
  return ['dailies', ...globals, ...words].map(quoted).join(' ');
}

/** A text whose commands (in backticks) go to the data folder and the service that were given, where they name none. */
export function withGlobals(options: GlobalOptions, text: string): string {
  return text.replace(/`dailies(?= [a-z])/g, () => `\`${commandLine(options)}`);
}

export function quoted(word: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word;
  // Both the Bourne shells and PowerShell take single quotes literally; they differ only in a quote inside.
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
