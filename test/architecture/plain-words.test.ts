import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const GUIDE = 'docs/explanation/writing.md';

/** What people and contributors read in English. */
const READ = /\.(ts|js|svelte|md|json|html|yml)$/;
const AREAS = ['src', 'scripts', 'docs', 'test', '.github', '*.md', '*.js', '*.ts', '*.yml'];

/** Each with its reason. */
const NOT_READ: ReadonlyMap<string, string> = new Map([
  [GUIDE, 'lists the words'],
  ['src/contract/messages/zh-CN.json', 'is Chinese'],
  ['test/architecture/plain-words.test.ts', 'plants words to avoid'],
]);

/** Between two words; in a comment, the start of the next line too. */
const PARTED = /[\s*/#]+/g;

/** The first column of the guide's last table. */
function wordsToAvoid(): RegExp {
  const [, table = ''] = readFileSync(join(root, GUIDE), 'utf8').split('## Words to avoid');
  const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`(.+?)`/g)]);
  const words = cells.map(([, words = '']) => words.replaceAll(' ', PARTED.source));
  return new RegExp(String.raw`\b(${words.join('|')})\b`, 'gi');
}

const AVOIDED = wordsToAvoid();

/** `line: word` of each word to avoid, in names such as `startAnew` too. */
function foundIn(text: string): readonly string[] {
  const apart = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return [...apart.matchAll(AVOIDED)].map(
    ({ 0: word, index }) => `${apart.slice(0, index).split('\n').length}: ${word.replaceAll(PARTED, ' ')}`,
  );
}

describe('plain words', () => {
  it('are used in every text, page, comment and test', () => {
    const files = execFileSync('git', ['ls-files', ...AREAS], { cwd: root, encoding: 'utf8' }).split('\n');
    const read = files.filter((file) => READ.test(file) && ![...NOT_READ.keys()].some((path) => file.startsWith(path)));
    const found = read.flatMap((file) =>
      foundIn(readFileSync(join(root, file), 'utf8')).map((word) => `${file}:${word}`),
    );
    expect(read.length).toBeGreaterThan(20);
    expect(found).toEqual([]);
  });

  it.each([
    ['It starts Anew.', ['1: Anew']],
    ['A line.\n/* The service asks\n * for patience. */', ['2: asks for patience']],
    ['startAnew(renewal)', ['1: Anew']],
  ])('finds a word to avoid, over the lines of a comment and inside names too: %j', (text, words) => {
    expect(foundIn(text)).toEqual(words);
  });
});
