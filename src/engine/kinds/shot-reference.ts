import type { Medium } from '../../contract/formats.ts';
import type { Json } from '../../contract/json.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import type { MediaType } from '../../contract/kinds/spec.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { rulesFor } from './index.ts';
import { readMediaReference } from './media-reference.ts';
import type { MediaUse } from './rules.ts';

export interface ShotReference {
  readonly parameter: string;
  /** As written: `Shot://010/2`. */
  readonly cell: string;
  /** What follows `Shot://`. */
  readonly name: string;
  readonly wants: Wanted;
  /** Purpose of the assets that the column takes: a take that makes one is named by it. */
  readonly purpose?: string;
}

/**
 * `words`: the text of the take is put into the cell. `task`: the id of its task is, and it is of the same kind. Anything
 * else is a file that is sent; `any` is no text.
 */
type Wanted = FileWanted | 'task';
export type FileWanted = Medium | 'any';

export const wantedBy: Readonly<Record<MediaType, FileWanted>> = {
  image: 'still',
  video: 'moving',
  audio: 'sound',
  any: 'any',
};

/** Whether a column may have a take of this medium, null for files neither picture, sound nor text. Pure. */
export const fits = (medium: Medium | null, wants: FileWanted): boolean =>
  wants === 'any' ? medium !== null && medium !== 'words' : medium === wants;

const WHOLE_TEXT = /^shot:\/\/([^\n]*)$/i;

/** The shots that a shot refers to: in its media, and in other cells that contain only a reference. Pure. */
export function shotReferences(
  spec: Pick<ShotSpec, 'kind' | 'prompt' | 'params'>,
  media: readonly MediaUse[] = rulesFor(spec.kind).mediaOf(spec.params),
): ShotReference[] {
  return [...inMedia(media), ...inTexts(spec)];
}

function inMedia(media: readonly MediaUse[]): ShotReference[] {
  return media.flatMap(({ column, cell, media: type, purpose }) => {
    const reference = readMediaReference(cell);
    if (reference.at !== 'shot') return [];
    const ofPurpose = purpose !== undefined && { purpose };
    return [{ parameter: column, cell, name: reference.name, wants: wantedBy[type], ...ofPurpose }];
  });
}

function inTexts({ kind, prompt, params }: Pick<ShotSpec, 'kind' | 'prompt' | 'params'>): ShotReference[] {
  const texts: [string, Json | undefined, Wanted][] = [['prompt', prompt, 'words']];
  for (const { name, type } of kindSpecs[kind].parameters) {
    if (type === 'long_text') texts.push([name, params[name], 'words']);
    if (type === 'task') texts.push([name, params[name], 'task']);
  }
  return texts.flatMap(([parameter, text, wants]) => {
    const name = typeof text === 'string' ? WHOLE_TEXT.exec(text)?.[1] : undefined;
    return name === undefined ? [] : [{ parameter, cell: text as string, name, wants }];
  });
}

/** The shot and output of a name: `010/2` is output 2 of 010, if there is one, else a key. Null without such a shot. */
export function shotNamed(
  name: string,
  find: (text: string) => string | null,
): { readonly key: string; readonly output: number } | null {
  const [, before = '', digits = '1'] = /^(.*)\/(\d+)$/.exec(name) ?? [];
  const shot = before === '' ? null : find(before);
  if (shot !== null) return { key: shot, output: Number(digits) };
  const key = find(name);
  return key === null ? null : { key, output: 1 };
}

export interface Replacement {
  readonly parameter: string;
  readonly cell: string;
  readonly by: string;
}

export function withReplacements(spec: ShotSpec, replacements: readonly Replacement[]): ShotSpec {
  if (replacements.length === 0) return spec;
  const found = new Map(replacements.map(({ parameter, cell, by }) => [JSON.stringify([parameter, cell]), by]));
  const replaced = (parameter: string, value: Json): Json => {
    if (typeof value === 'string') return found.get(JSON.stringify([parameter, value])) ?? value;
    if (Array.isArray(value)) return value.map((item) => replaced(parameter, item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(parameter, item)]));
  };
  const params = Object.entries(spec.params).map(([name, value]) => [name, replaced(name, value)] as const);
  return { ...spec, prompt: replaced('prompt', spec.prompt) as string, params: Object.fromEntries(params) };
}
