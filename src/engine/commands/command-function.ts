import type {
  BareName,
  CommandInput,
  CommandLog,
  CommandName,
  CommandNamed,
  CommandResult,
} from '../../contract/commands/index.ts';
import type { Actor, HistoryCode, HistoryFacts } from '../../contract/history.ts';
import type { Text } from '../../contract/messages/message.ts';
import type { JobCommands } from '../jobs/job-commands.ts';
import type { BatchFiles } from '../batches/written-list.ts';
import type { Drafts } from './drafts.ts';
import type { ProjectFolders } from '../projects/project-claims.ts';
import type { Views } from '../queries/views.ts';
import type { Review } from '../review/review.ts';
import type { Trash } from '../review/trash/trash.ts';
import type { Scheduler } from '../jobs/scheduler.ts';
import type { StepContext } from '../jobs/step-context.ts';
import type { SpendingService } from '../projects/spending.ts';
import type { Nights } from '../nights/nights.ts';
import type { Tools } from '../tools/tools.ts';

export interface CommandContext extends StepContext {
  readonly scheduler: Scheduler;
  readonly spending: SpendingService;
  readonly jobCommands: JobCommands;
  readonly takeReview: Review;
  readonly trash: Trash;
  readonly tools: Tools;
  readonly nightReports: Nights;
  readonly views: Views;
  readonly drafts: Drafts;
  readonly folders: ProjectFolders;
  readonly changed: (what: 'batches' | 'project' | 'settings', projectId: string | null) => void;
  readonly folderWritten: () => Promise<unknown>;
  readonly batchFiles: BatchFiles;
}

export interface Step<Name extends CommandName = CommandName> {
  readonly command: Name;
  readonly input: CommandInput<Name>;
}

export const step = <Name extends CommandName>(command: Name, input: CommandInput<Name>): Step<Name> => ({
  command,
  input,
});

/** A line for the history. `code` where its command has several. */
type Line<Code extends HistoryCode> = Code extends HistoryCode
  ? { readonly code?: Code; readonly facts: HistoryFacts<Code> }
  : never;

export type Change<Name extends CommandName = CommandName> = ([CommandLog<Name>] extends [never]
  ? object
  : CommandNamed<Name> extends { commits: 'own' }
    ? Partial<Line<CommandLog<Name>>>
    : Line<CommandLog<Name>>) & {
  /** Takes it back; null where nothing does. */
  readonly undo: Step | null;
  /**
   * What was done, where that is not as it was given: what undoes this must be undone by it, else something has changed
   * since.
   */
  readonly done?: CommandInput<Name>;
  /** What was done, in words, where no line of the history says it. */
  readonly text?: Text;
  /** For what it was not done, and why; nothing was done where there are no facts besides. */
  readonly left?: readonly Text[];
  /** What follows the commit, under the same lock. */
  readonly after?: () => void | Promise<void>;
} & (CommandResult<Name> extends undefined ? object : { readonly result: CommandResult<Name> });

export interface OwnCommits<Name extends CommandName = CommandName> {
  readonly by: Actor;
  readonly signal: AbortSignal | undefined;
  /** What was noted last says what was done, where the change has no facts of its own. */
  readonly note: (
    line: Line<CommandLog<Name>>,
    place?: { readonly projectId: string; readonly batchId?: string },
  ) => void;
  /** Called with what would take it back before anything is changed. Throws where an undo would overwrite a newer change. */
  readonly requireUnchanged: (undo: Step) => void;
}

/**
 * Runs in one commit, and so never waits; with `commits: 'own'` in as many as it needs. Returns null where there is
 * nothing to change; throws RefusedError. A bare one returns its answer.
 */
type CommandFunction<Name extends CommandName> = Name extends BareName
  ? (
      context: CommandContext,
      input: CommandInput<Name>,
      own: OwnCommits<Name>,
    ) => Promise<CommandResult<Name>> | CommandResult<Name>
  : CommandNamed<Name> extends { commits: 'own' }
    ? (context: CommandContext, input: CommandInput<Name>, own: OwnCommits<Name>) => Promise<Change<Name> | null>
    : (context: CommandContext, input: CommandInput<Name>) => Change<Name> | null;

export type CommandFunctions<Noun extends string> = {
  readonly [Name in CommandName as Name extends `${Noun}.${infer Verb}` ? Verb : never]: CommandFunction<Name>;
};
