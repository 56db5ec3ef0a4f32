import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '../src/cli/program.ts';
import { setLanguage } from '../src/contract/messages/words.ts';

/** Makes the list of verbs in docs/reference/cli.md, by `npm run verbs`. */

const FILE = join(import.meta.dirname, '../docs/reference/cli.md');
const LIST = /(?<=## All verbs\n)[\s\S]*?(?=\n## )/;

/** docs/reference/cli.md with the verbs that `dailies` has now. */
export async function withVerbs(page: string): Promise<string> {
  await setLanguage('en');
  const nowhere = { write: () => undefined };
  const program = await buildProgram(() => () => Promise.resolve(), { stdout: nowhere, stderr: nowhere });
  const rows = verbsOf(program).map(({ usage, help }) => `| \`${usage}\` | ${help} |`);
  return page.replace(LIST, ['', '| verb | what it does |', '|---|---|', ...rows, ''].join('\n'));
}

function verbsOf(command: Command, words = 'dailies'): { readonly usage: string; readonly help: string }[] {
  return command.commands.flatMap((each) => {
    const name = `${words} ${each.name()}`;
    if (each.commands.length > 0) return verbsOf(each, name);
    const named = each.registeredArguments.map((argument) => {
      const text = argument.name() + (argument.variadic ? '...' : '');
      return argument.required ? `<${text}>` : `[${text}]`;
    });
    const required = each.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
    return [{ usage: [name, ...named, ...required].join(' '), help: each.description().replaceAll('|', '\\|') }];
  });
}

if (import.meta.main) writeFileSync(FILE, await withVerbs(readFileSync(FILE, 'utf8')));
