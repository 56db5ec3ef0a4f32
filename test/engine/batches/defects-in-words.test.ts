import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Papa from 'papaparse';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { columnsFor } from '../../../src/contract/kinds/index.ts';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import { languages, type Language } from '../../../src/contract/messages/languages.ts';
import { sayText, setLanguage, type Text } from '../../../src/contract/messages/words.ts';
import { Settings } from '../../../src/contract/settings.ts';
import type { Defect } from '../../../src/contract/shot.ts';
import { planColumns } from '../../../src/engine/batches/columns.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { bytesOf, check, listing, tableOf } from './support.ts';

let listFolder: string;
beforeAll(() => {
  listFolder = mkdtempSync(join(tmpdir(), 'lists-'));
  mkdirSync(join(listFolder, 'folder.png'));
  writeFileSync(join(listFolder, 'empty.png'), '');
  writeFileSync(join(listFolder, 'text.png'), 'text');
});
afterAll(() => rmSync(listFolder, { recursive: true }));
afterEach(() => setLanguage('en'));

const reference = (more: object): string =>
  JSON.stringify([{ media_type: 'image', role: 'first_frame', url: 'Asset://1', ...more }]);

/** Each is wrong in some column, and many in several. */
const HOSTILE = [
  ...'hologram edit variation blend typo_generate generate TRUE maybe 2 -1 99 4.5 0'.split(' '),
  ...'1,000 16:9 1:0 wide 2x2 10x @hero auto 1.1;2 { [{“url”}] {} 1 null [] [{}] [1] ["system"]'.split(' '),
  ...'Shot:// Shot://1 Shot://2 Shot://2/9 Shot://2/0 Shot://3 Shot://9 Shot://own Shot://4/1 "Shot://1"'.split(' '),
  ...'https://a/c.mp4 https://a/c.png Asset://1 Asset:// ftp://a //host/x a.txt none.png folder.png empty.png'.split(
    ' ',
  ),
  ...'text.png /dev/null Asset://1;Asset://2;Asset://3;none.mp4 #REF! {"a":"Shot://1"}'.split(' '),
  ...'[{"role":"user","content":1}] [{"role":"a","content":"a"}]'.split(' '),
  ...['5 min', '; |', 'a b', 'a\nb', 'https://a b/c.png', 'a\u0001b', '\ud800', '\ufffd', 'a'.repeat(33_000)],
  ...[{ media_type: 'a' }, { role: 'a' }, { url: '' }, { url: 1 }, { more: 1 }].map(reference),
  ...[{ alias: 'hero' }, { url: 'ftp://a' }].map(reference),
];

/** A row for each hostile cell of each column of a kind, with nothing else wrong in it; the shots 1 to 4 are sound. */
function hostileList(kind: Kind): string {
  const names = [...columnsFor(kind).map(({ name }) => name), 'param.seed', 'param.model', 'param.x:json', 'Scene'];
  const known = ['image', 'image', 'video', 'music'].map((each, at) => ({
    shot: `${at + 1}`,
    kind: each,
    model: 'm',
    prompt: 'p',
  }));
  const usual = { shot: 'own', kind, model: 'm', prompt: 'p' };
  const rows = names.flatMap((name) =>
    ['', ...HOSTILE].map((cell) => ({ ...usual, shot: `${name} ${cell.length}`, [name]: cell })),
  );
  return Papa.unparse({
    fields: [...new Set(names)],
    data: [...known, usual, { ...known[3], shot: '3', skip: 'yes' }, ...rows],
  });
}

it.each(Kind.options)('every defect of a hostile cell says something in each language: %s', async (kind) => {
  for (const videoRoute of ['v1', 'compatible'] as const) {
    const settings = Settings.parse({ videoRoute, paths: { responses: '', videoTask: '', musicTask: '' } });
    await expectInEachLanguage((await check(hostileList(kind), { listFolder, settings })).defects);
  }
});

it('so does every defect of hostile rows', async () => {
  const header = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(...new Set(Kind.options.flatMap((kind) => columnsFor(kind).map(({ name }) => name)))),
    },
    fc.constantFrom(
      'promt',
      'Notify Hook',
      'param.seed',
      'param.{a}',
      'param.',
      '',
      'Scene',
      `param.${'x'.repeat(1001)}`,
    ),
    fc.string({ maxLength: 6 }),
  );
  const cell = fc.oneof(
    fc.constantFrom('', ...Kind.options, 'vgen-2.0-cl', 'vgen-2.0-sg', 'm', ...HOSTILE),
    fc.json({ maxDepth: 2 }),
  );
  const list = fc.tuple(
    fc.array(header, { maxLength: 3 }),
    fc.constantFrom([], ['shot', 'kind', 'model', 'prompt', 'skip'], ['shot', 'prompt']),
    fc.array(fc.array(cell, { maxLength: 9 }), { maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(list, fc.boolean(), async ([more, usual, rows], isListed) => {
      const options = isListed ? { accountModels: listing('m', 'vgen-2.0-lc') } : {};
      await expectInEachLanguage((await check(Papa.unparse([[...usual, ...more], ...rows]), options)).defects);
    }),
    { numRuns: 100 },
  );
});

it('so does every defect of a file that is no list', async () => {
  const bytes = [
    fc.uint8Array({ maxLength: 40 }),
    fc.uint8Array({ maxLength: 40 }).map((rest) => Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, ...rest])),
    fc.string({ maxLength: 40 }).map((text) => bytesOf(`a,b\n"${text}`)),
    fc.string({ maxLength: 40 }).map((text) => bytesOf(`a,b\n"x"${text}`)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.oneof(...bytes), fc.constantFrom(undefined, 'klingon'), async (content, encoding) => {
      await expectInEachLanguage((await readTable({ bytes: content }, { encoding })).defects);
    }),
    { numRuns: 100 },
  );
});

it('so does every defect of a mapping', async () => {
  const table = await tableOf('a,b\n');
  const name = fc.constantFrom('a', 'b', 'c', 'prompt', 'promt', 'param.x', 'zzzzzzzz', '');
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, name), async (mapping) => {
      await expectInEachLanguage(planColumns(table, mapping).defects);
    }),
  );
});

const han = /\p{Script=Han}/u;

async function expectInEachLanguage(defects: readonly Defect[]): Promise<void> {
  const texts = new Map(
    defects.flatMap(({ problem, remedy }) => [problem, remedy]).map((text) => [JSON.stringify(text), text]),
  );
  for (const language of languages) {
    await setLanguage(language);
    for (const text of texts.values()) expectWords(text, language);
  }
}

/** A message that cannot be said is shown by its key, also where it is a fact of another one. */
function expectWords(text: Text, language: Language): void {
  const words = sayText(text);
  expect(words).toMatch(/\S/);
  expect(words).not.toMatch(/\b(?:column|defect|kind|remedy)\.[a-z]/);
  if (language === 'zh-CN') expect(words).toMatch(han);
}
