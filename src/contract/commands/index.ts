import type * as z from 'zod';
import type { HistoryCode } from '../history.ts';
import { agentCommands } from './agents.ts';
import { batchCommands } from './batches.ts';
import { cutCommands } from './cuts.ts';
import { draftCommands } from './drafts.ts';
import { clippingCommands } from './clippings.ts';
import type { Command, Done } from './command.ts';
import { jobCommands } from './jobs.ts';
import { projectCommands } from './projects.ts';
import { promptLibraryCommands } from './prompt-library.ts';
import { queueCommands } from './queue.ts';
import { savedViewCommands } from './saved-views.ts';
import { spendingCommands, windowCommands } from './spending.ts';
import { takeCommands } from './takes.ts';
import { libraryCommands } from './library.ts';
import { nightCommands } from './nights.ts';
import { toolCommands } from './tools.ts';

export const commands = {
  agents: agentCommands,
  batches: batchCommands,
  clippings: clippingCommands,
  cuts: cutCommands,
  drafts: draftCommands,
  jobs: jobCommands,
  projects: projectCommands,
  promptLibrary: promptLibraryCommands,
  queue: queueCommands,
  savedViews: savedViewCommands,
  spending: spendingCommands,
  windows: windowCommands,
  takes: takeCommands,
  library: libraryCommands,
  nights: nightCommands,
  tools: toolCommands,
};

type Table = typeof commands;

/** As `batches.rename`. */
export type CommandName = { [Noun in keyof Table]: `${Noun}.${keyof Table[Noun] & string}` }[keyof Table];

export type CommandNamed<Name extends CommandName> = Name extends `${infer Noun extends keyof Table}.${infer Verb}`
  ? Table[Noun][Verb & keyof Table[Noun]]
  : never;

export type CommandInput<Name extends CommandName> =
  CommandNamed<Name> extends { input: infer Input extends z.ZodType } ? z.output<Input> : never;

/** Each code of its line in the history. */
export type CommandLog<Name extends CommandName> =
  CommandNamed<Name> extends { log: infer Log }
    ? (Log extends readonly (infer Code)[] ? Code : Log) & HistoryCode
    : never;

export type CommandResult<Name extends CommandName> =
  CommandNamed<Name> extends { output: infer Output extends z.ZodType } ? z.output<Output> : undefined;

export type BareName = {
  [Name in CommandName]: CommandNamed<Name> extends { bare: true } ? Name : never;
}[CommandName];
export type ToldName = Exclude<CommandName, BareName>;

export type DoneBy<Name extends CommandName> = Name extends BareName
  ? CommandResult<Name>
  : CommandResult<Name> extends undefined
    ? Done
    : Done & { readonly result: CommandResult<Name> };

export function commandNamed(name: CommandName): Command {
  const [noun, verb] = name.split('.') as [keyof Table, string];
  return (commands[noun] as Readonly<Record<string, Command>>)[verb] as Command;
}

export const namesFor = (noun: keyof Table): CommandName[] =>
  Object.keys(commands[noun]).map((verb) => `${noun}.${verb}` as CommandName);

export const commandNames = (Object.keys(commands) as (keyof Table)[]).flatMap(namesFor);

export const isTold = (name: CommandName): name is ToldName => commandNamed(name).bare !== true;

/** The commands that need no more than the project that is open; `isArchived`: it is in the archive. */
export const namesForProject = (isArchived: boolean): ToldName[] =>
  commandNames.filter(isTold).filter((name) => {
    const { input, touches, ownEntry } = commandNamed(name);
    const needs = 'shape' in input ? Object.keys(input.shape as object) : [];
    return touches === (isArchived ? 'archived project' : 'project') && needs.join() === 'projectId' && !ownEntry;
  });

/** A client of the contract, as far as commands go. */
type Api = { readonly [Noun in keyof Table]: object };

export function callFor<Name extends ToldName>(
  api: Api,
  name: Name,
): (input: CommandInput<Name>) => Promise<DoneBy<Name> | null> {
  type Call = (input: CommandInput<Name>) => Promise<DoneBy<Name> | null>;
  const [noun, verb] = name.split('.') as [keyof Table, string];
  return (api[noun] as Readonly<Record<string, Call>>)[verb] as Call;
}
