import * as z from 'zod';
import { TakeAsset } from './asset.ts';
import { Failure } from './failure.ts';
import { OutputFormat, formats, type Medium } from './formats.ts';
import { JsonObject, listOf } from './json.ts';
import { MediaFacts } from './media-facts.ts';
import { ShotSpec } from './shot.ts';
import { MAX_NOTE, readTags, Verdict } from './verdict.ts';
import { TrashState } from './trash.ts';
import { MAX_KEY, MAX_PATH } from './units.ts';
import type { MessageKey } from './messages/words.ts';

export const TakeButton = z.object({
  /** Names it to the service. */
  customId: z.string().min(1).max(1000),
  label: z.string().max(200),
  emoji: z.string().max(50),
});
export type TakeButton = z.infer<typeof TakeButton>;

/** A prompt that the service made from ours. `name` is the service's own: `finalPrompt`. */
const MadePrompt = z.object({ name: z.string(), text: z.string() });

export const MadeAsset = z.object({
  id: z.string().regex(/^[^\s/]{1,300}$/),
  /** Of the service: `digital_human_voice`. */
  purpose: z.string().max(100),
  name: z.string().max(1000).optional(),
});
export type MadeAsset = z.infer<typeof MadeAsset>;

/** What the service says of a digital human task (reference, "Digital human records"). The fields of `data` are not shown. */
export const TaskFacts = z.object({ action: z.string().max(200).optional(), data: JsonObject.optional() });
export type TaskFacts = z.infer<typeof TaskFacts>;

export const TakeExtras = z.object({
  buttons: listOf(TakeButton, 100),
  prompts: listOf(MadePrompt, 10),
  asset: MadeAsset.optional(),
  task: TaskFacts.optional(),
});
export type TakeExtras = z.infer<typeof TakeExtras>;

export const buttonName = ({ emoji, label, customId }: TakeButton): string =>
  [emoji, label].filter((part) => part !== '').join(' ') || customId;

/** The buttons that a text means: by the id, the label or the emoji, in small letters or capitals. Pure. */
export function buttonsCalled(text: string, buttons: readonly TakeButton[]): TakeButton[] {
  const wanted = text.trim().toLowerCase();
  const isCalled = (name: string): boolean => name !== '' && name.trim().toLowerCase() === wanted;
  const byId = buttons.filter(({ customId }) => isCalled(customId));
  if (byId.length > 0) return byId;
  return buttons.filter((button) => [buttonName(button), button.label, button.emoji].some(isCalled));
}

/** How a take came from another one: `reference` by a cell that names its shot, the others by a person's command. */
export const SourceUse = z.enum([
  'reference',
  'again',
  'changes',
  'edit',
  'variation',
  'remix',
  'upscale',
  'blend',
  'action',
  'extend',
  'retake',
  'final',
]);
export type SourceUse = z.infer<typeof SourceUse>;

export const TakeSource = z.object({
  takeId: z.string(),
  how: SourceUse,
  /** The cell it took the place of, as written. */
  parameter: z.string().optional(),
  cell: z.string().optional(),
  /** The file that was used. */
  output: z.int().min(1).optional(),
  /** The frame of the film that was used, from 0; `sha256` is of the picture of it. */
  frame: z.int().min(0).optional(),
  /** Of the file that was used, as it was sent. */
  sha256: z.string().optional(),
  /** The frame is nearly black. */
  isDark: z.literal(true).optional(),
  /** The text of the cell, if it is text. */
  text: z.string().optional(),
  /** What a person noted of the take, and asked to be made otherwise. */
  note: z.string().max(MAX_NOTE).optional(),
});
export type TakeSource = z.infer<typeof TakeSource>;

/** A take that another one came from, or went into, for people. `shot` and `take` are absent where it is not known here. */
export const TakeLink = TakeSource.pick({ takeId: true, how: true, output: true, frame: true, note: true }).extend({
  shot: z.string().optional(),
  take: z.int().optional(),
});
export type TakeLink = z.infer<typeof TakeLink>;

/**
 * Why a take would be made from other sources if it were sent now. `shot` and `take` are what it was made from, with the
 * batch where that is another one (`take` is absent where it is not known here); `now` is the take that counts instead.
 */
export const Stale = z.object({
  why: z.enum(['picked', 'newer', 'reworded', 'trashed', 'rejected', 'gone', 'replaced', 'row']),
  shot: z.string(),
  take: z.int().optional(),
  now: z.int().optional(),
});
export type Stale = z.infer<typeof Stale>;

/** Files, media, sources or tasks of one take, far more than any has. */
const MAX_PARTS = 10_000;

export const Output = z.object({
  /** 1-based; an image job with n=4 has outputs 1 to 4. */
  number: z.int().min(1),
  /** Relative to the project folder, with forward slashes on every system. */
  file: z.string().max(MAX_PATH),
  /** Where the file belongs while it lies in the trash; in the form of `file`. */
  home: z.string().max(MAX_PATH).optional(),
  bytes: z.int().min(0),
  sha256: z.string().max(MAX_KEY),
  format: OutputFormat,
  /** False when it came as the server announced it, but its format is one that cannot be checked for wholeness. */
  verified: z.boolean().default(true),
  /** Absent where they were not read yet, or the file has none. */
  facts: MediaFacts.optional().catch(undefined),
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
  files: listOf(z.object({ field: z.string(), path: z.string(), as: InlineForm.optional() }), MAX_PARTS),
  /**
   * `task`: answers with a task to poll. Else the answer is the result: `json`, which holds it or says where it is, or
   * `bytes`, which are the file.
   */
  answers: z.enum(['task', 'json', 'bytes']),
});
export type PlannedRequest = z.infer<typeof PlannedRequest>;

/**
 * `.dailies/takes/<take id>.json`: the full recipe of one take, enough to show it, reproduce it, or follow its
 * task from another machine that has never seen the database.
 */
export const Recipe = z.object({
  format: z.literal(1),
  takeId: z.string().max(MAX_KEY),
  /** Its number among the takes of its shot, from 1. */
  take: z.int().min(1),
  /** The round of new takes of its batch that it belongs to; absent before the first one. */
  round: z.int().min(1).optional(),
  batch: z.object({ id: z.string().max(MAX_KEY), name: z.string().max(MAX_KEY) }),
  shot: ShotSpec,
  /** State of the job when the file was written; see `JobStateName`. */
  state: z.string(),
  request: PlannedRequest.optional(),
  /** What its local media were uploaded as. */
  assets: listOf(TakeAsset, MAX_PARTS).optional(),
  /** The takes that it was made from; `retake` with the `note` that asked for it, `final` of a pick. */
  from: listOf(TakeSource, MAX_PARTS).optional(),
  /** Address of the service that its newest request went to. */
  origin: z.string().max(MAX_PATH).optional(),
  /** Tells one key from another without revealing it. */
  keyFingerprint: z.string().max(MAX_KEY).optional(),
  /** Of its newest request, which is written down before it is sent. */
  attemptId: z.string().max(MAX_KEY).optional(),
  /** Of the task at the service, once it was accepted. */
  taskId: z.string().optional(),
  /** Further tasks of the same submit. */
  otherTaskIds: listOf(z.string(), MAX_PARTS).optional(),
  requestId: z.string().optional(),
  traceId: z.string().optional(),
  /** References that the service says it did not bind to the task. */
  unbound: listOf(z.string(), MAX_PARTS).optional(),
  /** The model that made it, as the service says, where that is another than was asked for. */
  modelUsed: z.string().optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** When its newest request was written down, and when the take was first saved, ms. Absent where unknown. */
  sentAt: z.number().optional(),
  savedAt: z.number().optional(),
  /** Its files; empty until it is saved. */
  outputs: listOf(Output, MAX_PARTS),
  /** Buttons, prompts and assets that the service has added to the take. */
  extras: TakeExtras.optional(),
  /** A text of it reached the limit of its request. */
  isCut: z.literal(true).optional(),
  failure: Failure.optional(),
  /** Tags that cannot be any are left out: the take is worth more than they are. */
  verdict: Verdict.extend({ tags: z.array(z.unknown()).transform(readTags).optional().catch(undefined) }).optional(),
  /** Its files are in the project's trash, or were removed from there. */
  trash: TrashState.optional(),
  /**
   * The machine of a studio that wrote this, and its right to the take: the highest epoch has it, within a generation of
   * the studio's database, which grows with each restore.
   */
  studio: z
    .object({
      worker: z.string().max(MAX_KEY),
      epoch: z.int().min(0),
      generation: z.int().min(0).catch(0),
    })
    .optional(),
});
export type Recipe = z.infer<typeof Recipe>;

export const Remark = z.enum([
  /** Its format is one that cannot be checked for wholeness. */
  'not_verified',
  /** A picture where a film was asked for, or the like. */
  'other_medium',
  /** A text that ends where the limit of its request was reached. */
  'cut_short',
  /** Made by another model than was asked for, as the task says. */
  'other_model',
  /** It starts from a frame that is nearly black. */
  'dark_frame',
]);
export type Remark = z.infer<typeof Remark>;

export const remarkMessages = {
  not_verified: 'remark.notVerified',
  other_medium: 'remark.otherMedium',
  cut_short: 'remark.cutShort',
  other_model: 'remark.otherModel',
  dark_frame: 'remark.darkFrame',
} as const satisfies Readonly<Record<Remark, MessageKey>>;

/** Said of a take as a whole, and so of each of its files. */
const ofTakes: readonly Remark[] = ['cut_short', 'other_model', 'dark_frame'];

export const remarksOfFile = (
  { medium, remarks = [] }: { readonly medium?: Medium | undefined; readonly remarks?: readonly Remark[] | undefined },
  output: { readonly format: OutputFormat; readonly verified: boolean },
): Remark[] => [...remarksFor(medium, [output]), ...remarks.filter((remark) => ofTakes.includes(remark))];

/** The remarks about files of a take, each once. `asked`: the medium that its row asks for; undefined if unknown. Pure. */
export function remarksFor(
  asked: Medium | undefined,
  outputs: readonly { readonly format: OutputFormat; readonly verified: boolean }[],
): Remark[] {
  const found: Remark[] = [];
  if (outputs.some(({ verified }) => !verified)) found.push('not_verified');
  if (asked && outputs.some(({ format }) => formats[format].medium !== asked)) found.push('other_medium');
  return found;
}
