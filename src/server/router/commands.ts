import { namesOf, type commands } from '../../contract/commands/index.ts';
import type { Services } from '../services.ts';

type Table = typeof commands;

/** A procedure of the contract, ready to be implemented. */
interface Procedure {
  handler(run: (given: { readonly input: never }) => unknown): unknown;
}

type Handled<Implementer> = Implementer extends { handler(...given: never): infer Handler } ? Handler : never;

/** A handler for each command of a noun. */
export function commandHandlers<Noun extends keyof Table, Section extends Readonly<Record<keyof Table[Noun], object>>>(
  section: Section,
  noun: Noun,
  { engine, caller }: Services,
): { readonly [Verb in keyof Table[Noun]]: Handled<Section[Verb]> } {
  const handlers = namesOf(noun).map((name) => {
    const verb = name.slice(noun.length + 1) as keyof Table[Noun];
    const procedure = section[verb] as unknown as Procedure;
    return [verb, procedure.handler(({ input }) => engine.commands.run(name, input, caller))];
  });
  return Object.fromEntries(handlers) as { readonly [Verb in keyof Table[Noun]]: Handled<Section[Verb]> };
}
