import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseAst } from 'vite';
import { languages } from '../../src/contract/messages/languages.ts';
import { limitOf } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import type { MeasureRow } from '../row.ts';

const WINDOW = join(import.meta.dirname, '..', '..', 'out', 'renderer');
const ASSETS = join(WINDOW, 'assets');
/** The view a window begins with. */
const FIRST_VIEW = /^ProjectsView-.*\.js$/;

/** The texts of each language; a window fetches one of them. */
const DECKS = /^(?:en|zh-CN)-.*\.js$/;

/** All scripts that the first view needs, as the build wrote them: what the page names, what that imports, and its texts. */
export const measure: MeasureRow = async () => {
  if (!existsSync(ASSETS)) throw new Error('The window is not built: run `npm run build` first.');
  const page = readFileSync(join(WINDOW, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map(([, name]) => name ?? '');
  const firstView = readdirSync(ASSETS).filter((name) => FIRST_VIEW.test(name));
  const decks = readdirSync(ASSETS).filter((name) => DECKS.test(name));
  if (named.length === 0 || firstView.length !== 1 || decks.length !== languages.length)
    throw new Error('The build is not laid out as this row knows it.');
  const needed = new Set<string>();
  for (const name of [...named, ...firstView]) addWithImports(name, needed);
  const scripts = [...needed].reduce((sum, name) => sum + zippedBytes(name), 0);
  const size = spreadOf(decks.map((deck) => (scripts + zippedBytes(deck)) / 1000));
  return [limitOf('Scripts of the first view, gzip', { name: 'KB', digits: 0 }, size, { atMost: 300 })];
};

const zippedBytes = (name: string): number => gzipSync(readFileSync(join(ASSETS, name))).length;

function addWithImports(name: string, needed: Set<string>): void {
  if (needed.has(name)) return;
  needed.add(name);
  // Static imports alone: `import(…)` fetches what a later view needs.
  for (const statement of parseAst(readFileSync(join(ASSETS, name), 'utf8')).body) {
    const imported = 'source' in statement ? statement.source?.value : undefined;
    if (typeof imported === 'string') addWithImports(imported.replace(/^\.\//, ''), needed);
  }
}
