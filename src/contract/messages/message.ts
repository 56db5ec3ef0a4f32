import * as z from 'zod';
import { isList, type Message, type Value } from './message-for.ts';

export {
  asProblem,
  messageFor,
  textForLog,
  type Message,
  type MessageKey,
  type PlainKey,
  type Value,
  type ValuesOf,
} from './message-for.ts';

/** A message, or words as they are: of the service, of the system, and of what earlier versions stored. */
export type Text = string | Message;

/** A reason is a message in a message, and may name one more. What lies deeper is left out. */
const DEEPEST = 6;
const scalar = z.union([z.string(), z.number()]);

function messageSchema(depth: number): z.ZodType {
  const inner = depth > 1 ? [messageSchema(depth - 1)] : [];
  const value = z.union([scalar, ...inner, z.array(z.union([z.string(), ...inner]))]);
  // Facts that this version cannot read make no file, row or answer unreadable: `sayText` says that they are missing.
  return z.object({ key: z.string(), values: z.record(z.string(), value).optional().catch(undefined) });
}

/** As it comes from a file, a database or the wire. A key of another version is allowed: `sayText` says so. */
export const Text = z.union([z.string(), messageSchema(DEEPEST)]) as z.ZodType<Text>;

/** The same text with `change` applied to each of its words, for example to remove secrets. */
export function mapText(text: Text, change: (words: string) => string): Text {
  if (typeof text === 'string') return change(text);
  if (text.values === undefined) return text;
  const mapped = (value: Value): Value =>
    typeof value === 'number'
      ? value
      : isList(value)
        ? value.map((each) => mapText(each, change))
        : mapText(value, change);
  return {
    key: text.key,
    values: Object.fromEntries(Object.entries(text.values).map(([name, value]) => [name, mapped(value)])),
  };
}

/** Facts of messages that are words of others. The rest are names, numbers and addresses. */
const WORDS_OF_OTHERS = ['reason', 'said', 'answer', 'began', 'begins'];

/** The words in a text that are in no language of ours: what the service or the system said, as it came. */
export function wordsOfOthers(text: Text): string {
  if (typeof text === 'string') return text;
  const said = WORDS_OF_OTHERS.flatMap((name) => text.values?.[name] ?? []);
  return said
    .flatMap((value) => (typeof value === 'number' ? [] : [wordsOfOthers(value)]))
    .filter((words) => words !== '')
    .join(' ');
}

/** A text in a column of text, where earlier versions kept words. */
export const textToColumn = (text: Text): string => (typeof text === 'string' ? text : JSON.stringify(text));

export function textFromColumn(column: string): Text {
  if (!column.startsWith('{"key":')) return column;
  try {
    return Text.parse(JSON.parse(column));
  } catch {
    return column;
  }
}
