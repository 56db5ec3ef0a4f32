import type { DraftColumn } from '../../../contract/batch.ts';
import type { MediaType, Parameter } from '../../../contract/kinds/spec.ts';

const isReference = /^asset:\/\/\S+$/i;

export const isAssetReference = (text: string): boolean => isReference.test(text.trim());

export type MediaParameter = Extract<Parameter, { type: 'media' | 'media_list' }>;

export const isMedia = (parameter: Parameter | null): parameter is MediaParameter =>
  parameter?.type === 'media' || parameter?.type === 'media_list';

/** The media that a cell takes: one type, any if it is sent untouched, or none. */
export function mediaTakenBy(column: DraftColumn | null, parameter: Parameter | null): MediaType | 'any' | null {
  if (column?.isExtra === true) return 'any';
  return isMedia(parameter) ? parameter.media : null;
}

export const namesIn = (cell: string, { type }: Parameter): readonly string[] =>
  (type === 'media_list' ? cell.split(/[;|\n]/) : [cell]).map((each) => each.trim()).filter(Boolean);

export const withoutName = (cell: string, name: string, parameter: Parameter): string =>
  namesIn(cell, parameter)
    .filter((each) => each !== name)
    .join('; ');

/** The text of a cell once it names more; see `withReference`. */
export const withNames = (cell: string, names: readonly string[], parameter: Parameter): string =>
  names.reduce((text, name) => withReference(text, name, parameter), cell);

/** The text of a cell once it names an asset too; a list grows, and names nothing twice. */
export function withReference(before: string, reference: string, parameter: Parameter | null): string {
  if (parameter?.type !== 'media_list' || before.trim() === '') return reference;
  return namesIn(before, parameter).includes(reference) ? before : `${before.trim()}; ${reference}`;
}

const MAX_PICTURES = 4;
const MAX_NAME = 500;

export interface NamedPicture {
  readonly of: 'asset' | 'shot' | 'file';
  readonly name: string;
}

/** Whether a text may name any of them: most cells name nothing. */
const mayName = /:\/\/|\.(?:png|jpe?g|webp|gif)\b/i;

export function picturesIn(
  cell: string,
  column: DraftColumn | null,
  parameter: Parameter | null,
): readonly NamedPicture[] {
  if (mediaTakenBy(column, parameter) === null || !mayName.test(cell)) return [];
  const pictures = new Map<string, NamedPicture>();
  for (const text of cell.split(/[;|\n]/, 4 * MAX_PICTURES)) {
    const picture = toPicture(text.trim());
    if (picture !== null) pictures.set(`${picture.of} ${picture.name}`, picture);
  }
  return [...pictures.values()].slice(0, MAX_PICTURES);
}

export function toPicture(text: string): NamedPicture | null {
  if (text.length > MAX_NAME) return null;
  if (isReference.test(text)) return { of: 'asset', name: text.slice('asset://'.length) };
  if (/^shot:\/\/./i.test(text)) return { of: 'shot', name: text.slice('shot://'.length) };
  // "Copy as path" wraps a path in quotes.
  const path = /^"(.+)"$/.exec(text)?.[1] ?? text;
  return isLocalPicture(path) ? { of: 'file', name: path } : null;
}

const isLocalPicture = (path: string): boolean => !path.includes('://') && /\.(?:png|jpe?g|webp|gif)$/i.test(path);
