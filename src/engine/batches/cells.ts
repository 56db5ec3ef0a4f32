import type * as z from 'zod';
import { Json, JsonTooDeepError, MAX_JSON_DEPTH, parseBoundedJson } from '../../contract/json.ts';
import { foldHeader } from '../../contract/kinds/index.ts';
import type { Parameter } from '../../contract/kinds/spec.ts';
import { asProblem, messageFor, type Message, type PlainKey } from '../../contract/messages/message.ts';
import type { Problem } from '../../contract/shot.ts';
import { withoutLeadingZeros } from '../base/trim-end.ts';
import { splitList, withoutQuotes } from '../kinds/media-reference.ts';

type CellReading = { readonly ok: true; readonly value: Json } | ({ readonly ok: false } & Problem);

const unreadable = (...words: Parameters<typeof asProblem>): CellReading => ({ ok: false, ...asProblem(...words) });

const unfit = (remedy: Message | PlainKey): CellReading => unreadable('defect.unfit', remedy);

/** The longest text of a spreadsheet cell: the next save would cut a longer one. */
const MAX_CHARACTERS = 32_767;

const SPREADSHEET_ERROR = /^#(NAME\?|REF!|VALUE!|DIV\/0!|N\/A|NULL!|NUM!|SPILL!|CALC!)$/;

export function lengthProblem(text: string): Problem | null {
  if (text.length <= MAX_CHARACTERS) return null;
  const facts = { length: text.length, most: MAX_CHARACTERS };
  return asProblem(messageFor('defect.nameTooLong', facts), 'remedy.shorten');
}

export function textProblem(text: string): Problem | null {
  const tooLong = lengthProblem(text);
  if (tooLong !== null) return tooLong;
  const isPrintable = !hasControlCharacter(text) && text.isWellFormed();
  if (!isPrintable) return asProblem('defect.controlCharacters', 'remedy.typeAgain');
  const isError = text.startsWith('#') && SPREADSHEET_ERROR.test(text);
  return isError ? asProblem('defect.spreadsheetError', 'remedy.correctFormula') : null;
}

/** Other than tab and line feed. A loop, because every character of every list passes here. */
function hasControlCharacter(text: string): boolean {
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code < 0x20 ? code !== 0x09 && code !== 0x0a : code >= 0x7f && code < 0xa0) return true;
  }
  return false;
}

export type CellReader = (text: string) => CellReading;

/** Reads a trimmed cell that is not empty, as its column's type. `schema` is that of a column of JSON. */
export function readCell(column: Parameter, text: string, schema: z.ZodType<Json> = Json): CellReading {
  const problem = textProblem(text);
  if (problem !== null) return { ok: false, ...problem };
  switch (column.type) {
    case 'text':
    case 'long_text':
    case 'task':
      return { ok: true, value: text };
    case 'integer':
    case 'number':
      return readNumber(column, text);
    case 'boolean':
      return readBoolean(text);
    case 'choice':
      return readChoice(column, text);
    case 'ratio':
      return readRatio(text);
    case 'pixels':
      return readPixels(text);
    case 'media':
      return { ok: true, value: withoutQuotes(text) };
    case 'media_list':
    case 'text_list':
      return readList(text);
    case 'json':
      return readJson(column, text, schema);
  }
}

type NumberColumn = Extract<Parameter, { type: 'integer' | 'number' }>;

/** `5`, `5.0`, `5,0`, `5 s`. A comma is a decimal comma, unless three digits follow, which is ambiguous. */
const NUMBER = /^([+-]?\d+)(?:[.,](\d+))?\s*(\p{L}*)\.?$/u;
const GROUPED = /^[+-]?\d{1,3}(,\d{3})+$/;

const unitWords = { s: ['s', 'sec', 'secs', 'second', 'seconds', '秒'] };

function readNumber(column: NumberColumn, text: string): CellReading {
  const plain = text.normalize('NFKC').replace(/^[\u2212\u2013]/, '-');
  const parts = NUMBER.exec(plain);
  const unit = parts?.[3]?.toLowerCase() ?? '';
  const unitFits = unit === '' || (column.unit !== undefined && unitWords[column.unit].includes(unit));
  if (parts === null || !unitFits || GROUPED.test(plain)) return unfit(wantedNumber(column));
  const value = Number(`${parts[1] ?? ''}.${parts[2] ?? '0'}`);
  if (column.special?.includes(value) === true) return { ok: true, value };
  const { min = -Infinity, max = Infinity } = column;
  const isWhole = column.type !== 'integer' || Number.isInteger(value);
  return isWhole && value >= min && value <= max ? { ok: true, value } : unfit(wantedNumber(column));
}

function wantedNumber({ type, min, max, special }: NumberColumn): Message {
  if (min === undefined || max === undefined) return messageFor('remedy.writeNumber', { type });
  const range = { type, min: String(min), max: String(max) };
  if (special === undefined) return messageFor('remedy.writeNumberBetween', range);
  return messageFor('remedy.writeNumberBetweenOr', { ...range, special: special.map(String) });
}

/** Spreadsheet programs write booleans in the language of the system when they save CSV. */
const yes = 'true yes y 1 on x ✓ ja oui si sí sim wahr vrai verdadero verdadeiro vero waar prawda истина 是'.split(' ');
const no = 'false no n 0 off nein non não falsch faux falso onwaar fałsz ложь 否'.split(' ');

function readBoolean(text: string): CellReading {
  const word = text.normalize('NFKC').toLowerCase();
  if (yes.includes(word)) return { ok: true, value: true };
  if (no.includes(word)) return { ok: true, value: false };
  return unfit(messageFor('remedy.writeOneOf', { choices: ['TRUE', 'FALSE'] }));
}

function readChoice(column: Extract<Parameter, { type: 'choice' }>, text: string): CellReading {
  const choice = column.choices.find((known) => foldHeader(known) === foldHeader(text));
  if (choice !== undefined) return { ok: true, value: choice };
  if (column.open) return { ok: true, value: text };
  return unfit(messageFor('remedy.writeOneOf', { choices: column.choices }));
}

/** The last part is the seconds of the time of day that a spreadsheet made of it. */
const RATIO = /^(\d+(?:\.\d+)?)\s*[:x/∶：]\s*(\d+(?:\.\d+)?)(?::00)?$/iu;

function readRatio(text: string): CellReading {
  const [, width, height] = RATIO.exec(text) ?? [];
  if (width === undefined || height === undefined || Number(width) === 0 || Number(height) === 0) {
    return unfit(messageFor('remedy.writeLike', { example: '16:9' }));
  }
  return { ok: true, value: `${withoutLeadingZeros(width)}:${withoutLeadingZeros(height)}` };
}

function readPixels(text: string): CellReading {
  const [, width, height] = /^(\d+)\s*[x×*]\s*(\d+)(?:\s*px)?$/iu.exec(text) ?? [];
  if (width === undefined || height === undefined || Number(width) === 0 || Number(height) === 0) {
    return unfit(messageFor('remedy.writeLike', { example: '1024x1024' }));
  }
  return { ok: true, value: `${withoutLeadingZeros(width)}x${withoutLeadingZeros(height)}` };
}

function readList(text: string): CellReading {
  const items = splitList(text);
  if (items.length > 0) return { ok: true, value: items };
  return unfit('remedy.clearOrNameItems');
}

function readJson(
  { example }: Extract<Parameter, { type: 'json' }>,
  text: string,
  schema: z.ZodType<Json>,
): CellReading {
  let parsed: unknown;
  try {
    parsed = parseBoundedJson(text);
  } catch (error) {
    const isCurly = /[\u201c\u201d\u201e]/.test(text);
    return unreadable(
      jsonDefect(error),
      isCurly ? 'remedy.straightQuotes' : messageFor('remedy.writeLike', { example }),
    );
  }
  const result = schema.safeParse(parsed);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  return unreadable(issue === undefined ? 'defect.notJson' : jsonProblem(issue), 'remedy.correctCell');
}

export const jsonDefect = (error: unknown): Message =>
  error instanceof JsonTooDeepError
    ? messageFor('defect.jsonTooDeep', { most: MAX_JSON_DEPTH })
    : messageFor('defect.notJson');

function jsonProblem(issue: z.core.$ZodIssue): Message {
  const reason = toReason(issue);
  const place = issue.path.map((key) => (typeof key === 'number' ? `[${key + 1}]` : String(key))).join(' ');
  return place === ''
    ? messageFor('defect.jsonWrong', { reason })
    : messageFor('defect.jsonWrongAt', { place, reason });
}

function toReason(issue: z.core.$ZodIssue): Message {
  switch (issue.code) {
    case 'invalid_type':
      return messageFor('defect.jsonNeeds', { needed: issue.expected });
    case 'invalid_value':
      return messageFor('defect.jsonNeedsOneOf', { values: issue.values.map(String) });
    case 'unrecognized_keys':
      return messageFor('defect.jsonUnknownNames', { names: issue.keys });
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? messageFor('defect.jsonNeedsOneOf', { values: issue.options.map(String) })
        : messageFor('defect.jsonNotTaken');
    case 'too_small':
      return messageFor('defect.jsonEmpty');
    default:
      return messageFor('defect.jsonNotTaken');
  }
}
