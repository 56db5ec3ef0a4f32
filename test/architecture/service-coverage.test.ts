import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathSettings } from '../../src/contract/kinds/index.ts';
import { entries } from '../../src/demo/entries/index.ts';
import { CliScene } from '../cli/support.ts';
import { buildProgram } from '../../src/cli/program.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'service-coverage.md'), 'utf8');

describe('docs/service-coverage.md', () => {
  it('has a line for each operation that the demo service answers', () => {
    const missing = entries
      .filter(({ open }) => open !== true)
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
      .filter((operation) => !page.includes(`| \`${operation}\` |`));
    expect(missing).toEqual([]);
  });

  it('names no file that is not there', () => {
    const files = [...page.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('names every path that is a setting', () => {
    expect(pathSettings.filter(({ name }) => !page.includes(`\`paths.${name}\``))).toEqual([]);
  });

  it('names no command that does not exist', () => {
    const program = buildProgram(() => () => Promise.resolve(), new CliScene().shell());
    const named = [...page.matchAll(/`dailies ([a-z -]+)`/g)].map(([, words]) => (words ?? '').split(' '));
    for (const words of named) {
      let command = program;
      for (const word of words) {
        const next = command.commands.find((each) => each.name() === word);
        expect(next, words.join(' ')).toBeDefined();
        command = next ?? command;
      }
    }
  });
});
