/** Options of every command. */
export interface GlobalOptions {
  readonly data?: string;
  readonly baseUrl?: string;
}

/**
 * A command line a person can paste as it is: the one they would type now, with the `--data` and `--base-url` they
 * gave. Arguments are quoted where a shell would take them apart.
 */
export function commandLine(options: GlobalOptions, ...words: string[]): string {
  const globals = [
    ...(options.data === undefined ? [] : ['--data', options.data]),
    ...(options.baseUrl === undefined ? [] : ['--base-url', options.baseUrl]),
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
