import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Pages of claims: each row of their tables names, in its last cell, the tests that hold it. */
const PAGES = ['docs/explanation/security.md', 'docs/guide/money.md'];
/** Where the tests lie that a table names: its rows may leave it out. */
const FOLDERS = ['', 'test/', 'test/main/'];
const ENDINGS = ['.test.ts', '.spec.ts'];

interface Row {
  /** As it is told when it fails. */
  readonly claim: string;
  readonly tests: readonly string[];
}

/** The rows below the heads of all tables of a page. */
function rowsOf(page: string): Row[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const isHead = /^\|[-|]+$/.test(lines[at + 1] ?? '');
    if (!line.startsWith('|') || isHead || /^\|[-|]+$/.test(line)) return [];
    const cells = line.split('|').slice(1, -1);
    const tests = [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    return [{ claim: cells[0]?.trim() ?? '', tests }];
  });
}

const isTestFile = (name: string): boolean =>
  FOLDERS.some((folder) => ENDINGS.some((ending) => existsSync(join(root, `${folder}${name}${ending}`))));

describe.each(PAGES)('%s', (page) => {
  const rows = rowsOf(page);

  it('has claims', () => expect(rows.length).toBeGreaterThan(10));

  it('names for each claim the file of a test that holds it', () => {
    expect(rows.filter(({ tests }) => tests.length === 0).map(({ claim }) => claim)).toEqual([]);
    const missing = rows.flatMap(({ claim, tests }) =>
      tests.filter((name) => !isTestFile(name)).map((name) => `${claim}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

it('each source file that a page of docs names is there', () => {
  const files = globSync('{src,test,scripts}/**/*.{ts,svelte}', { cwd: root }).map(
    (file) => `/${file.replaceAll('\\', '/')}`,
  );
  const missing = globSync('docs/**/*.md', { cwd: root }).flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/`([\w./-]+\.(?:ts|svelte))`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !existsSync(join(root, name)) && !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
});
