import type { Output } from '../shell.ts';

/** How a command of ours is typed here: from a checkout its scripts know it, once installed the system does. */
export function commandHere(env: Readonly<Record<string, string | undefined>>): string {
  const isScript = env['npm_lifecycle_event'] !== undefined && env['npm_package_name'] === 'dailies';
  return isScript ? 'npm run --silent dailies --' : 'dailies';
}

/**
 * An output whose hints can be pasted as they stand: commands in backticks, or on a line of their own, are written as
 * they are typed here.
 */
export function pasteable(output: Output, command: string): Output {
  if (command === 'dailies') return output;
  const write = (text: string): unknown => output.write(text.replace(/(`|^ {2})dailies(?= [a-z-])/gm, `$1${command}`));
  // The width is asked for anew at each look: a window of the terminal may change its size.
  return Object.create(output, { write: { value: write } }) as Output;
}
