import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import deck from '../../src/contract/messages/en.json' with { type: 'json' };

const source = join(import.meta.dirname, '../../src');
const specs = join(import.meta.dirname, '../e2e');

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

it.each(['contract', 'engine', 'server', 'host', 'renderer', 'main'])(
  'words for people name no command and no option of one in %s: a window shows them to people who have no terminal',
  (part) => {
    expect(commandsIn(part)).toEqual([]);
  },
);

it.each(['contract/commands', 'engine', 'server', 'host', 'renderer', 'main'])(
  'of the command line are not used in %s: the build of the window leaves them out',
  (part) => {
    const files = readdirSync(join(source, part), { recursive: true, encoding: 'utf8' });
    const using = files.filter(
      (file) =>
        /\.(ts|svelte)$/.test(file) && /['`](?:cli|mcp)\.\w/.test(readFileSync(join(source, part, file), 'utf8')),
    );
    expect(using).toEqual([]);
  },
);

/** Texts of the window without values. Those of the command line are often names of columns and of states, which are data. */
const shown = new Set(
  Object.entries(deck).flatMap(([key, text]) => (key.startsWith('cli.') || text.includes('{') ? [] : [text])),
);

/** Functions that find a thing on a page by the text they are given first. */
const FINDS_BY_TEXT = /^(getBy(AltText|Label|Placeholder|Text|Title)|goTo|toContainText|toHaveText)$/;

const calledBy = (node: ts.Node | undefined): string =>
  !node || !ts.isCallExpression(node)
    ? ''
    : ts.isPropertyAccessExpression(node.expression)
      ? node.expression.name.text
      : node.expression.getText();

/** Whether a thing is looked for by this text: `getByText('…')`, `getByRole('…', { name: '…' })`, `{ hasText: '…' }`. */
function isLookedFor(text: ts.Node): boolean {
  const { parent } = text;
  if (!ts.isPropertyAssignment(parent)) return FINDS_BY_TEXT.test(calledBy(parent));
  const option = parent.name.getText();
  return option === 'hasText' || (option === 'name' && calledBy(parent.parent.parent) === 'getByRole');
}

/** Texts of the deck that a spec quotes, as `line: text`: sentences anywhere, and single words that it looks for. */
function quotedIn(code: string): string[] {
  const file = ts.createSourceFile('spec.ts', code, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && shown.has(node.text) && (/\s/.test(node.text) || isLookedFor(node))) {
      found.push(`${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

it('tests of the window find things by the key of a text, so that texts can change', () => {
  const files = readdirSync(specs, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const quoted = files.flatMap((file) =>
    quotedIn(readFileSync(join(specs, file), 'utf8')).map((line) => `${file}:${line}`),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(quoted).toEqual([]);
});
