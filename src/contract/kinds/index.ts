import { imageSpec } from './image.ts';
import { Kind } from './kind.ts';
import type { KindSpec, Parameter } from './kind.ts';
import { musicSpec } from './music.ts';
import { leadingColumns, trailingColumns } from './shared.ts';
import { videoSpec } from './video.ts';

export const kindSpecs: Readonly<Record<Kind, KindSpec>> = { video: videoSpec, image: imageSpec, music: musicSpec };

/** The form in which two headers are the same: without case, spaces, dashes, underscores and invisible characters. */
export function foldHeader(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_\p{Pd}\p{Cf}]+/gu, '');
}

/**
 * Fields of the service's requests for which there is no column. A list with such a header means the field, and would
 * be paid for without it.
 */
export const fieldsWithoutColumn: readonly string[] = [
  ...['callback_url', 'frames', 'input_reference', 'input_reference_role', 'reference_voice', 'reference_voices'],
  ...['videos', 'continue_at', 'sourceAudioUrl', 'notifyHook'],
];

/** Every column a list of this kind may have, in the order of the template. */
export function columnsOf(kind: Kind): readonly Parameter[] {
  return [...leadingColumns, ...kindSpecs[kind].parameters, ...trailingColumns];
}

/** What most lists say once for all their rows, in the order of the template; of one kind, or of any. */
export function usualColumns(of: Kind | null): readonly Parameter[] {
  const kinds = of === null ? Kind.options : [of];
  const byName = new Map<string, Parameter>();
  for (const column of kinds.flatMap(columnsOf)) {
    if (column.isUsual && !byName.has(column.name)) byName.set(column.name, column);
  }
  return [...byName.values()];
}

const kindsByWord: ReadonlyMap<string, Kind> = new Map(
  Kind.options.flatMap((kind) =>
    [kind, kindSpecs[kind].label, ...kindSpecs[kind].words].map((word): [string, Kind] => [foldHeader(word), kind]),
  ),
);

/** The kind a cell names, or null: `Video`, `clip`, `song`. */
export function kindNamed(text: string): Kind | null {
  return kindsByWord.get(text) ?? kindsByWord.get(foldHeader(text)) ?? null;
}

/** An empty shot list of one kind: its header line, as CSV. */
export function csvTemplate(kind: Kind): string {
  return `${columnsOf(kind)
    .map((column) => column.name)
    .join(',')}\r\n`;
}
