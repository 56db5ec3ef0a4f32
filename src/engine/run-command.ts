import { isDeepStrictEqual } from 'node:util';
import { commandNamed, type CommandInput, type CommandName } from '../contract/commands/index.ts';
import type { Command, Done } from '../contract/commands/command.ts';
import { historyText, type Actor } from '../contract/history.ts';
import { messageFor } from '../contract/messages/message.ts';
import { RefusedError } from './base/errors.ts';
import { requireBatch, requireUnarchivedBatch } from './batches/batch-rules.ts';
import { batches } from './commands/batches.ts';
import type { Change, CommandContext, CommandFunction, Step } from './commands/command-function.ts';
import { projectOf, requireUnarchived } from './projects/overview.ts';
import type { Stores } from './stores.ts';

const functions = { batches };

/** As many as a person takes back in one night. */
const MAX_UNDOS = 1000;

/** What a command changes. */
interface Place {
  readonly projectId: string;
  readonly batchId?: string;
}

export interface CommandRunnerParts {
  readonly stores: Pick<Stores, 'projects' | 'batches' | 'history'>;
  readonly context: CommandContext;
  /** Runs work while nothing else makes or changes takes of the project. */
  readonly inTurn: <Result>(projectId: string, work: () => Promise<Result>) => Promise<Result>;
  /** A command has changed something of a project. */
  readonly changed: (projectId: string) => void;
}

/**
 * Runs commands, and does once what holds for all of them: nothing in the archive is changed; the change and its line in
 * the history are one commit, under the lock that the command names; those who show it are told; and it can be undone,
 * unless something else has changed the same since.
 */
export class CommandRunner {
  readonly #parts: CommandRunnerParts;
  /** By token: a change, and what takes it back. */
  readonly #undos = new Map<string, Pick<Change, 'done' | 'undo'>>();

  constructor(parts: CommandRunnerParts) {
    this.#parts = parts;
  }

  /** Resolves with null where there was nothing to change. Throws RefusedError; then nothing was changed. */
  async run<Name extends CommandName>(name: Name, input: CommandInput<Name>, by: Actor): Promise<Done | null> {
    const change = await this.#perform({ command: name, input } as Step, by);
    return change && this.#done(name, change);
  }

  /** Takes back a change, which is a change that can be taken back itself. Throws RefusedError. */
  async undo(token: string, by: Actor): Promise<Done> {
    const undone = this.#undos.get(token);
    if (!undone) throw new RefusedError('undo_gone', messageFor('failure.undoGone'), messageFor('remedy.none'));
    const change = await this.#perform(undone.undo, by, (back) => {
      if (back === null || !isDeepStrictEqual(back.undo.input, undone.done)) throw changedSince();
    });
    this.#undos.delete(token);
    return this.#done(undone.undo.command, change as Change);
  }

  async #perform({ command, input }: Step, by: Actor, check?: (change: Change | null) => void): Promise<Change | null> {
    const { inTurn, changed } = this.#parts;
    const descriptor = commandNamed(command);
    const place = this.#placeOf(descriptor, input);
    this.#requireWritable(descriptor, place);
    const act = async (): Promise<Change | null> => {
      // It may have been archived while this waited.
      this.#requireWritable(descriptor, place);
      const change = this.#commit(command, descriptor, input, { by, check, place });
      await change?.after?.();
      return change;
    };
    const change = await (descriptor.lock === 'project' ? inTurn(place.projectId, act) : act());
    if (change) changed(place.projectId);
    return change;
  }

  #commit(
    command: CommandName,
    { log }: Command,
    input: CommandInput<CommandName>,
    { by, check, place }: { by: Actor; check: ((change: Change | null) => void) | undefined; place: Place },
  ): Change | null {
    const { stores, context } = this.#parts;
    return stores.batches.inOneCommit(() => {
      const change = functionOf(command)(context, input);
      check?.(change);
      if (change) stores.history.note({ code: log, facts: change.facts, by, at: context.now(), ...place });
      return change;
    });
  }

  #placeOf({ touches }: Command, input: object): Place {
    const { batchId, projectId } = input as Partial<Place>;
    if (touches === 'project') return { projectId: projectOf(this.#parts.stores.projects, projectId ?? '').id };
    const batch = requireBatch(this.#parts.stores.batches, batchId ?? '');
    return { projectId: batch.projectId, batchId: batch.id };
  }

  #requireWritable({ touches }: Command, { projectId, batchId }: Place): void {
    const { projects, batches: known } = this.#parts.stores;
    requireUnarchived(projects, projectId);
    if (touches === 'batch') requireUnarchivedBatch(known, requireBatch(known, batchId ?? ''));
  }

  #done(command: CommandName, { facts, done, undo }: Change): Done {
    const token = crypto.randomUUID();
    this.#undos.set(token, { done, undo });
    for (const oldest of this.#undos.keys()) {
      if (this.#undos.size <= MAX_UNDOS) break;
      this.#undos.delete(oldest);
    }
    return { text: historyText(commandNamed(command).log, facts), undo: token };
  }
}

function functionOf(command: CommandName): CommandFunction<CommandName> {
  const [noun, verb] = command.split('.') as [keyof typeof functions, string];
  return (functions[noun] as unknown as Readonly<Record<string, CommandFunction<CommandName>>>)[
    verb
  ] as CommandFunction<CommandName>;
}

const changedSince = (): RefusedError =>
  new RefusedError('changed_since', messageFor('common.changedSince'), messageFor('remedy.none'));
