import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../src');

const COMMAND = /(`|>)dailies (demo|run|resume|status|jobs|assets|models|doctor|config|serve|service)\b/;
const OPTION = /--(data|again|dry-run|port|allow-file|attach|lost|resubmit|project|default)\b/;

/** Whatever of a file is no comment. */
const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<![:"'])\/\/.*$/gm, '');

/** Shown in browsers alone, whose host was started from a terminal. */
const FOR_TERMINALS = ['web/LockedOut.svelte'];

/** Every place that tells people to type a command, as `file: line`. */
function commandsIn(part: string): string[] {
  const files = readdirSync(join(source, part), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(ts|svelte)$/.test(file) && !FOR_TERMINALS.includes(file),
  );
  return files.flatMap((file) =>
    code(readFileSync(join(source, part, file), 'utf8'))
      .split('\n')
      .filter((line) => COMMAND.test(line) || OPTION.test(line))
      .map((line) => `${part}/${file}: ${line.trim()}`),
  );
}

describe('words for people', () => {
  it.each(['contract', 'engine', 'server', 'host', 'renderer', 'main'])(
    'name no command and no option of one in %s: a window shows them to people who have no terminal',
    (part) => {
      expect(commandsIn(part)).toEqual([]);
    },
  );
});
