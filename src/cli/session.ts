import { once } from 'node:events';
import { dataFolderFor } from '../host/data-folder.ts';
import { jsonLine } from './output/text.ts';
import type { Shell } from './shell.ts';

export type Session = ReturnType<typeof openSession>;

/** What one command line works with. `interrupted` aborts with an `InterruptedError`; `command`: as others see it. */
export function openSession(
  shell: Shell,
  options: GlobalOptions,
  interrupted: AbortSignal,
  { command, json }: { readonly command: string; readonly json: boolean },
) {
  return {
    ...{ shell, options, interrupted, command, json },
    dataFolder: dataFolderFor(options.data, shell),
    print: (line: string): void => void shell.stdout.write(`${withGlobals(options, line)}\n`),
    /** As one line of `--json`. */
    printJson: (object: object): void => void shell.stdout.write(jsonLine(object)),
    complain: (line: string): void => void shell.stderr.write(`${line}\n`),
    line: (...words: string[]): string => commandLine(options, ...words),
  };
}

export interface GlobalOptions {
  readonly data?: string;
  readonly baseUrl?: string;
  /** Name of the account that the command is about. */
  readonly account?: string;
  readonly lang?: string;
}

/** A command line to paste: the command as typed here, with `--data`, `--base-url` and `--account`, quoted for a shell. */
export function commandLine(options: GlobalOptions, ...words: string[]): string {
  const globals = [
    ...(options.data === undefined ? [] : ['--data', options.data]),
    ...(options.baseUrl === undefined ? [] : ['--base-url', options.baseUrl]),
    ...(options.account === undefined ? [] : ['--account', options.account]),
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
