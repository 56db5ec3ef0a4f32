import type { CommandInput, CommandLog, CommandName } from '../../contract/commands/index.ts';
import type { Counts } from '../../contract/job.ts';
import type { HistoryCode, HistoryFacts } from '../../contract/history.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';

/** What commands work with. */
export interface CommandContext {
  readonly batches: BatchStore;
  readonly now: () => number;
  readonly counts: (batchId: string) => Counts;
  /** Writes the file of a batch that had another name until now. */
  readonly writeBatchFile: (batch: Batch, earlier: string) => Promise<void>;
}

/** A command with what it is given. */
export interface Step<Name extends CommandName = CommandName> {
  readonly command: Name;
  readonly input: CommandInput<Name>;
}

/** What a command has changed, in the commit that it runs in. */
export interface Change<Name extends CommandName = CommandName> {
  /** For its line in the history. */
  readonly facts: CommandLog<Name> extends infer Code extends HistoryCode ? HistoryFacts<Code> : never;
  /** What was done, as it would be given: what undoes this must be undone by it, else something has changed since. */
  readonly done: CommandInput<Name>;
  readonly undo: Step;
  /** What follows the commit, under the same lock. */
  readonly after?: () => Promise<void>;
}

/** Runs in one commit, and so never waits. Returns null where there is nothing to change; throws RefusedError. */
export type CommandFunction<Name extends CommandName> = (
  context: CommandContext,
  input: CommandInput<Name>,
) => Change<Name> | null;

/** The functions of a noun, by their verbs. */
export type CommandFunctions<Noun extends string> = {
  readonly [Name in CommandName as Name extends `${Noun}.${infer Verb}` ? Verb : never]: CommandFunction<Name>;
};

export const step = <Name extends CommandName>(command: Name, input: CommandInput<Name>): Step<Name> => ({
  command,
  input,
});
