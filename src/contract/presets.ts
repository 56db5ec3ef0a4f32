import * as z from 'zod';
import { columnsOf, kindSpecs } from './kinds/index.ts';
import { Kind } from './kinds/kind.ts';
import type { Parameter, ParameterType } from './kinds/spec.ts';

/** Of one project, or of all of them together. */
export const MOST_PRESETS = 500;

/** As many columns as one edit may add to a list. */
const MOST_CELLS = 20;

/** Settings of a kind under a name: cells by column, without the columns that describe the shot. */
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
    .refine((cells) => Object.keys(cells).length <= MOST_CELLS),
});
export type PresetFields = z.infer<typeof PresetFields>;

export const Preset = PresetFields.extend({ id: z.string() });
export type Preset = z.infer<typeof Preset>;

/** Columns that describe the shot or name its media: no settings. */
const notSettings: readonly ParameterType[] = ['long_text', 'json', 'media', 'media_list', 'task'];

export function presetColumns(kind: Kind): readonly Parameter[] {
  const own = new Set(kindSpecs[kind].parameters.map(({ name }) => name));
  return columnsOf(kind).filter(({ name, type }) => name === 'model' || (own.has(name) && !notSettings.includes(type)));
}
