import * as z from 'zod';
import { TakeAsset } from './asset.ts';
import { Failure } from './failure.ts';
import { OutputFormat } from './formats.ts';
import { JsonObject } from './json.ts';
import { listOf } from './list-of.ts';
import { ShotSpec } from './shot.ts';
import { TakeExtras } from './take-extras.ts';
import { readTags } from './tags.ts';
import { TakeSource } from './take-source.ts';
import { TrashState } from './trash.ts';
import { LONGEST_KEY, LONGEST_PATH } from './units.ts';
import { Verdict } from './verdict.ts';

/** Files, media, sources or tasks of one take, far more than any has. */
const MOST_PARTS = 10_000;

/** One file of a take, as it lies in the project folder. */
export const Output = z.object({
  /** 1-based; an image job with n=4 has outputs 1 to 4. */
  number: z.int().min(1),
  /** Relative to the project folder, with forward slashes on every system. */
  file: z.string().max(LONGEST_PATH),
  /** Where the file belongs while it lies in the trash; in the form of `file`. */
  home: z.string().max(LONGEST_PATH).optional(),
  bytes: z.int().min(0),
  sha256: z.string().max(LONGEST_KEY),
  format: OutputFormat,
  /** False when it came as the server announced it, but its format is one that cannot be checked for wholeness. */
  verified: z.boolean().default(true),
});
export type Output = z.infer<typeof Output>;

/** How a file goes inside a JSON body. */
export const InlineForm = z.enum(['data_url', 'base64']);
export type InlineForm = z.infer<typeof InlineForm>;

/** The exact request of a take, sent or planned. No key, no header. */
export const PlannedRequest = z.object({
  /** Which resource call makes it, for example `videos.create`. */
  operation: z.string(),
  method: z.literal('POST'),
  /** Below the service address, for example `/v1/videos`. */
  path: z.string(),
  encoding: z.enum(['json', 'multipart']),
  body: JsonObject,
  /**
   * Files streamed from disk as multipart parts; in a JSON body, `as` texts that are added to the list of that field. `path`
   * is absolute.
   */
  files: listOf(z.object({ field: z.string(), path: z.string(), as: InlineForm.optional() }), MOST_PARTS),
  /**
   * `task`: answers with a task to poll. Else the answer is the result: `json`, which holds it or says where it is, or
   * `bytes`, which are the file. Earlier releases called both `answer`.
   */
  answers: z.enum(['task', 'json', 'bytes']).or(z.literal('answer').transform(() => 'json' as const)),
});
export type PlannedRequest = z.infer<typeof PlannedRequest>;

/**
 * `.dailies/takes/<take id>.json`: the full recipe of one take, enough to show it, reproduce it, or follow its
 * task from another machine that has never seen the database.
 */
export const Recipe = z.object({
  format: z.literal(1),
  takeId: z.string().max(LONGEST_KEY),
  /** Its number among the takes of its shot, from 1. */
  take: z.int().min(1),
  /** The round of new takes of its batch that it belongs to; absent before the first one. */
  round: z.int().min(1).optional(),
  batch: z.object({ id: z.string().max(LONGEST_KEY), name: z.string().max(LONGEST_KEY) }),
  shot: ShotSpec,
  /** State of the job when the file was written; see `JobStateName`. */
  state: z.string(),
  request: PlannedRequest.optional(),
  /** What its local media were uploaded as. */
  assets: listOf(TakeAsset, MOST_PARTS).optional(),
  /** The takes that it was made from. */
  from: listOf(TakeSource, MOST_PARTS).optional(),
  /** Address of the service that its newest request went to. */
  origin: z.string().max(LONGEST_PATH).optional(),
  /** Tells one key from another without revealing it. */
  keyFingerprint: z.string().max(LONGEST_KEY).optional(),
  /** Of its newest request, which is written down before it is sent. */
  attemptId: z.string().max(LONGEST_KEY).optional(),
  /** Of the task at the service, once it was accepted. */
  taskId: z.string().optional(),
  /** Further tasks of the same submit. */
  otherTaskIds: listOf(z.string(), MOST_PARTS).optional(),
  requestId: z.string().optional(),
  traceId: z.string().optional(),
  /** References that the service says it did not bind to the task. */
  unbound: listOf(z.string(), MOST_PARTS).optional(),
  /** The model that made it, as the service says, where that is another than was asked for. */
  modelUsed: z.string().optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** When its newest request was written down, and when the take was first saved, ms. Absent where unknown. */
  sentAt: z.number().optional(),
  savedAt: z.number().optional(),
  /** Its files; empty until it is saved. */
  outputs: listOf(Output, MOST_PARTS),
  /** Buttons, prompts and assets that the service has added to the take. */
  extras: TakeExtras.optional(),
  /** A text of it reached the limit of its request. */
  isCut: z.literal(true).optional(),
  failure: Failure.optional(),
  /** Tags that cannot be any are left out: the take is worth more than they are. */
  verdict: Verdict.extend({ tags: z.array(z.unknown()).transform(readTags).optional().catch(undefined) }).optional(),
  /** Its files are in the project's trash, or were removed from there. */
  trash: TrashState.optional(),
});
export type Recipe = z.infer<typeof Recipe>;
