import type { Medium } from '../../contract/formats.ts';
import type { Marks } from '../../contract/frame-notes.ts';
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

/** A frame of a film, as a reference names it; frames and seconds count from 0. */
export type Frame =
  | { readonly at: 'first' | 'last' | 'in' | 'out' }
  | { readonly at: 'frame'; readonly number: number }
  | { readonly at: 'second'; readonly second: number };

/** A frame that the film alone says: `in` is the mark of the take, else the first one; `out` the last one inside. Pure. */
export type FilmFrame =
  | Exclude<Frame, { readonly at: 'first' | 'last' | 'in' | 'out' }>
  | { readonly at: 'first' | 'last' };

export function frameByMarks(frame: Frame, { in: first, out }: Pick<Marks, 'in' | 'out'>): FilmFrame {
  if (frame.at === 'in') return first === undefined ? { at: 'first' } : { at: 'frame', number: first };
  if (frame.at === 'out') return out === undefined ? { at: 'last' } : { at: 'frame', number: out - 1 };
  return frame as FilmFrame;
}

const FRAME = /^(?:(first|last|in|out)|(\d{1,7})f|(\d{1,6}(?:\.\d{1,6})?)s)$/i;

/** Pure. Null for a text that is no frame. */
export function readFrame(text: string): Frame | null {
  const [, word, number, second] = FRAME.exec(text) ?? [];
  if (word !== undefined) return { at: word.toLowerCase() as 'first' | 'last' | 'in' | 'out' };
  if (number !== undefined) return { at: 'frame', number: Number(number) };
  return second === undefined ? null : { at: 'second', second: Number(second) };
}

/** As it is written: `last`, `48f`, `2.5s`. Pure. */
export function frameName(frame: Frame): string {
  if (frame.at === 'frame') return `${frame.number}f`;
  return frame.at === 'second' ? `${frame.second}s` : frame.at;
}

/** What a text means among the keys of one batch: a key, or null. */
export type FindKey = (text: string) => string | null;

export interface NamedShot {
  /** The batch as written; null for the one that the reference is in. */
  readonly batch: string | null;
  readonly key: string;
  readonly output: number;
  /** Whether the number of an output was written. */
  readonly namesFile: boolean;
  readonly frame: Frame | null;
}

/**
 * What a name means: `[batch:]KEY[/OUTPUT][#FRAME]`. A key that is exactly so wins; then the frame, the output and the
 * batch are read, in that order. `elsewhere` finds the keys of another batch of the project; without it, names of other
 * batches mean nothing. Null without such a shot. Pure, and linear in the length of the name.
 */
export function shotNamed(
  name: string,
  find: FindKey,
  elsewhere: (batch: string) => FindKey | null = () => null,
): NamedShot | null {
  const shot = { batch: null, output: 1, namesFile: false, frame: null };
  if (find(name) === name) return { ...shot, key: name };
  const [shots, frame] = apart(name, '#', readFrame);
  if (frame !== null && find(shots) === shots) return { ...shot, key: shots, frame };
  const own = keyAndOutput(shots, find);
  if (own) return { ...shot, ...own, frame };
  const colon = shots.indexOf(':');
  const batch = shots.slice(0, Math.max(0, colon));
  const inBatch = batch === '' ? null : elsewhere(batch);
  const other = inBatch && keyAndOutput(shots.slice(colon + 1), inBatch);
  return other && { ...shot, ...other, frame, batch };
}

function keyAndOutput(text: string, find: FindKey): Pick<NamedShot, 'key' | 'output' | 'namesFile'> | null {
  const [before, output] = apart(text, '/', (digits) => (/^\d{1,15}$/.test(digits) ? Number(digits) : null));
  const shot = before === '' || output === null ? null : find(before);
  if (shot !== null && output !== null) return { key: shot, output, namesFile: true };
  const key = find(text);
  return key === null ? null : { key, output: 1, namesFile: false };
}

/** A text at its last mark: what is before it, and what follows if that can be read; else the whole text. */
function apart<Read>(text: string, mark: string, read: (end: string) => Read | null): [string, Read | null] {
  const at = text.lastIndexOf(mark);
  const found = at < 0 ? null : read(text.slice(at + 1));
  return found === null ? [text, null] : [text.slice(0, at), found];
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
