import { commandNamed, namesOf, type commands } from '../../contract/commands/index.ts';
import { assureMayNameFiles } from '../folders.ts';
import type { Services } from '../services.ts';

type Table = typeof commands;

/** A procedure of the contract, ready to be implemented. */
interface Procedure {
  handler(run: (given: { readonly input: never; readonly signal?: AbortSignal }) => unknown): unknown;
}

type Handled<Implementer> = Implementer extends { handler(...given: never): infer Handler } ? Handler : never;

/** A handler for each command of a noun. */
export function commandHandlers<Noun extends keyof Table, Section extends Readonly<Record<keyof Table[Noun], object>>>(
  section: Section,
  noun: Noun,
  services: Services,
): { readonly [Verb in keyof Table[Noun]]: Handled<Section[Verb]> } {
  const handlers = namesOf(noun).map((name) => {
    const verb = name.slice(noun.length + 1) as keyof Table[Noun];
    const procedure = section[verb] as unknown as Procedure;
    const { files } = commandNamed(name);
    const handler = procedure.handler(({ input, signal }) => {
      if (files && namesFile(input, files)) assureMayNameFiles(services);
      return services.engine.commands.run(name, input, services.caller, signal);
    });
    return [verb, handler];
  });
  return Object.fromEntries(handlers) as { readonly [Verb in keyof Table[Noun]]: Handled<Section[Verb]> };
}

/** Whether an input has the field in which it would name a file: `picture.path`. */
const namesFile = (input: unknown, field: true | string): boolean =>
  field === true ||
  field.split('.').reduce((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], input) !==
    undefined;
