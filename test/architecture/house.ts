import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path/posix';
import { circles, importsOf, type Import, type Sources } from './read-imports.ts';
import { forwarders, wiringInterfaces } from './wiring.ts';

/**
 * How large `src` is and how it hangs together, at each commit that is named and now, as a table in Markdown:
 * `npm run house -- 944c4d18~1`. Generated files are not kept in git, so they do not count.
 */

const SHORT_LINES = 20;
const SMALL_LINES = 80;

function sourcesAt(commit: string): Sources {
  const paths = git('ls-tree', '-r', '--name-only', '-z', commit, 'src').split('\0').filter(Boolean);
  return new Map(paths.map((path) => [path.slice('src/'.length), git('show', `${commit}:${path}`)]));
}

const figures: Record<string, (sources: Sources) => number> = {
  'files of `src`': (sources) => sources.size,
  '… of 20 lines or fewer': (sources) => [...sources.values()].filter((text) => linesOf(text) <= SHORT_LINES).length,
  'lines of `src`': (sources) => sumOf([...sources.values()], linesOf),
  '… without texts and migrations': (sources) =>
    sumOf(
      [...sources].filter(([path]) => !/^contract\/messages\/.*\.json$|\/migrations\//.test(path)),
      ([, text]) => linesOf(text),
    ),
  'circles of imports, types included': (sources) => circles(codeOf(sources), importsOf(codeOf(sources))).length,
  // Each member is a function or another interface, and it is no `Props` of a component.
  'interfaces that only wire': (sources) => wiringInterfaces(codeOf(sources)).length,
  // The body is one call of another object's method, with the same arguments in the same order.
  'forwarders of one line': (sources) => forwarders(codeOf(sources)).length,
  'files below 80 lines with one importer, in the same folder': (sources) => {
    const code = codeOf(sources);
    const importers = Map.groupBy(importsOf(code), ({ target }) => target);
    return [...code].filter(([path, text]) => linesOf(text) < SMALL_LINES && isOnlyFor(path, importers.get(path) ?? []))
      .length;
  },
};

const codeOf = (sources: Sources): Sources => new Map([...sources].filter(([path]) => /\.(ts|svelte)$/.test(path)));

function isOnlyFor(path: string, importers: readonly Import[]): boolean {
  const files = new Set(importers.map(({ file }) => file));
  return files.size === 1 && [...files].every((file) => dirname(file) === dirname(path));
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

function sumOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
}

const commits = [...process.argv.slice(2), 'HEAD'];
const states = commits.map((commit) => sourcesAt(commit));
const rows = [
  ['', ...commits],
  ['---', ...commits.map(() => '---:')],
  ...Object.entries(figures).map(([what, figure]) => [
    what,
    ...states.map((state) => figure(state).toLocaleString('en')),
  ]),
];
process.stdout.write(`${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
