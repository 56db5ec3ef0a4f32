import * as z from 'zod';
import type { HistoryCode } from '../history.ts';
import { Text } from '../messages/message.ts';

/** An id of ours. */
export const Id = z.string().min(1).max(200);

/**
 * One thing that a person can change, as data: the window, the command line, the history and undo are made from it. What
 * it does is the function of its name in `engine/commands`; what holds for all of them, `engine/run-command.ts` does.
 */
export interface Command<Input extends z.ZodType = z.ZodType, Log extends HistoryCode = HistoryCode> {
  readonly input: Input;
  /**
   * What it changes, by `batchId` or `projectId` of its input. It is refused where that is in the archive; what takes a
   * batch out of the archive is refused where its project is.
   */
  readonly touches: 'project' | 'batch' | 'archived batch';
  /** `project`: it waits until nothing else makes or changes takes of the project. */
  readonly lock?: 'project';
  /** Its line in the history, by which the window says what was done, too. */
  readonly log: Log;
}

export const command = <Input extends z.ZodType, Log extends HistoryCode>(
  descriptor: Command<Input, Log>,
): Command<Input, Log> => descriptor;

/** What a command did. */
export const Done = z.object({
  text: Text,
  /** Takes it back by `commands.undo`, as long as nothing else has changed the same since. */
  undo: z.string(),
});
export type Done = z.infer<typeof Done>;
