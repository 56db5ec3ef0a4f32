import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { countByFolder, outsideTexts } from './outside-texts.ts';
import { languages } from '../src/contract/messages/languages.ts';

/**
 * Makes the types of the texts from the English deck, and finds what the decks lack. `npm run messages` writes them, as
 * do `npm ci` and `npm run check`: they are not kept in git. With `--outside` it also counts the texts that are not in
 * the deck, by folder; `--list` names them.
 */

const FOLDER = join(import.meta.dirname, '../src/contract/messages');
const TYPES = join(FOLDER, 'parameters.ts');

/** TypeScript type of each value that a text names. */
type Parameters = ReadonlyMap<string, string>;

export interface MessageCheck {
  /** The source of `parameters.ts`. */
  readonly types: string;
  readonly problems: readonly string[];
}

export function checkMessages(): MessageCheck {
  const [source, ...others] = languages.map((language) => ({ language, deck: deckOf(language) }));
  const problems: string[] = [];
  const all = new Map<string, Parameters>();
  for (const [key, text] of source?.deck ?? []) {
    const parameters = read(text);
    if (typeof parameters === 'string') problems.push(`en: ${key}: ${parameters}`);
    else all.set(key, parameters);
  }
  for (const { language, deck } of others) problems.push(...differences(language, deck, all));
  return { types: typesOf(all), problems };
}

function differences(language: string, deck: ReadonlyMap<string, string>, all: ReadonlyMap<string, Parameters>) {
  const problems = [...deck.keys()].filter((key) => !all.has(key)).map((key) => `${language}: ${key}: not in English`);
  for (const [key, wanted] of all) {
    const text = deck.get(key);
    const found = text === undefined ? 'missing' : read(text);
    if (typeof found === 'string') problems.push(`${language}: ${key}: ${found}`);
    else if (namesOf(found) !== namesOf(wanted)) {
      problems.push(
        `${language}: ${key}: names ${namesOf(found) || 'nothing'}, in English ${namesOf(wanted) || 'nothing'}`,
      );
    }
  }
  return problems;
}

/** Each name, with its options where they are all there are. */
const namesOf = (parameters: Parameters): string =>
  [...parameters]
    .map(([name, type]) => (type.startsWith("'") ? `${name} (${type.split(' | ').toSorted().join(', ')})` : name))
    .sort()
    .join(', ');

const deckOf = (language: string): ReadonlyMap<string, string> =>
  new Map(Object.entries(JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8')) as Record<string, string>));

/** What a text names; a sentence that says what is wrong with it where it cannot be read. */
function read(text: string): Parameters | string {
  const found = new Map<string, string>();
  try {
    collect(parse(text, { ignoreTag: true, requiresOtherClause: false }), found);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return found;
}

function collect(elements: readonly MessageFormatElement[], found: Map<string, string>): void {
  for (const element of elements) {
    switch (element.type) {
      case TYPE.argument:
        if (!found.has(element.value)) found.set(element.value, 'Fact');
        break;
      case TYPE.number:
      case TYPE.date:
      case TYPE.time:
        found.set(element.value, 'number');
        break;
      case TYPE.plural:
        if (!('other' in element.options)) throw new Error(`a plural of ${element.value} without other`);
        found.set(element.value, 'number');
        for (const { value } of Object.values(element.options)) collect(value, found);
        break;
      case TYPE.select: {
        const options = Object.keys(element.options);
        const closed = options.filter((option) => option !== 'other').map((option) => `'${option}'`);
        found.set(element.value, options.length > closed.length ? 'string' : closed.join(' | '));
        for (const { value } of Object.values(element.options)) collect(value, found);
        break;
      }
      case TYPE.literal:
      case TYPE.pound:
      case TYPE.tag:
    }
  }
}

function typesOf(all: ReadonlyMap<string, Parameters>): string {
  const lines = [...all].map(([key, parameters]) => {
    const fields = [...parameters].map(([name, type]) => `readonly ${name}: ${type}`).join('; ');
    return `  readonly '${key}': ${fields === '' ? 'Record<never, never>' : `{ ${fields} }`};`;
  });
  return [
    '/** What each text names. Made by `npm run messages` from en.json. `Fact`: what a text takes that is no number. */',
    'export interface MessageParameters<Fact> {',
    ...lines,
    '}',
    '',
  ].join('\n');
}

function reportOutside(problems: readonly string[]): void {
  const texts = outsideTexts();
  if (process.argv.includes('--list')) for (const { file, text } of texts) process.stdout.write(`${file}: ${text}\n`);
  for (const [folder, count] of countByFolder(texts)) process.stdout.write(`${folder}: ${String(count)}\n`);
  process.stdout.write(`${String(texts.length)} texts outside the deck, ${String(problems.length)} problems in it\n`);
}

if (import.meta.main) {
  const { types, problems } = checkMessages();
  if (process.argv.includes('--outside')) reportOutside(problems);
  // What runs beside this may be reading them.
  if (!existsSync(TYPES) || readFileSync(TYPES, 'utf8') !== types) writeFileSync(TYPES, types);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
