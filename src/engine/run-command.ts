import { isDeepStrictEqual } from 'node:util';
import { commandNamed, type CommandInput, type CommandName, type DoneBy } from '../contract/commands/index.ts';
import type { Command, Done } from '../contract/commands/command.ts';
import { historyText, type Actor, type HistoryCode, type HistoryFacts } from '../contract/history.ts';
import { messageFor, type Text, type Value } from '../contract/messages/message.ts';
import { actingSession } from './base/acting-session.ts';
import { mayNotSpend, refused, RefusedError } from './base/errors.ts';
import { requireBatch, requireUnarchivedBatch, projectFor, requireUnarchived } from './projects/overview.ts';
import { functions } from './commands/index.ts';
import type { CommandContext, OwnCommits, Step } from './commands/command-function.ts';

/** As many as a person takes back in one night. */
const MAX_UNDOS = 1000;

interface TouchedPlace {
  readonly projectId: string | null;
  readonly batchId?: string;
}

/** What any command has changed; `Change` has the types of each. */
interface AnyChange {
  readonly code?: HistoryCode;
  readonly facts?: HistoryFacts<HistoryCode>;
  readonly undo: Step | null;
  readonly done?: Step['input'];
  readonly text?: Text;
  readonly after?: () => void | Promise<void>;
  readonly result?: unknown;
  readonly left?: readonly Text[];
}

interface Call extends Step {
  readonly by: Actor;
  readonly signal?: AbortSignal | undefined;
  /** What takes back this call must be what was done; set for an undo. */
  readonly mustUndo?: Step['input'];
}

type AnyFunction = (context: CommandContext, input: object, own?: OwnCommits) => AnyChange | null;
type BareFunction = (context: CommandContext, input: object, own: OwnCommits) => unknown;

/**
 * Runs commands, and does once what holds for all of them: nothing in the archive is changed; the change and its line in
 * the history are one commit, under the lock that the command names; those who show it are told; and it can be undone,
 * unless something else has changed the same since. A command that needs several commits makes them itself, and is given
 * what it needs for the rest.
 */
export class CommandRunner {
  readonly #context: CommandContext;
  readonly #undos = new Map<string, { readonly done: Step['input']; readonly undo: Step }>();

  constructor(context: CommandContext) {
    this.#context = context;
  }

  /** Resolves with null where there was nothing to change. Throws RefusedError; then nothing was changed. */
  async run<Name extends CommandName>(
    command: Name,
    input: CommandInput<Name>,
    by: Actor,
    signal?: AbortSignal,
  ): Promise<DoneBy<Name> | null> {
    const call = { command, input, by, signal } as Call;
    const change = await this.#perform(call);
    if (commandNamed(command).bare) return change?.result as DoneBy<Name>;
    return change && (this.#done(call, change) as DoneBy<Name>);
  }

  /** Takes back a change, which is a change that can be taken back itself. Throws RefusedError. */
  async undo(token: string, by: Actor): Promise<Done> {
    const undone = this.#undos.get(token);
    if (!undone) throw refused('undo_gone', 'failure.undoGone', 'remedy.none');
    const call: Call = { ...undone.undo, by, mustUndo: undone.done };
    // It would let paid work go without its price having been seen.
    if (by === 'agent' && commandNamed(call.command).spends) throw mayNotSpend();
    const change = await this.#perform(call);
    if (!change) throw changedSince();
    this.#undos.delete(token);
    const [problem] = change.left ?? [];
    if (problem !== undefined && change.facts === undefined) {
      throw new RefusedError('changed_since', problem, messageFor('remedy.none'));
    }
    return this.#done(call, change);
  }

  async #perform(call: Call): Promise<AnyChange | null> {
    const { claims, changed } = this.#context;
    const descriptor = commandNamed(call.command);
    const places = this.#requireWritable(descriptor, call.input);
    const [{ projectId = null } = {}] = places;
    using _turn = descriptor.lock === 'project' && projectId !== null ? await claims.turn(projectId) : null;
    // It may have been archived while this waited.
    this.#requireWritable(descriptor, call.input);
    if (descriptor.spends) this.#attribute(call, places);
    const isOwn = descriptor.bare ?? descriptor.commits === 'own';
    const change = await (isOwn ? this.#letCommit(call, places) : this.#commit(call, places));
    await change?.after?.();
    if (change && descriptor.shows) changed(descriptor.shows, projectId);
    return change;
  }

  /** What is let go counts against the session of the agent that lets it go; against none, where a person does. */
  #attribute({ command, input, by }: Call, [place]: readonly TouchedPlace[]): void {
    const { agents } = this.#context;
    const { touches, spends } = commandNamed(command);
    const session = actingSession();
    if (by === 'agent' && (session === null || !agents.maySpend(session))) throw mayNotSpend();
    if (touches === 'takes') {
      if (session === null) agents.release(takesIn(input as Given));
      else agents.adopt(session, takesIn(input as Given));
    } else if (session !== null && spends === 'queued') {
      agents.adoptUnsent(session, place ?? { projectId: null });
    }
  }

  #commit(call: Call, [place]: readonly TouchedPlace[]): AnyChange | null {
    return this.#context.batches.inOneCommit(() => {
      const change = toFunction(call.command)(this.#context, call.input);
      requireUnchanged(call, change?.undo ?? null);
      if (change) this.#note(call, change, place);
      return change;
    });
  }

  async #letCommit(call: Call, [own]: readonly TouchedPlace[]): Promise<AnyChange | null> {
    const run = toFunction(call.command);
    let noted: Pick<AnyChange, 'code' | 'facts'> = {};
    const commits: OwnCommits = {
      by: call.by,
      signal: call.signal,
      note: (line, place = own) => {
        this.#note(call, line, place);
        noted = line;
      },
      requireUnchanged: (undo) => requireUnchanged(call, undo),
    };
    if (!commandNamed(call.command).bare) {
      const change = await run(this.#context, call.input, commits);
      return change && { ...noted, ...change };
    }
    return { undo: null, result: await (run as BareFunction)(this.#context, call.input, commits) };
  }

  #note({ command, by }: Call, { code, facts }: Pick<AnyChange, 'code' | 'facts'>, place?: TouchedPlace): void {
    const wanted = code ?? toCodes(command)[0];
    if (wanted === undefined || facts === undefined) return;
    this.#context.history.note({ ...{ code: wanted, facts, by, at: this.#context.ports.clock.now() }, ...place });
  }

  /** What a command touches. Throws RefusedError where that is in the archive, or is not there. */
  #requireWritable(descriptor: Command, input: object): readonly TouchedPlace[] {
    const { projects, batches: known } = this.#context;
    const places = this.#placesOf(descriptor, input);
    const { touches, refusesItself } = descriptor;
    if (refusesItself || touches === 'archived project') return places;
    for (const id of new Set(places.map(({ projectId }) => projectId))) {
      if (id !== null) requireUnarchived(projects, id);
    }
    if (touches === 'archived batch' || touches === 'files of takes') return places;
    for (const id of new Set(places.map(({ batchId }) => batchId))) {
      if (id !== undefined) requireUnarchivedBatch(known, requireBatch(known, id));
    }
    return places;
  }

  #placesOf({ touches }: Command, input: object): readonly TouchedPlace[] {
    const { projects, batches: known, jobs, presets } = this.#context;
    const { scope, picture } = input as { readonly scope?: object; readonly picture?: object };
    const given: Given = { ...input, ...(typeof scope === 'object' && scope), ...picture };
    const ofProject = (projectId: string): TouchedPlace => ({ projectId: projectFor(projects, projectId).id });
    const ofBatch = (batchId: string): TouchedPlace => ({ projectId: requireBatch(known, batchId).projectId, batchId });
    switch (touches) {
      case 'nothing':
        return [];
      case 'takes':
      case 'files of takes':
        return jobs.placesOf(takesIn(given));
      case 'preset':
        return [{ projectId: presets.get(given.id ?? '')?.projectId ?? null }];
      case 'batch':
      case 'archived batch':
        return [ofBatch(given.batchId ?? '')];
      case 'scope':
      case 'project':
      case 'archived project':
        if (given.batchId !== undefined && touches === 'scope') return [ofBatch(given.batchId)];
        return typeof given.projectId === 'string' ? [ofProject(given.projectId)] : [{ projectId: null }];
    }
  }

  #done({ command, input }: Call, change: AnyChange): Done {
    const { code = toCodes(command)[0], facts, done = input, text, undo, result, left = [] } = change;
    const doneText = code && facts ? historyText(code, facts as Readonly<Record<string, Value>>) : null;
    return {
      text: doneText ?? text ?? (left.length > 0 ? '' : messageFor(commandNamed(command).label)),
      undo: undo && this.#token(done, undo),
      ...(left.length > 0 && { left: [...left] }),
      ...(result !== undefined && { result }),
    };
  }

  #token(done: Step['input'], undo: Step): string {
    const token = crypto.randomUUID();
    this.#undos.set(token, { done, undo });
    for (const oldest of this.#undos.keys()) {
      if (this.#undos.size <= MAX_UNDOS) break;
      this.#undos.delete(oldest);
    }
    return token;
  }
}

interface Given {
  readonly projectId?: string | null;
  readonly batchId?: string;
  readonly ids?: readonly string[];
  readonly takeId?: string;
  readonly jobId?: string;
  readonly before?: readonly { readonly takeId: string }[];
  readonly each?: readonly { readonly takeId: string }[] | true;
  readonly id?: string;
}

const takesIn = ({ ids, before, each, takeId, jobId }: Given): readonly string[] =>
  ids ?? (before ?? (each === true ? undefined : each))?.map((take) => take.takeId) ?? [takeId ?? jobId ?? ''];

const toCodes = (command: CommandName): readonly HistoryCode[] => [commandNamed(command).log ?? []].flat();

function requireUnchanged({ mustUndo }: Call, undo: Step | null): void {
  if (mustUndo !== undefined && !isDeepStrictEqual(undo?.input, mustUndo)) throw changedSince();
}

function toFunction(command: CommandName): AnyFunction {
  const [noun, verb] = command.split('.') as [keyof typeof functions, string];
  return (functions[noun] as unknown as Readonly<Record<string, AnyFunction>>)[verb] as AnyFunction;
}

const changedSince = (): RefusedError => refused('changed_since', 'common.changedSince', 'remedy.none');
