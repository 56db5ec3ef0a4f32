import { messageFor, type Message } from './messages/message-for.ts';

/**
 * The language of searches: words, and `field:value` for facts of a take. All terms must match.
 *
 * `rain "night train" rating:>=4 model:vgen* -flag:reject has:note is:retake scene:12`
 */

/** Fields with a number, compared by `:4`, `:>=4`, `:<4`. */
const TAKE_NUMBERS = ['rating', 'take'] as const;
/** The same of any file of the take. */
const FILE_NUMBERS = ['fps', 'frames', 'width', 'height'] as const;
const NUMBERS = [...TAKE_NUMBERS, ...FILE_NUMBERS];
/** Fields that contain the value, or are like it where it has a `*`. */
const CONTAINED = ['prompt', 'note', 'file'] as const;
/** Fields that are the value, or are like it where it has a `*`. */
const WHOLE = ['shot', 'batch', 'model', 'kind', 'tag', 'id', 'task'] as const;
/** Fields with few values. */
const CHOICES = {
  flag: ['pick', 'alternate', 'reject', 'none'],
  state: ['saved', 'failed', 'unknown', 'cancelled', 'unfinished', 'trashed'],
  has: ['note', 'rating', 'flag', 'tag', 'file'],
  is: ['stale', 'retake', 'marked', 'vfr'],
} as const;

export type FileNumber = (typeof FILE_NUMBERS)[number];
type NumberField = (typeof TAKE_NUMBERS)[number] | FileNumber;
type TextField = (typeof CONTAINED)[number] | (typeof WHOLE)[number];
type ChoiceField = keyof typeof CHOICES;

type Comparison = '=' | '>' | '>=' | '<' | '<=';

export type SearchTerm = { readonly isNot: boolean } & (
  | { readonly by: 'words'; readonly words: string }
  | { readonly by: 'number'; readonly field: NumberField; readonly comparison: Comparison; readonly number: number }
  | { readonly by: 'text'; readonly field: TextField; readonly pattern: readonly string[] }
  | { readonly by: 'choice'; readonly field: ChoiceField; readonly choice: string }
  /** A column of the list that is the person's own. */
  | { readonly by: 'column'; readonly column: string; readonly pattern: readonly string[] }
);

export type TakeSearch =
  | { readonly ok: true; readonly terms: readonly SearchTerm[] }
  | { readonly ok: false; readonly problem: Message };

/** More than anybody types; each costs a look at every take. */
const MAX_TERMS = 20;
/** In one value: each multiplies the cost of a comparison. */
const MAX_STARS = 4;

interface Token {
  readonly isNot: boolean;
  /** The text before the colon; absent for words. */
  readonly field?: string;
  readonly value: string;
  /** Quoted as a whole: its stars are letters. */
  readonly isQuoted: boolean;
}

export function parseTakeSearch(text: string): TakeSearch {
  const tokens = toTokens(text);
  if (tokens.length > MAX_TERMS) return problem(messageFor('search.tooMany', { most: MAX_TERMS }));
  const terms: SearchTerm[] = [];
  for (const token of tokens) {
    const term = toTerm(token);
    if ('key' in term) return problem(term);
    terms.push(term);
  }
  return { ok: true, terms };
}

/** Several searches as one: all of them have to fit. A quote that is open in one of them ends with it. Pure. */
export const joinSearches = (...texts: readonly string[]): string =>
  texts.map((text) => (text.split('"').length % 2 === 0 ? `${text}"` : text)).join(' ');

const problem = (message: Message): TakeSearch => ({ ok: false, problem: message });

const FIELD_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;

function toTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;

  /** A quote that is not closed goes to the end: it is being typed. */
  const quoted = (): string => {
    const end = text.indexOf('"', at + 1);
    const value = text.slice(at + 1, end === -1 ? undefined : end);
    at = end === -1 ? text.length : end + 1;
    return value;
  };
  const plain = (stops: RegExp): string => {
    const start = at;
    while (at < text.length && !stops.test(text.charAt(at))) at += 1;
    return text.slice(start, at);
  };
  const token = (): Omit<Token, 'isNot'> => {
    const isQuoted = text.charAt(at) === '"';
    const first = isQuoted ? quoted() : plain(/[\s":]/u);
    const isField = text.charAt(at) === ':' && !text.startsWith('://', at) && (isQuoted || FIELD_NAME.test(first));
    if (!isField) return isQuoted ? { value: first, isQuoted } : { value: first + plain(/[\s"]/u), isQuoted };
    at += 1;
    return text.charAt(at) === '"'
      ? { field: first, value: quoted(), isQuoted: true }
      : { field: first, value: plain(/[\s"]/u), isQuoted: false };
  };

  while (at < text.length) {
    if (/\s/u.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const isNot = text.charAt(at) === '-' && /^\S/u.test(text.charAt(at + 1));
    if (isNot) at += 1;
    tokens.push({ isNot, ...token() });
  }
  return tokens.filter(({ field, value }) => field !== undefined || value !== '');
}

function toTerm({ isNot, field, value, isQuoted }: Token): SearchTerm | Message {
  if (field === undefined) return { isNot, by: 'words', words: value };
  const name = field.toLowerCase();
  if (isOneOf(NUMBERS, name)) {
    const match = /^(?<comparison>>=|<=|>|<|=)?(?<number>\d{1,7}(?:\.\d{1,3})?)$/.exec(value);
    if (!match?.groups) return messageFor('search.badNumber', { field: name });
    const { comparison = '=', number } = match.groups;
    return { isNot, by: 'number', field: name, comparison: comparison as Comparison, number: Number(number) };
  }
  if (Object.hasOwn(CHOICES, name)) {
    const choices: readonly string[] = CHOICES[name as ChoiceField];
    const choice = value.toLowerCase();
    if (!choices.includes(choice)) return messageFor('search.badChoice', { field: name, choices: [...choices] });
    return { isNot, by: 'choice', field: name as ChoiceField, choice };
  }
  if (value === '') return messageFor('search.noValue', { field });
  const pattern = isQuoted ? [value] : value.split('*');
  if (pattern.length > MAX_STARS + 1) return messageFor('search.tooManyStars', { most: MAX_STARS });
  if (isOneOf(WHOLE, name)) return { isNot, by: 'text', field: name, pattern };
  if (isOneOf(CONTAINED, name)) {
    return { isNot, by: 'text', field: name, pattern: pattern.length === 1 ? ['', value, ''] : pattern };
  }
  return { isNot, by: 'column', column: field, pattern };
}

/** Whether a number is one of a file, and not of its take. Pure. */
export const isFileNumber = (field: NumberField): field is FileNumber => isOneOf(FILE_NUMBERS, field);

function isOneOf<const Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
