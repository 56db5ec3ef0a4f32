import * as z from 'zod';
import { MAX_ROWS, type DraftList } from '../../contract/draft-list.ts';
import { listOf, type Json } from '../../contract/json.ts';
import { foldHeader, kindSpecs } from '../../contract/kinds/index.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import { keyForRow, type ShotSpec } from '../../contract/shot.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import { readBatchFacts, writeBatchFile } from '../files/batch-file.ts';
import { fileFor } from '../files/json-files.ts';
import type { Place } from '../files/place.ts';
import { FileTooLargeError, makeFolder, replaceFile } from '../files/project-files.ts';
import { ownFolders } from '../files/project-folder.ts';
import { planColumns, toIdentity } from './columns.ts';
import { withDefaults } from './draft.ts';
import { listInLines, readList, Row } from './draft-file.ts';
import { matchKeys } from './plan-import.ts';
import { escapePrompt } from '../../contract/prompt-library.ts';
import { leadingColumns, type SharedColumnName, trailingColumns } from '../../contract/kinds/shared.ts';
import { toMessage } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import type { Project } from '../db/project-store.ts';
import type { Stores } from '../db/stores.ts';
import { rowOfPlace } from './plan-start.ts';

/**
 * `.dailies/lists/<batch id>.json`: the list of a batch with its variables, defaults and columns as they were written. It
 * counts while `at` is the batch's `listAt`: a start that was cut off, or an older copy of the folder, has another one.
 */
export const WrittenList = z.object({
  format: z.literal(1),
  /** When it was started, ms. */
  at: z.number(),
  kind: Kind.nullable(),
  mapping: z.record(z.string(), z.string()),
  defaults: z.record(z.string(), z.string()),
  headers: listOf(z.string(), 20_000),
  rows: listOf(Row, MAX_ROWS),
});

const fileOf = (projectPath: string, { id }: Pick<Batch, 'id'>): Place => fileFor(ownFolders(projectPath).lists, id);

/** Keeps a list for `listOfBatch`. One too large for a file is not kept. */
export async function writeList(projectPath: string, batch: Batch, list: DraftList): Promise<void> {
  const file = { ...list, format: 1, at: batch.changedAt, rows: list.rows as string[][] };
  try {
    await makeFolder(ownFolders(projectPath).lists);
    await replaceFile(fileOf(projectPath, batch), listInLines(file));
  } catch (error) {
    if (!(error instanceof FileTooLargeError)) throw error;
  }
}

/** The list of a batch as it was written; as it was sent where that is not kept, such as by an earlier release. */
export async function listOfBatch(batches: BatchStore, projectPath: string, batch: Batch): Promise<DraftList> {
  const read = batch.listAt == null ? null : await readList(fileOf(projectPath, batch), WrittenList);
  if (read && 'value' in read && read.value.at === batch.listAt) return read.value;
  const { defaults = {} } = (await readBatchFacts(projectPath, batch.id)) ?? {};
  return { ...toList(batches.currentShots(batch.id).map(({ spec }) => spec)), defaults };
}

export function toList(shots: readonly ShotSpec[]): DraftList {
  const { headers, rows } = shotsAsTable(shots);
  return { headers, rows, mapping: {}, kind: null, defaults: {} };
}

/** A list with the rows of `shots` from another one: in place of its own with the same keys, or behind them. Pure. */
export function mergeLists(list: DraftList, other: DraftList, shots: readonly ShotSpec[]): DraftList {
  const own = keyed(list);
  const added = keyed({ ...other, ...withDefaults(other, other) });
  const headers = [...own.headers];
  const placeOf = (identity: string, header = ''): number => {
    const place = own.identities.indexOf(identity);
    return place >= 0 ? place : headers.push(header) - 1;
  };
  const places = added.identities.map((identity, index) => placeOf(identity, added.headers[index]));
  // The kind of rows that say none is another one in each of the lists.
  const isSameKind = other.kind === list.kind || added.identities.includes(KIND);
  const kindAt = isSameKind ? null : placeOf(KIND, 'kind');
  const fresh = new Set(headers.slice(own.headers.length).map(foldHeader));
  const mapping = Object.entries(other.mapping).filter(([header]) => fresh.has(foldHeader(header)));
  const rows = [...own.rows];
  const matches = matchKeys(
    [...own.placeOf].map(([key, place]) => ({ key, place })),
    shots,
  );
  for (const { key, kind } of shots) {
    const row = added.rows[added.placeOf.get(key) ?? -1] ?? [];
    const cells = headers.map(() => '');
    for (const [index, place] of places.entries()) cells[place] = row[index] ?? '';
    if (kindAt !== null) cells[kindAt] = kind;
    rows[matches.get(key)?.place ?? rows.length] = cells;
  }
  return { ...list, headers, rows, mapping: { ...list.mapping, ...Object.fromEntries(mapping) } };
}

const [KEY, KIND] = ['column shot', 'column kind'];

function keyed({ headers, rows, mapping }: DraftList) {
  const { columns } = planColumns({ headers, headerRow: 1 }, mapping);
  const identities = columns.map(({ meaning, index }) => toIdentity(meaning) ?? `nothing ${index}`);
  const at = identities.includes(KEY) ? identities.indexOf(KEY) : identities.push(KEY) - 1;
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const keys = filled.map((row, place) => keyForRow(row[at], place));
  return {
    headers: at < headers.length ? headers : [...headers, 'shot'],
    identities,
    rows: filled.map((row, place) => identities.map((_each, index) => (index === at ? keys[place] : row[index]) ?? '')),
    placeOf: new Map(keys.map((key, place) => [key, place])),
  };
}

interface ShotTable {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function shotsAsTable(shots: readonly ShotSpec[]): ShotTable {
  const kinds = [...new Set(shots.map(({ kind }) => kind))];
  const headers = [
    ...leadingColumns.map(({ name }) => name),
    ...unique(kinds.flatMap((kind) => usedParameters(shots.filter((shot) => shot.kind === kind)))),
    ...unique(shots.flatMap(({ extra }) => Object.keys(extra).map((name) => `param.${name}`))),
    ...unique(shots.flatMap(({ columns }) => Object.keys(columns))),
    ...trailingColumns.map(({ name }) => name),
  ];
  return { headers, rows: shots.map((shot) => rowFor(shot, headers)) };
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

function usedParameters(shots: readonly ShotSpec[]): string[] {
  const used = new Set(shots.flatMap(({ params }) => Object.keys(params)));
  const [first] = shots;
  return first ? kindSpecs[first.kind].parameters.map(({ name }) => name).filter((name) => used.has(name)) : [];
}

function rowFor(shot: ShotSpec, headers: readonly string[]): string[] {
  const shared: Record<SharedColumnName, string> = {
    shot: shot.key,
    kind: shot.kind,
    model: shot.model,
    prompt: escapePrompt(shot.prompt),
    takes: String(shot.takes),
    file_name: shot.fileName ?? '',
    priority: shot.priority === 0 ? '' : String(shot.priority),
    skip: '',
    wait_for: shot.waitFor ?? '',
    notes: shot.notes ?? '',
    group: shot.group ?? '',
    callback_url: shot.callbackUrl ?? '',
  };
  const cells: Record<string, string> = {
    ...shot.columns,
    ...Object.fromEntries(Object.entries(shot.extra).map(([name, text]) => [`param.${name}`, text])),
    ...cellsOfParams(shot),
    ...shared,
  };
  return headers.map((header) => cells[header] ?? '');
}

function cellsOfParams({ params }: Pick<ShotSpec, 'params'>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, toCell(value)]));
}

function toCell(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('; ');
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

export type BatchFiles = ReturnType<typeof createBatchFiles>;

export function createBatchFiles(
  { batches, projects }: Pick<Stores, 'batches' | 'projects'>,
  logger: Logger,
  renameInDrafts: (project: Project, before: string, name: string) => Promise<void>,
) {
  /** Lists first: as long as the file has the earlier name, they are found again by it after a kill. */
  async function write(batch: Batch, earlier = batch.name): Promise<void> {
    const project = projects.get(batch.projectId);
    if (project === null) return;
    try {
      const stored = batches.currentShots(batch.id);
      const shots: ShotSpec[] = stored.map(({ spec }) => spec);
      const rows = stored.map(({ position }) => rowOfPlace(position));
      const before = await readBatchFacts(project.path, batch.id);
      for (const name of new Set([before?.name ?? earlier, earlier])) {
        if (name !== batch.name) await renameInDrafts(project, name, batch.name);
      }
      await writeBatchFile(project.path, { format: 1, ...batch, defaults: before?.defaults ?? {}, rows, shots });
      batches.written(batch.id);
    } catch (error) {
      // Its name is in the database; the file follows when the project is taken again.
      logger.warn('The file of a batch could not be written', { batch: batch.id, reason: toMessage(error) });
    }
  }
  return {
    write,
    /** Writes files in the project's folder that a kill or a full disk prevented. Called when the project is claimed. */
    async writeBehind(projectId: string): Promise<void> {
      for (const batch of batches.unwritten(projectId)) await write(batch);
    },
  };
}
