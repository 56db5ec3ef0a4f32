import * as z from 'zod';
import { StartOptions } from './batch.ts';
import { MAX_ROWS } from './draft-list.ts';
import { EngineEvent, RunState } from './events.ts';
import { JobView } from './job.ts';
import { listOf } from './json.ts';
import { Kind } from './kinds/kind.ts';
import { Text } from './messages/message.ts';
import { MAX_VARIABLE_LENGTH } from './prompt-library.ts';

const path = z.string().min(1).max(4096);

export const ListToRun = StartOptions.extend({
  /** Absolute folder of the project; made when it is not there. */
  project: path,
  /** Absolute folder that local paths in cells start at. */
  listFolder: path,
  /** Where the list came from, to show: a file name. */
  source: z.string().min(1).max(500),
  /** A `ShotSpec` a line, as JSON: the engine takes them in a few at a time. */
  shots: z.string().max(300_000_000),
  rows: z.array(z.int().min(1)).max(MAX_ROWS),
  /** The list as it was written. */
  list: z
    .object({ kind: Kind.nullable(), headers: z.array(z.string()), rows: listOf(z.array(z.string()), MAX_ROWS) })
    .optional(),
  /** Texts that its prompts name, as the command has seen them. */
  texts: z.record(z.string().max(50), z.string().max(MAX_VARIABLE_LENGTH)),
  /** Its takes go to the studio, where any machine makes them. */
  studio: z.boolean().optional(),
});
export type ListToRun = z.input<typeof ListToRun>;

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
    adoptedTakes: z.int(),
    /** Caps and night windows that the folder has brought, each as a text. */
    limits: z.array(Text),
    problems: z.array(Text),
  }),
  /** `folder` is relative to the project. */
  batch: z.object({ id: z.string(), name: z.string(), folder: z.string() }),
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  removed: z.int(),
  newTakes: z.int(),
  waiting: z.int(),
  /** Takes that are new in the studio's queue; absent for a list that is made here. */
  queued: z.int().optional(),
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
