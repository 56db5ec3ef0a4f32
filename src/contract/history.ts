import * as z from 'zod';
import type { BatchOrder } from './batch.ts';
import { bytesForPeople } from './units.ts';
import { messageFor, Text, type Message, type MessageKey, type Value, type ValuesOf } from './messages/message.ts';

/** Who did something: a person in a window, a person or a program by a command, the engine itself, or an agent (see docs/guide/mcp.md). */
const Actor = z.enum(['window', 'command', 'engine', 'agent']);
export type Actor = z.infer<typeof Actor>;

/** Takes whose files were moved or removed, and the bytes of these. */
interface Moved {
  readonly count: number;
  readonly bytes: number;
}

type NoFacts = Readonly<Record<string, never>>;

interface Commanded {
  readonly takes: number;
}

/** The scope of a cap or a night window: `batch` with its name, `project` or `night`. */
interface Scoped {
  readonly scope: string;
  readonly batch: string;
}

/** Verdicts that were given: how many, a take twice where it was judged twice, and how many changed what. */
interface Judged {
  readonly verdicts: number;
  readonly picks: number;
  /** Absent in lines of before there were any. */
  readonly alternates?: number;
  readonly rejects: number;
  readonly unflagged: number;
  readonly stars: number;
  readonly notes: number;
  readonly tags: number;
}

/** Every entry of the history: code, facts, text. The database holds the code with facts: only the text may change. */
const texts = {
  'batch.started': (facts: { readonly batch: string; readonly newTakes: number }) =>
    messageFor('history.batchStarted', facts),
  'batch.merged': (facts: { readonly batch: string; readonly newTakes: number }) =>
    messageFor('history.batchMerged', facts),
  'batch.duplicated': (facts: { readonly batch: string; readonly name: string }) =>
    messageFor('history.batchDuplicated', facts),
  'batch.renamed': (facts: { readonly before: string; readonly name: string }) =>
    messageFor('history.batchRenamed', facts),
  'batch.archived': (facts: { readonly batch: string }) => messageFor('history.batchArchived', facts),
  'batch.unarchived': (facts: { readonly batch: string }) => messageFor('history.batchUnarchived', facts),
  'batch.noted': (facts: { readonly batch: string }) => messageFor('history.batchNoted', facts),
  'batches.ordered': (facts: { readonly order: BatchOrder }) => messageFor('history.batchesOrdered', facts),
  'project.renamed': (facts: { readonly before: string; readonly name: string; readonly folder: string }) =>
    messageFor('history.projectRenamed', facts),
  'project.opened': (facts: { readonly project: string; readonly folder: string }) =>
    messageFor('history.projectOpened', facts),
  'project.relinked': (facts: { readonly project: string; readonly folder: string }) =>
    messageFor('history.projectRelinked', facts),
  'project.forgotten': (facts: { readonly project: string }) => messageFor('history.projectForgotten', facts),
  'project.archived': (facts: { readonly project: string }) => messageFor('history.projectArchived', facts),
  'project.unarchived': (facts: { readonly project: string }) => messageFor('history.projectUnarchived', facts),
  'takes.queued': (facts: Commanded) => messageFor('history.takesQueued', { ...facts }),
  'takes.retried': (facts: Commanded) => messageFor('history.takesRetried', { ...facts }),
  'takes.cancelled': (facts: Commanded) => messageFor('history.takesCancelled', { ...facts }),
  'takes.held': (facts: Commanded) => messageFor('history.takesHeld', { ...facts }),
  'takes.released': (facts: Commanded) => messageFor('history.takesReleased', { ...facts }),
  'takes.moved': (facts: Commanded) => messageFor('history.takesMoved', { ...facts }),
  /** By decision, as `Resolution` names it. */
  'takes.decided': (
    facts: Commanded & {
      readonly attach: number;
      readonly accept: number;
      readonly lost: number;
      readonly resubmit: number;
    },
  ) => messageFor('history.takesDecided', { ...facts }),
  'queue.paused': (_facts: NoFacts) => messageFor('history.queuePaused'),
  'queue.resumed': (_facts: NoFacts) => messageFor('history.queueResumed'),
  'cap.changed': (facts: Scoped & { readonly limits: string; readonly money: Text; readonly takes: number }) =>
    messageFor('history.capChanged', { ...facts }),
  'cap.removed': (facts: Scoped) => messageFor('history.capRemoved', { ...facts }),
  /** The folder of a project has brought one; `limits` is `none` where one was removed elsewhere. */
  'cap.found': (
    facts: Scoped & {
      readonly limits: string;
      readonly money: Text;
      readonly takes: number;
      readonly sent: number;
      readonly spent: Text;
    },
  ) => messageFor('history.capFound', { ...facts }),
  'window.changed': (facts: Scoped) => messageFor('history.windowChanged', { ...facts }),
  'window.removed': (facts: Scoped) => messageFor('history.windowRemoved', { ...facts }),
  'window.found': (facts: Scoped & { readonly isSet: string }) => messageFor('history.windowFound', { ...facts }),
  'window.opened': (facts: Scoped) => messageFor('history.windowOpened', { ...facts }),
  'group.created': (facts: { readonly name: string }) => messageFor('history.groupCreated', facts),
  'group.renamed': (facts: { readonly before: string; readonly name: string }) =>
    messageFor('history.groupRenamed', facts),
  'takes.trashed': ({ count, bytes }: Moved) =>
    messageFor('history.takesTrashed', { count, size: bytesForPeople(bytes) }),
  'takes.restored': ({ count, bytes }: Moved) =>
    messageFor('history.takesRestored', { count, size: bytesForPeople(bytes) }),
  'trash.emptied': ({ count, bytes }: Moved) =>
    messageFor('history.trashEmptied', { count, size: bytesForPeople(bytes) }),
  'takes.judged': (facts: Judged) => messageFor('history.takesJudged', { alternates: 0, ...facts }),
  'verdicts.undone': (facts: { readonly verdicts: number }) => messageFor('history.verdictsUndone', facts),
  'view.saved': (facts: { readonly name: string }) => messageFor('history.viewSaved', facts),
  'view.renamed': (facts: { readonly before: string; readonly name: string }) =>
    messageFor('history.viewRenamed', facts),
  'view.removed': (facts: { readonly name: string }) => messageFor('history.viewRemoved', facts),
  'preset.saved': (facts: { readonly name: string }) => messageFor('history.presetSaved', facts),
  'preset.renamed': (facts: { readonly before: string; readonly name: string }) =>
    messageFor('history.presetRenamed', facts),
  'preset.removed': (facts: { readonly name: string }) => messageFor('history.presetRemoved', facts),
  'variable.set': (facts: { readonly name: string }) => messageFor('history.variableSet', facts),
  'variable.removed': (facts: { readonly name: string }) => messageFor('history.variableRemoved', facts),
} satisfies Readonly<Record<string, (facts: never) => Message>>;

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

export type HistoryFacts<Code extends HistoryCode> = Code extends keyof typeof texts
  ? Parameters<(typeof texts)[Code]>[0]
  : Code extends MessageCode
    ? ValuesOf<Code> extends [infer Facts]
      ? Facts
      : NoFacts
    : never;

/** What happened as a text. A code of a later version is shown by its name. */
export function historyText(code: string, facts: Readonly<Record<string, Value>>): Message {
  if (code.startsWith('history.')) return { key: code as MessageCode, values: facts };
  if (!Object.hasOwn(texts, code)) return messageFor('history.unknown', { code });
  return (texts[code as keyof typeof texts] as (facts: Readonly<Record<string, Value>>) => Message)(facts);
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
