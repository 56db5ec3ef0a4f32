import type { Medium } from '../formats.ts';
import type { PathSetting, KindSpec, Parameter, Params } from './spec.ts';
import { messageFor } from '../messages/message-for.ts';
import { allKinds, type Kind } from './all.ts';
import { leadingColumns, trailingColumns } from './shared.ts';
import type { Text } from '../messages/message.ts';

export const kindSpecs = Object.fromEntries(allKinds.map((spec) => [spec.kind, spec])) as Readonly<
  Record<Kind, KindSpec>
>;

export function specNamed(name: string): KindSpec | undefined {
  return allKinds.find(({ kind }) => kind === name);
}

/** The label of a kind; an unknown name, such as one of another release, stays as it is. */
export const kindLabel = (name: string): Text => specNamed(name)?.label ?? name;

/** Where tools are asked. The reference describes these operations without their paths: each default is assumed. */
const toolPaths: readonly PathSetting[] = [
  { name: 'embeddings', label: messageFor('path.embeddings'), default: '/v1/embeddings' },
  { name: 'webSearch', label: messageFor('command.searchWeb'), default: '/v1/web-search' },
  { name: 'webReader', label: messageFor('command.readPage'), default: '/v1/web-reader' },
];

/** The paths of the service that are settings: kind by kind, then those of tools. */
export const pathSettings: readonly PathSetting[] = [...allKinds.flatMap(({ paths }) => paths), ...toolPaths];

export const mediumFor = (kind: Kind, params: Params): Medium =>
  kindSpecs[kind].mediumOf?.(params) ?? kindSpecs[kind].medium;

/** The form in which two headers are the same: without case, spaces, dashes, underscores and invisible characters. */
export function foldHeader(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_\p{Pd}\p{Cf}]+/gu, '');
}

/** Fields of requests without a column of ours: without a warning for such a header, takes are paid for without it. */
export const fieldsWithoutColumn: readonly string[] = [
  ...allKinds.flatMap(({ fieldsWithoutColumn: fields }) => fields),
];

export function columnsFor(kind: Kind): readonly Parameter[] {
  return [...leadingColumns, ...kindSpecs[kind].parameters, ...trailingColumns];
}

export const takesMedia = (kind: Kind): boolean => kindSpecs[kind].parameters.some((parameter) => 'media' in parameter);

/** The column by which a take of this kind continues another one; undefined where none does. */
export const continuationFor = (kind: string): { readonly name: string; readonly at: string } | undefined =>
  specNamed(kind)?.parameters.flatMap((parameter) =>
    parameter.type === 'task' && parameter.at !== undefined ? [{ name: parameter.name, at: parameter.at }] : [],
  )[0];

/** What most lists say once for all their rows, in the order of the template; of one kind, or of any. */
export function usualColumns(of: Kind | null): readonly Parameter[] {
  const kinds = of === null ? allKinds.map(({ kind }) => kind) : [of];
  const byName = new Map<string, Parameter>();
  const own = kinds.flatMap((kind) => kindSpecs[kind].parameters);
  for (const column of [...leadingColumns, ...own, ...trailingColumns]) {
    if (column.isUsual && !byName.has(column.name)) byName.set(column.name, column);
  }
  return [...byName.values()];
}

const kindsByWord: ReadonlyMap<string, Kind> = new Map(
  allKinds.flatMap(({ kind, words }) => [kind, ...words].map((word): [string, Kind] => [foldHeader(word), kind])),
);

/** The kind a cell names, or null: `Video`, `clip`, `song`. */
export function kindNamed(text: string): Kind | null {
  return kindsByWord.get(text) ?? kindsByWord.get(foldHeader(text)) ?? null;
}

export function csvTemplate(kind: Kind): string {
  return `${columnsFor(kind)
    .map((column) => column.name)
    .join(',')}\r\n`;
}
