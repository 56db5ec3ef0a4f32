import * as z from 'zod';
import { AgreedPaths, TakeOrder } from './batch.ts';
import { EngineEvent, RunState } from './events.ts';
import { JobView } from './job.ts';
import { CapChange } from './ledger.ts';
import { Kind } from './kinds/kind.ts';
import { Text } from './messages/message.ts';
import { LONGEST_VARIABLE } from './prompt-variables.ts';
import { NightWindow } from './night-window.ts';

const path = z.string().min(1).max(4096);

/** A shot list of this machine, as `dailies run` names it. */
export const ListToRun = z.object({
  /** Absolute folder of the project; made when it is not there. */
  project: path,
  batch: z.string().min(1).max(1000),
  /** Absolute folder that local paths in cells start at. */
  listFolder: path,
  /** Name of the list for messages; its extension says how to read it. */
  source: z.string().min(1).max(500),
  /** The whole file, base64. */
  content: z.string().max(300_000_000),
  sheet: z.string().max(500).optional(),
  encoding: z.string().max(100).optional(),
  kind: Kind.optional(),
  /** Make new takes of unchanged shots too, except for those with an unsent one. */
  again: z.boolean(),
  /** The batch keeps its shots that the list has not. */
  keepOthers: z.boolean().default(false),
  /** Files outside the list's folder that the person agrees to send. */
  agreed: AgreedPaths.default([]),
  /** The most that its batch may cost from now on. */
  cap: CapChange.optional(),
  /** How many takes the person agreed to pay for again; absent, all of them. */
  paidAgain: z.int().min(0).optional(),
  /** In which order its takes are sent; absent, as before, and for a new batch as the list has them. */
  order: TakeOrder.optional(),
  /** Texts that its prompts name, as the command has seen them. */
  variables: z.record(z.string().max(50), z.string().max(LONGEST_VARIABLE)).default({}),
  /** When takes of its batch may be sent from now on. */
  window: NightWindow.optional(),
});
export type ListToRun = z.infer<typeof ListToRun>;

export const RunScope = z.object({
  projectId: z.string().min(1).max(200).optional(),
  batchId: z.string().min(1).max(200).optional(),
});
export type RunScope = z.infer<typeof RunScope>;

export const StartedRun = z.object({
  project: z.object({
    id: z.string(),
    name: z.string(),
    /** Absolute. */
    path: z.string(),
    /** Takes taken over from the folder's own files. */
    adoptedTakes: z.int(),
    /** Caps and night windows that the folder has brought, each as a text. */
    limits: z.array(Text),
    /** Files in the folder that could not be read, each with the reason. */
    problems: z.array(Text),
  }),
  /** `folder` is relative to the project. */
  batch: z.object({ id: z.string(), name: z.string(), folder: z.string() }),
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  removed: z.int(),
  newTakes: z.int(),
  /** Stored takes of these shots that were not sent yet. */
  waiting: z.int(),
});
export type StartedRun = z.infer<typeof StartedRun>;

/**
 * The messages of a run, in this order: that its list was stored, where there is one; its takes, in several messages
 * when they are many; every change, one by one and in order; its end, once the manifests have it too.
 */
export const RunProgressEvent = z.discriminatedUnion('type', [
  StartedRun.extend({ type: z.literal('started') }),
  z.object({ type: z.literal('takes'), takes: z.array(JobView), last: z.boolean() }),
  z.object({ type: z.literal('events'), events: z.array(EngineEvent) }),
  z.object({ type: z.literal('ended'), end: RunState }),
]);
export type RunProgressEvent = z.infer<typeof RunProgressEvent>;
