import type { MessageParameters } from './parameters.ts';

export type MessageKey = keyof MessageParameters<never>;

/** A fact that a text names. A list is written with the commas of the language. */
export type Value = string | number | Message | readonly (string | Message)[];

/**
 * A message before it has words: a key of the deck and its facts. Databases, recipes, logs and the wire hold it; window
 * and command line turn it into words of their language (`sayText`). Made by `messageFor`.
 */
export interface Message {
  readonly key: MessageKey;
  readonly values?: Readonly<Record<string, Value>> | undefined;
}

type Parameters = MessageParameters<Exclude<Value, number>>;

export type ValuesOf<Key extends MessageKey> = keyof Parameters[Key] extends never ? [] : [values: Parameters[Key]];

/** Messages whose text names no facts. */
export type PlainKey = { [Key in MessageKey]: ValuesOf<Key> extends [] ? Key : never }[MessageKey];

/** A message of the deck with its facts. The compiler knows which facts its text names. */
export function messageFor<Key extends MessageKey>(key: Key, ...[values]: ValuesOf<Key>): Message {
  return values === undefined ? { key } : { key, values };
}

/** A message, or one without facts by its key. */
export const asMessage = (words: Message | PlainKey): Message =>
  typeof words === 'string' ? messageFor(words) : words;

/** What is wrong, and what to do. */
export const asProblem = (problem: Message | PlainKey, remedy: Message | PlainKey) => ({
  problem: asMessage(problem),
  remedy: asMessage(remedy),
});

export const isList = (value: Value): value is readonly (string | Message)[] => Array.isArray(value);

/** For logs and for errors of Node.js, which are in no language: `failure.refused {"status":402}`. */
export const textForLog = (text: string | Message): string =>
  typeof text === 'string' ? text : `${text.key}${text.values === undefined ? '' : ` ${JSON.stringify(text.values)}`}`;
