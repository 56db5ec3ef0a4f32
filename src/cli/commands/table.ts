import * as z from 'zod';
import type { Command, Done } from '../../contract/commands/command.ts';
import type { PlainKey } from '../../contract/messages/message-for.ts';
import {
  callFor,
  commandNamed,
  commandNames,
  isTold,
  type CommandInput,
  type ToldName,
} from '../../contract/commands/index.ts';
import { allKinds } from '../../contract/kinds/all.ts';
import { t, sayText } from '../../contract/messages/words.ts';
import { withProject, withQuietEngine } from '../connect.ts';
import type { CommandEngine } from '../engine.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { batchCalled, cutNamed, ownPreset, projectAt, takeNamed, viewCalled } from '../look.ts';
import { plainText } from '../output/text.ts';
import type { Session } from '../session.ts';
import { toKey, OF_PROJECT, verb, word, type Verb, type Word } from '../verb.ts';

/** Verbs made from the table of commands, for those that have nothing of their own. */

/** What the arguments and options of a command gave, by name in small letters. */
type Texts = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

interface Entity {
  readonly help: PlainKey;
  readonly words: readonly Word[];
  readonly find: (session: Session, name: string, options: never) => { readonly id: string };
}

const ENTITIES: Readonly<Record<string, Entity>> = {
  BATCH: { help: 'cli.argBatch', words: [OF_PROJECT], find: batchCalled },
  VIEW: { help: 'cli.optView', words: [OF_PROJECT], find: viewCalled },
  PRESET: {
    help: 'cli.argPreset',
    words: [
      word('--kind <kind>', 'cli.optPresetKind', { choices: allKinds.map(({ kind }) => kind) }),
      word('--project <dir>', 'cli.optPresetProject'),
    ],
    find: ownPreset,
  },
  CUT: {
    help: 'cli.optCut',
    words: [OF_PROJECT],
    find: (session, name, { project }: { readonly project: string }) => ({ id: cutNamed(session, project, name) }),
  },
  TAKE: { help: 'cli.argJobId', words: [], find: takeNamed },
};

const ARGUMENTS: Readonly<Record<string, PlainKey>> = { NAME: 'cli.argNewName', TEXT: 'cli.argNote' };

interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
}

export const tableVerbs = (root: string, own: readonly Verb[]): Verb[] =>
  commandNames.filter(isTold).flatMap((command) => {
    const { cli = '', label } = commandNamed(command);
    const words = cli.split(' ');
    const name = words.filter((each) => !/^[<[-]/.test(each)).join(' ');
    if (words[0] !== root || own.some((each) => each.name === name)) return [];
    const shape = shapeFor(commandNamed(command), words);
    return [verb(name, label, shape.words, (session, given) => perform(session, command, shape, given as Texts))];
  });

interface Shape {
  /** The fields of the input with the names of the arguments or options that fill them. */
  readonly fills: readonly (readonly [field: string, name: string, schema: FieldSchema])[];
  readonly words: readonly Word[];
  readonly isOfProject: boolean;
}

/** Arguments fill the fields of the input in their order; the project is always an option, as is what is left. */
function shapeFor({ input }: Command, cli: readonly string[]): Shape {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const flags = cli.filter((each) => /^[<[]/.test(each));
  const names = flags.map((flag) => flag.replace(/[<>[\]]|\.\.\./g, ''));
  const fields = Object.keys(properties).filter((field) => field !== 'projectId');
  const fills = fields.map((field, at) => {
    const schema = properties[field] as FieldSchema;
    return [
      field,
      names[at] ?? `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      schema,
    ] as const;
  });
  const asWords = fills.map(([field, name, schema], at) => {
    const how = {
      ...(schema.enum && { choices: schema.enum }),
      ...(required.includes(field) && { required: true as const }),
    };
    const flag = flags[at] ?? (schema.type === 'boolean' ? name : `${name} <${schema.type ?? 'text'}>`);
    const help = ENTITIES[name]?.help ?? ARGUMENTS[name] ?? 'cli.argValue';
    return word(flag, help, flags[at] === undefined ? how : {});
  });
  const where = names.flatMap((name) => ENTITIES[name]?.words ?? []);
  const isOfProject = 'projectId' in properties;
  return { fills, isOfProject, words: [...asWords, ...(where.length > 0 || !isOfProject ? where : [OF_PROJECT])] };
}

async function perform(session: Session, command: ToldName, shape: Shape, given: Texts): Promise<ExitStatus> {
  const input = () => inputFor(session, command, shape, given);
  const call = ({ api }: CommandEngine, read = input()) => callFor(api, command)(read);
  let done: Done | null;
  // The names of batches mean what they mean in the folder of their project, so that is read first.
  if (shape.fills.some(([, argument]) => argument === 'BATCH')) {
    done = await withProject(session, String(given['project']), (engine) => call(engine));
  } else {
    const read = input();
    done = await withQuietEngine(session, (engine) => call(engine, read));
  }
  const line = done?.text ?? t('cli.nothingChanged');
  if (sayText(line) !== '') session.print(plainText(line));
  const left = done?.left ?? [];
  for (const reason of left) session.complain(plainText(reason));
  return left.length > 0 ? exitStatus.failed : exitStatus.saved;
}

/** The input of a command. Throws UsageError. */
function inputFor(
  session: Session,
  command: ToldName,
  { fills, isOfProject }: Shape,
  given: Texts,
): CommandInput<ToldName> {
  const fields: Record<string, unknown> = {};
  if (isOfProject) fields['projectId'] = projectAt(session, String(given['project'])).id;
  for (const [field, name, schema] of fills) {
    const value = given[toKey(name)];
    const entity = ENTITIES[name];
    if (entity && typeof value === 'string') {
      fields[field] = entity.find(session, value, given as never).id;
    } else if (value !== undefined) {
      fields[field] = schema.type === 'number' || schema.type === 'integer' ? Number(value) : value;
    }
  }
  return understood(commandNamed(command).input.safeParse(fields)) as CommandInput<ToldName>;
}

/** What was read. Throws UsageError with the first problem. */
export function understood<Value>(
  parsed: { readonly success: true; readonly data: Value } | { readonly success: false; readonly error: z.ZodError },
): Value {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${String(issue?.path[0] ?? '')}: ${issue?.message ?? ''}.`, t('cli.seeHelp'));
}
