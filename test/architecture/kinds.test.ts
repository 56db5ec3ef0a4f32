import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allKinds } from '../../src/contract/kinds/all.ts';

const src = resolve(import.meta.dirname, '../../src');
const names = allKinds.map(({ kind }) => kind);
/** Names that kinds share with the types of media and assets: a list of these alone is no list of kinds. */
const mediaTypes: readonly string[] = ['image', 'video', 'audio', 'file'];

/** The places where a kind may be named. The demo service shares no code with us on purpose. */
const OF_KINDS = /^(?:contract\/kinds|engine\/kinds\/(?:\w+\/|all\.ts))|^demo\//;

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.(?:ts|svelte)$/.test(file));

const anyName = `['"\`](?:${names.join('|')})['"\`]`;
const COMPARED = new RegExp(
  `\\bkind:\\s*${anyName}|\\bkind\\b\\)?\\s*[!=]==?\\s*${anyName}|${anyName}\\s*[!=]==?\\s*[\\w.]*kind\\b`,
  'i',
);

/** What is no comment. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<![:"'])\/\/.*$/gm, '');

/** What of a code goes by the names of kinds: comparisons, and lists of them in brackets or braces. */
function namingIn(text: string): string[] {
  const code = codeOf(text);
  const compared = code.split('\n').filter((line) => COMPARED.test(line));
  const lists = (code.match(/\[[^[\]]*\]|\{[^{}]*\}/g) ?? []).filter((list) => {
    const named = names.filter((name) => new RegExp(`['"]${name}['"]|\\b${name}:`).test(list));
    return named.length > 1 && named.some((name) => !mediaTypes.includes(name));
  });
  return [...compared, ...lists].map((found) => found.trim());
}

describe('a kind', () => {
  it('is named nowhere but in its own files and in the two lists of kinds', () => {
    const outside = files.filter((file) => !OF_KINDS.test(file));
    expect(outside.some((file) => file.endsWith('.svelte'))).toBe(true);
    const found = outside.flatMap((file) =>
      namingIn(readFileSync(join(src, file), 'utf8')).map((line) => `${file}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  it('has its folder in the engine to itself', () => {
    const wrong = files
      .filter((file) => file !== 'engine/kinds/all.ts')
      .filter((file) => {
        const own = /^engine\/kinds\/(\w+)\//.exec(file)?.[1];
        const folders = readFileSync(join(src, file), 'utf8').matchAll(/from '[./]*(?:kinds|\.)\/(\w+)\/\w+\.ts'/g);
        return [...folders].some(([, folder = '']) => (names as string[]).includes(folder) && folder !== own);
      });
    expect(wrong).toEqual([]);
  });
});

describe('a path of the service', () => {
  /** The resources of the client, and the kinds with their settings. Each other place has its reason. */
  const OWNERS = [
    /^(?:contract|engine)\/kinds\//,
    /^engine\/api\/resources\//,
    // Shares no code with us on purpose.
    /^demo\//,
    // Names a choice by it.
    /^renderer\/views\/settings\/OpenPaths\.svelte$/,
  ];
  const pathsIn = (text: string): string[] =>
    codeOf(text)
      .split('\n')
      .filter((line) => /['"`}](?:\/v1|\/v1beta|\/api\/v3|\/typo)\//.test(line));

  it('is in the resources and the kinds alone', () => {
    const found = files
      .filter((file) => !OWNERS.some((owner) => owner.test(file)))
      .flatMap((file) => pathsIn(readFileSync(join(src, file), 'utf8')).map((line) => `${file}: ${line.trim()}`));
    expect(found).toEqual([]);
  });
});
