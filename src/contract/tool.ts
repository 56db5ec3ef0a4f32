import * as z from 'zod';
import { Text } from './messages/message.ts';
import { Failure } from './failure.ts';
import { JOB_STYLE, TYPOGRAPHY } from './kinds/image.ts';
import { JobView } from './job.ts';
import { listOf } from './json.ts';

export const Tool = z.enum(['rewrite', 'script', 'describe', 'embed', 'search', 'read']);
export type Tool = z.infer<typeof Tool>;

/**
 * State of a call of a tool. `sent`: no answer yet. `accepted`: the service made a task of it. `answered`: we have the
 * answer and nobody has used it yet. `used`: it was used. `not_charged`: the service certainly accepted
 * nothing. `unclear`: the service may have charged it. `dismissed`: a person closed it.
 */
export const ToolCallState = z.enum(['sent', 'accepted', 'answered', 'used', 'not_charged', 'unclear', 'dismissed']);
export type ToolCallState = z.infer<typeof ToolCallState>;

export const ToolCall = z.object({
  id: z.string(),
  tool: Tool,
  projectId: z.string().nullable(),
  /** In a few words: `Rewrite 12 prompts`. */
  about: Text,
  state: ToolCallState,
  sentAt: z.number(),
  taskId: z.string().optional(),
  failure: Failure.optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** Most prompts that one call rewrites: more go in several, so that a bad answer costs little. */
export const MAX_PROMPTS_A_CALL = 40;
export const MAX_VERSIONS = 10;
/** Longest text of a script, characters. */
export const MAX_SCRIPT = 200_000;

const model = z.string().trim().min(1).max(300);
/** `isAgreed`: a person agrees to a second charge for the same question. */
const agreement = { isAgreed: z.boolean().default(false) };
const asked = { projectId: z.string().nullable().default(null), ...agreement };
const failed = z.object({ type: z.literal('failed'), failure: Failure });
/** `wasPaid`: the answer was paid for by an earlier call, and nothing was sent. */
const paid = { callId: z.string(), wasPaid: z.boolean() };

export const RewriteRequest = z.object({
  ...asked,
  draftId: z.string().max(200).optional(),
  model,
  ask: z.string().trim().min(1).max(10_000),
  versions: z.int().min(1).max(MAX_VERSIONS).default(1),
  prompts: z.array(z.string().max(20_000)).min(1).max(MAX_PROMPTS_A_CALL),
});
export type RewriteRequest = z.infer<typeof RewriteRequest>;

export const ScriptRequest = z.object({
  ...asked,
  model,
  script: z.string().trim().min(1).max(MAX_SCRIPT),
  /** What to mind besides, in the person's words; may be empty. */
  ask: z.string().trim().max(10_000).default(''),
});
export type ScriptRequest = z.infer<typeof ScriptRequest>;

/** What a model is asked where a take is to be made otherwise, as a note of it says. */
export const askByNote = (note: string): string =>
  `Change each prompt so that its result is as this note asks, and keep the rest word by word: ${note.slice(0, 9000)}`;

/** Takes whose prompts one call changes, and the note that it does so by. */
export interface NoteQuestion {
  readonly note: string;
  readonly ids: readonly string[];
}

/** The calls that change the prompts of these takes by their notes: each has one note. Pure. */
export const questionsByNote = (ids: readonly string[], noteOf: (id: string) => string): NoteQuestion[] =>
  [...Map.groupBy(ids, noteOf)].flatMap(([note, ofNote]) =>
    Array.from({ length: Math.ceil(ofNote.length / MAX_PROMPTS_A_CALL) }, (_none, index) => ({
      note,
      ids: ofNote.slice(index * MAX_PROMPTS_A_CALL, (index + 1) * MAX_PROMPTS_A_CALL),
    })),
  );

export const ProposedShot = z.object({
  key: z.string(),
  prompt: z.string(),
  duration: z.number().optional(),
  notes: z.string().optional(),
});
export type ProposedShot = z.infer<typeof ProposedShot>;

const proposed = { type: z.literal('proposed'), ...paid };

/** `prompts`: the new prompts of each one that was sent, in their order; empty where none came back. */
export const Rewritten = z.union([z.object({ ...proposed, prompts: z.array(z.array(z.string())) }), failed]);
export type Rewritten = z.infer<typeof Rewritten>;

export const Scripted = z.union([z.object({ ...proposed, shots: z.array(ProposedShot) }), failed]);
export type Scripted = z.infer<typeof Scripted>;

/** A call about prompts that waits for a person: running, answered and not used, or maybe charged. */
export const PromptCall = z.discriminatedUnion('tool', [
  ToolCall.extend({ tool: z.literal('rewrite'), asked: RewriteRequest }),
  ToolCall.extend({ tool: z.literal('script'), asked: ScriptRequest }),
]);
export type PromptCall = z.infer<typeof PromptCall>;

/** A call that waits for a person. Of other tools only what may have been charged: the same question has their answers. */
export const OpenCall = z.discriminatedUnion('tool', [
  PromptCall,
  ToolCall.extend({ tool: z.enum(['describe', 'embed', 'search', 'read']), asked: z.null() }),
]);
export type OpenCall = z.infer<typeof OpenCall>;

export const CallsToPrice = z.object({
  model: z.string().max(300),
  calls: z.int().min(0),
  projectId: asked.projectId,
});
export type CallsToPrice = z.infer<typeof CallsToPrice>;

/** The price of calls of a model by the user's own table; null without a line for it. */
export const CallPrice = z.object({ price: z.number().nullable(), currency: z.string() });
export type CallPrice = z.infer<typeof CallPrice>;

/** Which family describes a picture: typography, or the job-style one. */
export const Describer = z.enum(['typo', 'job']);
export type Describer = z.infer<typeof Describer>;

/** The model under which the price of a description is set: no request of either names one. */
export const describerModel: Readonly<Record<Describer, string>> = { typo: TYPOGRAPHY, job: JOB_STYLE };

export const DescribeRequest = z.object({
  /** A file of a take, or the absolute path of any picture. */
  picture: z.union([
    z.object({ takeId: z.string().min(1).max(200), output: z.int().min(1) }),
    z.object({ path: z.string().min(1).max(4096) }),
  ]),
  describer: Describer,
  ...agreement,
});
export type DescribeRequest = z.infer<typeof DescribeRequest>;

export const Described = z.union([
  z.object({
    type: z.literal('described'),
    ...paid,
    texts: z.array(z.string()).min(1),
  }),
  failed,
]);
export type Described = z.infer<typeof Described>;

const text = z.string().trim().min(1).max(2000);

/** Takes whose texts are nearest to a question, which was asked with this model before: looking costs nothing then. */
export const NearTo = z.object({ model, text });
export type NearTo = z.infer<typeof NearTo>;

/** How many of the nearest are shown: further down, nearness is chance. */
export const MAX_NEAR = 200;

/** What one call of the indexing does at most. */
export const TEXTS_A_CALL = 100;

export const MeaningScope = z.object({ projectId: z.string().min(1).max(200), model });
export type MeaningScope = z.infer<typeof MeaningScope>;

export const MeaningStatus = z.object({
  /** Different texts of its takes: notes and prompts about them, and the texts of takes that are text. */
  texts: z.int(),
  /** Of those, the ones with a vector. */
  indexed: z.int(),
});
export type MeaningStatus = z.infer<typeof MeaningStatus>;

export const IndexRequest = MeaningScope.extend(agreement);
export type IndexRequest = z.infer<typeof IndexRequest>;

export const MeaningSearch = MeaningScope.extend({
  text,
  limit: z.int().min(1).max(1000).default(50),
  ...agreement,
});
export type MeaningSearch = z.infer<typeof MeaningSearch>;

/** After one call, which does a hundred texts: `left` are still without a vector. */
export const Indexed = z.union([MeaningStatus.extend({ type: z.literal('indexed') }), failed]);
export type Indexed = z.infer<typeof Indexed>;

/** The nearest first. `score` is the cosine, -1 to 1. */
export const Nearest = z.union([
  z.object({
    type: z.literal('found'),
    takes: z.array(z.object({ take: JobView, score: z.number() })),
    status: MeaningStatus,
  }),
  failed,
]);
export type Nearest = z.infer<typeof Nearest>;

const webAddress = z.url({ protocol: /^https?$/, hostname: /./ }).max(4096);
const selectors = z.array(z.string().trim().min(1).max(500)).max(20).optional();

/** Service reference, "Speech, embeddings, web and music request shapes", web search. Absent fields are not sent. */
export const SearchRequest = z.object({
  ...asked,
  query: z.string().trim().min(1).max(2000),
  area: z.enum(['global', 'cn']).optional(),
  freshness: z.enum(['Day', 'Week', 'Month', 'Year']).optional(),
  includeImages: z.boolean().optional(),
  /** From 1. */
  page: z.int().min(1).max(1000).optional(),
  /** Results a page; the service's default is 10. */
  count: z.int().min(1).max(50).optional(),
});
export type SearchRequest = z.infer<typeof SearchRequest>;

/** The same section, web reader. */
export const ReadPageRequest = z.object({
  ...asked,
  url: webAddress,
  format: z.enum(['markdown', 'text']).optional(),
  liteMode: z.boolean().optional(),
  includeImages: z.boolean().optional(),
  onlyCSSSelectors: selectors,
  waitForCSSSelectors: selectors,
});
export type ReadPageRequest = z.infer<typeof ReadPageRequest>;

/** Something found on the web: text and addresses of strangers. Shown as plain text, and nothing in it is loaded by itself. */
export const WebFinding = z.object({
  title: z.string(),
  /** http or https; empty where none came. */
  url: z.string(),
  text: z.string(),
  images: listOf(z.string(), 10_000),
  /** As the service gave it. */
  date: z.string().optional(),
});
export type WebFinding = z.infer<typeof WebFinding>;

export const Findings = z.union([
  z.object({ type: z.literal('found'), ...paid, findings: z.array(WebFinding) }),
  failed,
]);
export type Findings = z.infer<typeof Findings>;

export const CLIPPINGS_A_PAGE = 1000;

export const Clipping = WebFinding.extend({
  format: z.literal(1),
  id: z.string().min(1),
  askedFor: z.string(),
  /** When it was kept, ms. */
  at: z.number(),
});
export type Clipping = z.infer<typeof Clipping>;

export const ClippingPage = z.object({ clippings: z.array(Clipping), total: z.int().min(0) });
export type ClippingPage = z.infer<typeof ClippingPage>;
