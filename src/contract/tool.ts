import * as z from 'zod';
import { Text } from './messages/message.ts';
import { Failure } from './failure.ts';

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
