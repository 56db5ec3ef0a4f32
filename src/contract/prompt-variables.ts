import * as z from 'zod';
import type { Defect } from './shot.ts';

/** The name of a variable between its braces: a letter first, then letters, digits, `_` and `-`. */
const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_-]{0,39}`;
const IN_PROMPT = new RegExp(String.raw`\{(${NAME})\}`, 'gu');
const BETWEEN = new RegExp(String.raw`\{${NAME}\}`, 'u');
export const VariableName = z.string().regex(new RegExp(`^${NAME}$`, 'u'));

export const LONGEST_VARIABLE = 10_000;
/** Of one project, or of all of them together. */
export const MOST_VARIABLES = 500;

/** A named text that prompts may hold as `{name}`. */
export const PromptVariable = z.object({
  /** Null for one of every project. A project's own goes before it. */
  projectId: z.string().min(1).max(200).nullable(),
  name: VariableName,
  text: z.string().trim().min(1).max(LONGEST_VARIABLE),
});
export type PromptVariable = z.infer<typeof PromptVariable>;

/** Texts by the names of their variables. */
export type Variables = ReadonlyMap<string, string>;

export interface Expanded {
  readonly text: string;
  /** Names between braces that are no variables: they stay as they are written. */
  readonly unknown: readonly string[];
}

/** No prompt is longer; what goes beyond is not put together any further, characters. */
const LONGEST_EXPANDED = 100_000;

/**
 * A prompt with the texts of its variables in place of their names. Texts go in unchanged: braces in them are no
 * variables. Linear time; stops at a length that no prompt may have. Pure.
 */
export function expandPrompt(prompt: string, variables: Variables): Expanded {
  if (!prompt.includes('{')) return { text: prompt, unknown: [] };
  const unknown = new Set<string>();
  let length = prompt.length;
  const text = prompt.replaceAll(IN_PROMPT, (whole, name: string) => {
    const found = variables.get(name);
    if (found === undefined) unknown.add(name);
    length += found?.length ?? 0;
    return found === undefined || length > LONGEST_EXPANDED + prompt.length ? whole : found;
  });
  return { text, unknown: [...unknown] };
}

/**
 * Whether a prompt as written may have become `text` with other texts of its variables: everything between them is
 * found in it, in order. Pure.
 */
export function mayHaveBecome(written: string, text: string): boolean {
  const [first = '', ...others] = written.trim().split(BETWEEN);
  const last = others.pop();
  if (last === undefined) return first === text;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.startsWith(first) && text.endsWith(last) && text.length - last.length >= at;
}

/** The texts that count in a project, its own before those of every project. */
export function variablesOf(all: readonly PromptVariable[]): Variables {
  const own = all.filter(({ projectId }) => projectId !== null);
  return new Map([...all.filter(({ projectId }) => projectId === null), ...own].map(({ name, text }) => [name, text]));
}

/** Prompts that are sent with a name between braces that is no variable; `name` is the first of them. */
export const PromptsWithBraces = z.object({ count: z.int().min(1), name: z.string() });
export type PromptsWithBraces = z.infer<typeof PromptsWithBraces>;

/** Counts the prompts that a check found to name an unknown variable; null without any. Pure. */
export function promptsWithBraces(defects: readonly Pick<Defect, 'problem'>[]): PromptsWithBraces | null {
  const names = defects.flatMap(({ problem }) =>
    typeof problem === 'object' && problem.key === 'defect.unknownVariable' ? [problem.values] : [],
  );
  const [first] = names;
  return first === undefined ? null : { count: names.length, name: String(first['name']) };
}
