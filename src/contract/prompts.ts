import * as z from 'zod';
import { Failure } from './failure.ts';
import { ToolCall } from './tool.ts';

/** Most prompts that one call rewrites: more go in several, so that a bad answer costs little. */
export const MOST_PROMPTS_A_CALL = 40;
export const MOST_VERSIONS = 10;
/** Longest text of a script, characters. */
export const LONGEST_SCRIPT = 200_000;

const model = z.string().trim().min(1).max(300);
const projectId = z.string().nullable().default(null);
/** A person agrees to a second charge for the same question. */
const isAgreed = z.boolean().default(false);

export const RewriteRequest = z.object({
  projectId,
  draftId: z.string().max(200).optional(),
  model,
  ask: z.string().trim().min(1).max(10_000),
  versions: z.int().min(1).max(MOST_VERSIONS).default(1),
  prompts: z.array(z.string().max(20_000)).min(1).max(MOST_PROMPTS_A_CALL),
  isAgreed,
});
export type RewriteRequest = z.infer<typeof RewriteRequest>;

export const ScriptRequest = z.object({
  projectId,
  model,
  script: z.string().trim().min(1).max(LONGEST_SCRIPT),
  /** What to mind besides, in the person's words; may be empty. */
  ask: z.string().trim().max(10_000).default(''),
  isAgreed,
});
export type ScriptRequest = z.infer<typeof ScriptRequest>;

export const ProposedShot = z.object({
  key: z.string(),
  prompt: z.string(),
  /** Seconds, where the model gave one. */
  duration: z.number().optional(),
  notes: z.string().optional(),
});
export type ProposedShot = z.infer<typeof ProposedShot>;

const failed = z.object({ type: z.literal('failed'), failure: Failure });
/** `wasPaid`: the answer was paid for by an earlier call, and nothing was sent. */
const proposed = { type: z.literal('proposed'), callId: z.string(), wasPaid: z.boolean() };

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

/** Calls of a model that a person may make. */
export const CallsToPrice = z.object({
  model: z.string().max(300),
  calls: z.int().min(0),
  projectId,
});
export type CallsToPrice = z.infer<typeof CallsToPrice>;

/** The price of calls of a model by the user's own table; null without a line for it. */
export const CallPrice = z.object({ price: z.number().nullable(), currency: z.string() });
export type CallPrice = z.infer<typeof CallPrice>;
