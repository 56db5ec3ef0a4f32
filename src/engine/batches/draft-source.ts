import { MAX_NAME } from '../../contract/units.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { basename, dirname, extname, resolve } from 'node:path';
import type { ListSource, ReadOptions } from '../../contract/batch.ts';
import { checkWidth } from '../../contract/draft-list.ts';
import { columnsFor, kindNamed } from '../../contract/kinds/index.ts';
import type { BatchStore } from '../db/batch-store.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Project } from '../db/project-store.ts';
import { toText, refused, RefusedError } from '../base/errors.ts';
import type { DraftFile } from './draft-file.ts';
import { asRefusal } from './draft.ts';
import { readListFile } from './list-file.ts';
import { readTable, type Table } from './read-table.ts';
import { findMedia, rowsFromMedia } from './shots-from-media.ts';
import { listOfBatch } from './written-list.ts';

export type DraftContent = Omit<DraftFile, 'format' | 'id' | 'createdAt' | 'revision' | 'firstRow'>;

/** A source as it was read, with its bytes where it can be read again another way. */
export interface ReadSource {
  readonly content: DraftContent;
  readonly bytes: Uint8Array | null;
  /** Files and folders that a person named by choosing it, absolute: they may be sent. */
  readonly agreed?: readonly string[];
}

type ShotsOfFiles = (paths: readonly string[]) => Promise<ReadonlyMap<string, ShotSpec>>;

/** Reads the source of a draft. Mistakes in a list are defects; throws RefusedError for an unknown batch. */
export async function readListSource(
  { batches, shotsOf }: { readonly batches: BatchStore; readonly shotsOf: ShotsOfFiles },
  project: Project,
  source: ListSource,
  read: ReadOptions,
): Promise<ReadSource> {
  switch (source.type) {
    case 'file': {
      const bytes = Buffer.from(source.content, 'base64');
      return { content: await contentFor(bytes, source.name, read), bytes };
    }
    case 'path': {
      const { name, folder, bytes } = await readListFile(source.path);
      return { content: { ...(await contentFor(bytes, name, read)), listFolder: folder }, bytes, agreed: [folder] };
    }
    case 'media':
      return readMedia(project, source.paths, shotsOf);
    case 'text': {
      const bytes = Buffer.from(source.text, 'utf8');
      return { content: await contentFor(bytes, source.name, { ...read, encoding: 'utf-8' }), bytes };
    }
    case 'batch': {
      const batch = batches.get(source.batchId);
      if (batch?.projectId !== project.id) {
        throw refused('unknown_batch', messageFor('failure.noSuchItem', { what: 'batch' }), 'remedy.chooseOther');
      }
      const { headers, rows, mapping, kind, defaults } = await listOfBatch(batches, project.path, batch);
      const { source: from, listFolder } = batch;
      const name = source.copyAs === undefined ? batch.name : batches.freeName(project.id, source.copyAs);
      const named = { name, chosenName: name, batchId: source.copyAs === undefined ? batch.id : null };
      const list = { mapping: { ...mapping }, kind, defaults: { ...defaults }, ...editable(headers, rows) };
      return { content: { ...nothingRead, ...named, source: from, listFolder, ...list }, bytes: null };
    }
    case 'template': {
      const headers = columnsFor(source.kind).map(({ name }) => name);
      const name = `${source.kind} shots`;
      const content = { ...nothingRead, name, source: name, kind: source.kind, ...editable(headers, [[]]) };
      return { content, bytes: null };
    }
  }
}

/** The list for media files, with their absolute paths unless they are in the project. */
async function readMedia(
  { path: folder }: Project,
  paths: readonly string[],
  shotsFor: ShotsOfFiles,
): Promise<ReadSource> {
  const { files, leftOut } = await findMedia(paths, folder).catch((error: unknown) => {
    throw new RefusedError('bad_list', toText(error), messageFor('remedy.openListAgain'), { cause: error });
  });
  if (files.length === 0) throw refused('bad_list', 'failure.noMedia');
  const agreed = files.map(({ path }) => resolve(folder, path));
  const shots = await shotsFor(agreed);
  const made = files.map((file, index) => ({ ...file, shot: shots.get(agreed[index] ?? '') }));
  const { headers, rows } = rowsFromMedia(made, { pairs: true });
  const name = basename(paths.length === 1 ? (paths[0] ?? '') : dirname(paths[0] ?? ''));
  const defects = leftOut.map((file) => ({
    ...{ severity: 'warning' as const, row: 0, column: '', value: file },
    ...{ problem: messageFor('defect.noRowFromFile'), remedy: messageFor('remedy.none') },
  }));
  const [kind, ...others] = new Set(rows.map((row) => kindNamed(row[headers.indexOf('kind')] ?? '')));
  const list = { kind: others.length === 0 ? (kind ?? null) : null, ...editable(headers, rows) };
  const content = { ...nothingRead, name: nameFor(name), source: name, defects, ...list };
  return { content, bytes: null, agreed };
}

/** Reads the list in these bytes, with the person's choices. */
export async function contentFor(bytes: Uint8Array, source: string, read: ReadOptions): Promise<DraftContent> {
  const name = source.trim() === '' ? 'Pasted list' : basename(source.trim());
  const table = await readTable({ bytes, name }, read);
  const { encoding, delimiter, sheet, sheets } = table;
  return {
    ...nothingRead,
    name: nameFor(name),
    source: name,
    encoding,
    delimiter,
    sheet,
    sheets: [...sheets],
    defects: defectsIn(table),
    ...editable(table.headers, table.rows),
  };
}

const nameFor = (file: string): string => basename(file, extname(file)).slice(0, MAX_NAME).toWellFormed();

const nothingRead = {
  listFolder: null,
  encoding: null,
  delimiter: null,
  sheet: null,
  sheets: [],
  kind: null,
  mapping: {},
  defects: [],
};

/** Every cell gets a column, also beyond the last header, so that it can be seen and corrected. */
function editable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): Pick<DraftFile, 'headers' | 'rows'> {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), headers.length);
  asRefusal(() => checkWidth(width));
  return {
    headers: Array.from({ length: width }, (_, index) => headers[index] ?? ''),
    rows: rows.map((row) => [...row]),
  };
}

/** Defects by the row of the draft, which has no blank rows and counts the header as row 1. */
function defectsIn({ defects, rowNumbers, headerRow }: Table): DraftFile['defects'] {
  const placeOf = new Map(rowNumbers.map((row, index) => [row, index + 2]));
  return defects.map((defect) => {
    const row = defect.row === headerRow ? 1 : (placeOf.get(defect.row) ?? 0);
    return { ...defect, row };
  });
}
