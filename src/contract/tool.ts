import * as z from 'zod';
import { Text } from './messages/message.ts';
import { Failure } from './failure.ts';

/** A billable call that makes no take. */
export const Tool = z.enum(['rewrite', 'script', 'describe', 'embed', 'search', 'read']);
export type Tool = z.infer<typeof Tool>;

/**
 * How a call of a tool stands. `sent`: no answer yet. `accepted`: the service made a task of it. `answered`: the answer
 * is kept, and nobody has used it yet. `used`: it served. `not_charged`: certainly nothing was accepted. `unclear`: it
 * may have been charged. `dismissed`: a person wants to hear no more of it.
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
