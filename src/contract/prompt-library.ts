import * as z from 'zod';
import { columnsFor, kindSpecs } from './kinds/index.ts';
import { Kind } from './kinds/kind.ts';
import type { Parameter, ParameterType } from './kinds/spec.ts';

/** The name of a variable between its braces: a letter first, then letters, digits, `_` and `-`. */
const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_-]{0,39}`;
/** `{{name}}`, which is sent as `{name}`, or `{name}`, which a text takes the place of. */
const IN_PROMPT = new RegExp(String.raw`\{(\{${NAME}\})\}|\{(${NAME})\}`, 'gu');
const BRACED = new RegExp(String.raw`\{${NAME}\}`, 'gu');
export const VariableName = z.string().regex(new RegExp(`^${NAME}$`, 'u'));

export const MAX_VARIABLE_LENGTH = 10_000;
/** Of one project, or of all of them together. */
export const MAX_VARIABLES = 500;

/** A named text that prompts name as `{name}`. */
export const PromptVariable = z.object({
  /** Null for one of every project. A project's own goes before it. */
  projectId: z.string().min(1).max(200).nullable(),
  name: VariableName,
  text: z.string().trim().min(1).max(MAX_VARIABLE_LENGTH),
});
export type PromptVariable = z.infer<typeof PromptVariable>;

export type Variables = ReadonlyMap<string, string>;

export interface Expanded {
  readonly text: string;
  /** Names between braces that are no variables: a prompt with one is not sent. */
  readonly unknown: readonly string[];
}

/** No prompt is longer; what goes beyond is not put together any further, characters. */
const MAX_EXPANDED = 100_000;

/**
 * A prompt with the texts of its variables in place of their names, and `{name}` where `{{name}}` is written. Texts go
 * in unchanged: braces in them are no variables. Linear time; stops at a length that no prompt may have. Pure.
 */
export function expandPrompt(prompt: string, variables: Variables): Expanded {
  if (!prompt.includes('{')) return { text: prompt, unknown: [] };
  const unknown = new Set<string>();
  let length = prompt.length;
  const text = prompt.replaceAll(IN_PROMPT, (whole, escaped: string | undefined, name: string) => {
    if (escaped !== undefined) return escaped;
    const found = variables.get(name);
    if (found === undefined) unknown.add(name);
    length += found?.length ?? 0;
    return found === undefined || length > MAX_EXPANDED + prompt.length ? whole : found;
  });
  return { text, unknown: [...unknown] };
}

/** How a prompt is written that is to be sent as it is: the inverse of {@link expandPrompt}, for any texts. Pure. */
export const escapePrompt = (prompt: string): string => prompt.replaceAll(BRACED, '{$&}');

export const namesIn = (prompt: string): string[] => [
  ...new Set([...prompt.matchAll(IN_PROMPT)].flatMap(([, , name]) => (name === undefined ? [] : [name]))),
];

export function toVariables(all: readonly PromptVariable[]): Variables {
  const own = all.filter(({ projectId }) => projectId !== null);
  return new Map([...all.filter(({ projectId }) => projectId === null), ...own].map(({ name, text }) => [name, text]));
}

export const MAX_PRESETS = 500;

/** As many columns as one edit may add to a list. */
const MAX_CELLS = 20;

export const PresetFields = z.object({
  /** Null for one of every project. */
  projectId: z.string().min(1).max(200).nullable(),
  kind: Kind,
  name: z
    .string()
    .overwrite((name) => name.replace(/[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069]/gu, '').trim())
    .min(1)
    .max(100),
  cells: z
    .record(z.string().min(1).max(100), z.string().min(1).max(2000))
    .refine((cells) => Object.keys(cells).length <= MAX_CELLS),
});
export type PresetFields = z.infer<typeof PresetFields>;

export const Preset = PresetFields.extend({ id: z.string() });
export type Preset = z.infer<typeof Preset>;

/** Columns that describe the shot or name its media: no settings. */
const notSettings: readonly ParameterType[] = ['long_text', 'json', 'media', 'media_list', 'task'];

export function presetColumns(kind: Kind): readonly Parameter[] {
  const own = new Set(kindSpecs[kind].parameters.map(({ name }) => name));
  return columnsFor(kind).filter(
    ({ name, type }) => name === 'model' || (own.has(name) && !notSettings.includes(type)),
  );
}
