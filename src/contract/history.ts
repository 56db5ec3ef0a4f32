import * as z from 'zod';
import { bytesForPeople } from './units.ts';
import { messageFor, Text, type Message, type MessageKey, type Value, type ValuesOf } from './messages/message.ts';

/** Who did something: a person in a window, a person or a program by a command, the engine itself, or an agent (see docs/guide/mcp.md). */
const Actor = z.enum(['window', 'command', 'engine', 'agent']);
export type Actor = z.infer<typeof Actor>;

type NoFacts = Readonly<Record<string, never>>;

/**
 * Every entry of the history: its code, and the message of the deck that says it. The database holds the code with the
 * facts that the message names, so an entry may get another text, but never other facts.
 */
const texts = {
  'batch.started': 'history.batchStarted',
  'batch.merged': 'history.batchMerged',
  'batch.duplicated': 'history.batchDuplicated',
  'batch.renamed': 'history.batchRenamed',
  'batch.archived': 'history.batchArchived',
  'batch.unarchived': 'history.batchUnarchived',
  'batch.noted': 'history.batchNoted',
  'batches.ordered': 'history.batchesOrdered',
  'project.renamed': 'history.projectRenamed',
  'project.opened': 'history.projectOpened',
  'project.relinked': 'history.projectRelinked',
  'project.forgotten': 'history.projectForgotten',
  'project.archived': 'history.projectArchived',
  'project.unarchived': 'history.projectUnarchived',
  'takes.queued': 'history.takesQueued',
  'takes.retried': 'history.takesRetried',
  'takes.cancelled': 'history.takesCancelled',
  'takes.held': 'history.takesHeld',
  'takes.released': 'history.takesReleased',
  'takes.moved': 'history.takesMoved',
  'takes.decided': 'history.takesDecided',
  'queue.paused': 'history.queuePaused',
  'queue.resumed': 'history.queueResumed',
  'cap.changed': 'history.capChanged',
  'cap.removed': 'history.capRemoved',
  'cap.found': 'history.capFound',
  'window.changed': 'history.windowChanged',
  'window.removed': 'history.windowRemoved',
  'window.found': 'history.windowFound',
  'window.opened': 'history.windowOpened',
  'group.created': 'history.groupCreated',
  'group.renamed': 'history.groupRenamed',
  'takes.trashed': 'history.takesTrashed',
  'takes.restored': 'history.takesRestored',
  'trash.emptied': 'history.trashEmptied',
  'takes.judged': 'history.takesJudged',
  'verdicts.undone': 'history.verdictsUndone',
  'view.saved': 'history.viewSaved',
  'view.renamed': 'history.viewRenamed',
  'view.removed': 'history.viewRemoved',
  'preset.saved': 'history.presetSaved',
  'preset.renamed': 'history.presetRenamed',
  'preset.removed': 'history.presetRemoved',
  'variable.set': 'history.variableSet',
  'variable.removed': 'history.variableRemoved',
} as const satisfies Readonly<Record<string, MessageKey>>;

/** A message of the deck whose name begins so is a code itself: a new command needs no entry above. */
type MessageCode = Extract<MessageKey, `history.${string}`>;

export type HistoryCode = keyof typeof texts | MessageCode;

const counted = [
  ...(['takes.queued', 'takes.retried', 'takes.cancelled', 'takes.held', 'takes.released', 'takes.moved'] as const),
  ...(['takes.decided', 'takes.judged', 'takes.trashed', 'takes.restored'] as const),
  ...(['verdicts.undone', 'trash.emptied'] as const),
] satisfies readonly HistoryCode[];

/** Codes whose facts are all counts, so that several entries add up to one. */
export type CountedCode = (typeof counted)[number];

export const isCounted = <Note extends { readonly code: HistoryCode }>(
  note: Note,
): note is Note & { readonly code: CountedCode; readonly facts: HistoryFacts<CountedCode> } =>
  counted.some((code) => code === note.code);

/** The size of files is kept in bytes. */
type Kept<Facts> = Facts extends { readonly size: unknown } ? Omit<Facts, 'size'> & { readonly bytes: number } : Facts;

type FactsOf<Key extends MessageKey> = ValuesOf<Key> extends [infer Facts] ? Facts : NoFacts;

export type HistoryFacts<Code extends HistoryCode> = Code extends keyof typeof texts
  ? Kept<FactsOf<(typeof texts)[Code]>>
  : Code extends MessageCode
    ? FactsOf<Code>
    : never;

/** What happened as a text. A code of a later version is shown by its name. */
export function historyText(code: string, facts: Readonly<Record<string, Value>>): Message {
  if (code.startsWith('history.')) return { key: code as MessageCode, values: facts };
  if (!Object.hasOwn(texts, code)) return messageFor('history.unknown', { code });
  const key = texts[code as keyof typeof texts];
  return {
    key,
    values: typeof facts['bytes'] === 'number' ? { ...facts, size: bytesForPeople(facts['bytes']) } : facts,
  };
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
