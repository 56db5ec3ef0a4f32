import * as z from 'zod';
import type { HistoryCode } from '../history.ts';
import { Text, type PlainKey } from '../messages/message.ts';

export const Id = z.string().min(1).max(200);

/**
 * What a command changes, by the fields of its input: `project` by `projectId` (null or absent: what all projects
 * share), `batch` by `batchId`, `takes` by `ids`, `takeId`, `jobId`, `before` or `each`, `files of takes`
 * by `ids` or the `picture` of a take, also in a batch of the archive, `scope` by the `scope` of a cap or a window. It
 * is refused where that is in the archive. What takes a batch out of the archive is refused where its project is.
 */
type Touched =
  | 'project'
  | 'archived project'
  | 'batch'
  | 'archived batch'
  | 'takes'
  | 'files of takes'
  | 'preset'
  | 'scope'
  | 'nothing';

/**
 * One thing that a person can change, as data: the window, the command line, the history and undo are made from it. What
 * it does is the function of its name in `engine/commands`; what holds for all of them, `engine/run-command.ts` does.
 */
export type Command = Logged & {
  readonly input: z.ZodType;
  readonly output?: z.ZodType;
  /** It answers with its output alone: nothing is said of it, and nothing takes it back. Its commits are its own. */
  readonly bare?: true;
  readonly touches: Touched;
  /** Why it is not refused as a whole for what is in the archive: it answers for each take, say. */
  readonly refusesItself?: string;
  /** `project`: it waits until nothing else makes or changes takes of the project. */
  readonly lock?: 'project';
  /** `own`: it takes more than one commit, and writes its line in one of them. */
  readonly commits?: 'own';
  readonly shows?: 'batches' | 'project' | 'settings';
  readonly label: PlainKey;
  /** The window has an entry of its own for it in the palette, which says or asks more. */
  readonly ownEntry?: true;
  /** Its words on the command line: `batches rename <BATCH> <NAME>`. Arguments fill the fields of its input in their order. */
  readonly cli?: string;
  /** It can let paid work go; `queued`: takes that people may have queued. */
  readonly spends?: true | 'queued';
  /** Its input names files of this machine: the fields where only some do. */
  readonly files?: true | string | readonly string[];
};

/** Its line in the history, one of several where these are named; by it the window says what was done, too. */
type Logged =
  | { readonly log: HistoryCode | readonly HistoryCode[] }
  /** Why it leaves none. */
  | { readonly log: null; readonly silent: string };

export const command = <const Descriptor extends Command>(descriptor: Descriptor): Descriptor => descriptor;

export const Done = z.object({
  text: Text,
  /** For what it was not done, and why; `text` is empty where it was done for nothing. */
  left: z.array(Text).optional(),
  /** Takes it back by `commands.undo`, as long as nothing else has changed the same since; null where nothing does. */
  undo: z.string().nullable(),
});
export type Done = z.infer<typeof Done>;
