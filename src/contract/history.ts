import * as z from 'zod';
import { bytesForPeople } from './units.ts';
import { Text, type Message, type MessageKey, type Value, type ValuesOf } from './messages/message.ts';

/** Who did something: a person in a window, a person or a program by a command, the engine itself, or an agent (see docs/guide/mcp.md). */
const Actor = z.enum(['window', 'command', 'engine', 'agent']);
export type Actor = z.infer<typeof Actor>;

type HistoryKey = Extract<MessageKey, `history.${string}`>;

/** What its entries are about. */
type Noun =
  | ('batch' | 'batches' | 'project' | 'takes' | 'verdicts' | 'trash' | 'queue' | 'cap' | 'window')
  | ('group' | 'view' | 'preset' | 'variable' | 'cut');

type CodeFor<About extends Noun, Key = HistoryKey> = Key extends `history.${About}${infer Verb}`
  ? Verb extends Capitalize<Verb>
    ? `${About}.${Uncapitalize<Verb>}`
    : never
  : never;

/** `batch.renamed` has the text `history.batchRenamed`. The key of a text is a code itself, too. */
export type HistoryCode = { [About in Noun]: CodeFor<About> }[Noun] | HistoryKey;

type KeyFor<Code extends string> = Code extends `${infer About extends Noun}.${infer Verb}`
  ? `history.${About}${Capitalize<Verb>}` & HistoryKey
  : Code & HistoryKey;

/** The facts of its text, with bytes where that names a size: they add up. The database holds both code and facts. */
export type HistoryFacts<Code extends HistoryCode> = Code extends HistoryCode
  ? ValuesOf<KeyFor<Code>> extends [infer Facts]
    ? Facts extends { readonly size: unknown }
      ? Omit<Facts, 'size'> & { readonly bytes: number }
      : Facts
    : Readonly<Record<string, never>>
  : never;

const counted = [
  ...(['takes.queued', 'takes.retried', 'takes.cancelled', 'takes.held', 'takes.released', 'takes.moved'] as const),
  ...(['takes.waitEnded', 'takes.waitRestored'] as const),
  ...(['takes.decided', 'takes.judged', 'takes.trashed', 'takes.restored'] as const),
  ...(['verdicts.undone', 'trash.emptied'] as const),
] satisfies readonly HistoryCode[];

/** Codes whose facts are all counts, so that several entries add up to one. */
export type CountedCode = (typeof counted)[number];

export const isCounted = <Note extends { readonly code: HistoryCode }>(
  note: Note,
): note is Note & { readonly code: CountedCode; readonly facts: HistoryFacts<CountedCode> } =>
  counted.some((code) => code === note.code);

/** What happened as a text. That of a code of a later version says so. */
export function historyText(code: string, facts: Readonly<Record<string, Value>>): Message {
  const [about = '', verb = ''] = code.split('.');
  const key = about === 'history' ? code : `history.${about}${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  const { bytes } = facts;
  const size = typeof bytes === 'number' && { size: bytesForPeople(bytes) };
  return { key: key as HistoryKey, values: { ...facts, ...size } };
}

export const HistoryRequest = z.object({
  /** Without one, those of all projects. */
  projectId: z.string().min(1).max(200).optional(),
  /** Only lines before this one, by its id. */
  before: z.int().optional(),
  count: z.int().min(1).max(500),
});
export type HistoryRequest = z.infer<typeof HistoryRequest>;

export const HistoryLine = z.object({
  id: z.int(),
  /** ms. */
  at: z.number(),
  by: Actor,
  /** The present name of its project; null for an entry about none, or about an unknown one. */
  project: z.string().nullable(),
  text: Text,
});
export type HistoryLine = z.infer<typeof HistoryLine>;
