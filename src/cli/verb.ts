import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import type { PlainKey } from '../contract/messages/message-for.ts';
import { t } from '../contract/messages/words.ts';
import type { ExitStatus } from './exit.ts';
import { withSmallLetter } from './output/text.ts';
import type { Session } from './session.ts';

interface Reading {
  readonly choices?: readonly string[];
  /** Throws InvalidArgumentError. */
  readonly parse?: (text: string) => unknown;
  readonly required?: true;
  readonly default?: string;
  /** For an option whose value may be left out. */
  readonly preset?: true;
  readonly several?: true;
  readonly conflicts?: readonly string[];
}

/** An argument (`<LIST>`, `[IDS...]`) or an option (`--batch <name>`) of a verb. */
export interface Word<Flag extends string = string, How extends Reading = Reading> {
  readonly flag: Flag;
  readonly help: PlainKey;
  readonly how: How;
}

export const word = <const Flag extends string, const How extends Reading = Record<never, never>>(
  flag: Flag,
  help: PlainKey,
  how = {} as How,
): Word<Flag, How> => ({ flag, help, how });

type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type Value<How> = How extends { parse: (text: string) => infer Parsed }
  ? Parsed
  : How extends { choices: readonly (infer Choice)[] }
    ? Choice
    : string;
type Field<Name extends string, Of> = { readonly [Key in Camel<Name>]: Of };
type MaybeField<Name extends string, Of> = { readonly [Key in Camel<Name>]?: Of };
type OptionField<Name extends string, How, Of> = How extends { required: true } | { default: string }
  ? Field<Name, Of>
  : MaybeField<Name, Of>;

type Given1<Each> =
  Each extends Word<infer Flag, infer How>
    ? Flag extends `--no-${infer Name}`
      ? Field<Name, boolean>
      : Flag extends `--${infer Name} <${string}...>`
        ? MaybeField<Name, readonly Value<How>[]>
        : Flag extends `--${infer Name} <${string}>`
          ? OptionField<Name, How, How extends { several: true } ? readonly string[] : Value<How>>
          : Flag extends `--${infer Name} [${string}]`
            ? MaybeField<Name, Value<How> | true>
            : Flag extends `--${infer Name}`
              ? MaybeField<Name, boolean>
              : Flag extends `<${infer Name}...>` | `[${infer Name}...]`
                ? Field<Lowercase<Name>, readonly string[]>
                : Flag extends `<${infer Name}>`
                  ? Field<Lowercase<Name>, Value<How>>
                  : Flag extends `[${infer Name}]`
                    ? MaybeField<Lowercase<Name>, Value<How>>
                    : never
    : never;
type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Both) => void
  ? Both
  : never;

export type Given<Words extends readonly Word[]> = All<Given1<Words[number]>>;

/** A verb that gives no status ends with 0. */
export type Work = ExitStatus | undefined | Promise<ExitStatus | undefined> | Promise<void>;

export interface Verb {
  /** `jobs list`. */
  readonly name: string;
  readonly help: PlainKey;
  readonly words: readonly Word[];
  readonly work: (session: Session, given: never) => Work;
  /** It may be stopped at any point without loss. */
  readonly endsAtOnce: boolean;
}

export type Perform = (verb: Verb) => (...given: unknown[]) => Promise<void>;

export const verb = <const Words extends readonly Word[]>(
  name: string,
  help: PlainKey,
  words: Words,
  work: (session: Session, given: Given<Words>) => Work,
  { endsAtOnce = false } = {},
): Verb => ({ name, help, words, work, endsAtOnce });

export function addWords(command: Command, words: readonly Word[]): void {
  for (const { flag, help, how } of words) {
    const text = withSmallLetter(t(help));
    if (flag.startsWith('--')) command.addOption(optionFor(flag, text, how));
    else {
      const argument = new Argument(flag, text);
      command.addArgument(how.choices ? argument.choices(how.choices) : argument);
    }
  }
}

function optionFor(flag: string, help: string, how: Reading): Option {
  const option = new Option(flag, help);
  if (how.choices) option.choices(how.choices);
  if (how.parse) option.argParser(how.parse);
  if (how.required) option.makeOptionMandatory();
  if (how.default !== undefined) option.default(how.default);
  if (how.preset) option.preset(true);
  if (how.conflicts) option.conflicts([...how.conflicts]);
  if (how.several) {
    option.argParser((text: string, before: readonly string[]) => [...before, text]).default([]);
  }
  return option;
}

/** As commander names it: small letters of an argument, `maxTakes` of `--max-takes <n>`. */
export function toKey(flag: string): string {
  const [name = ''] = flag.split(' ', 1);
  if (!name.startsWith('--')) return name.toLowerCase();
  return name.replace(/^--(?:no-)?/, '').replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

export const optionIn = (given: object, flag: string): unknown =>
  (given as Readonly<Record<string, unknown>>)[toKey(flag)];

export const JSON_LINES = word('--json', 'cli.optJson');
export const PROJECT = word('--project <dir>', 'cli.optProject');
export const BATCH = word('--batch <name>', 'cli.optBatch');
export const OF_PROJECT = word('--project <dir>', 'cli.optProjectFolder', { required: true });

const numberFor =
  (pattern: RegExp, problem: 'cli.notCount' | 'cli.notPort' | 'cli.notAmount', most = Infinity) =>
  (text: string): number => {
    if (!pattern.test(text) || Number(text) > most) throw new InvalidArgumentError(t(problem));
    return Number(text);
  };

export const count = numberFor(/^[1-9]\d{0,5}$/, 'cli.notCount');
export const portNumber = numberFor(/^\d{1,5}$/, 'cli.notPort', 65_535);
export const secondsFrom = numberFor(/^\d{1,6}(?:\.\d+)?$/, 'cli.notAmount');
export const amount = numberFor(/^\d{1,9}(?:\.\d{1,6})?$/, 'cli.notAmount');

export function factor(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10_000)) throw new InvalidArgumentError(t('cli.notFactor'));
  return value;
}
