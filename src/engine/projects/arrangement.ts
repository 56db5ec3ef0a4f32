import type { Stores } from '../db/stores.ts';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { BatchOrder } from '../../contract/batch.ts';
import { MAX_JSON_VALUES } from '../../contract/json.ts';
import { MAX_PRESETS, PresetFields, MAX_VARIABLES, PromptVariable } from '../../contract/prompt-library.ts';
import { MAX_VIEWS, ViewFilter, viewNamed, toViewName } from '../../contract/review.ts';
import { v7 as uuid } from 'uuid';
import { systemCode } from '../base/errors.ts';
import { readJson, type FileProblem } from '../files/json-files.ts';
import { placeIn, type Place } from '../files/place.ts';
import { replaceFile } from '../files/project-files.ts';

/** `.dailies/arrangement.json`: how people arranged a project, for another machine or data folder that opens it. */
const arrangementFile = (project: string): Place => placeIn(project, '.dailies', 'arrangement.json');

/** Far more than a project's arrangement needs, bytes. */
const MAX_BYTES = 16 * 1000 ** 2;
const MAX_BATCHES = 10_000;
/** A project's own texts, and its copies of those of every project. */
const MAX_CARRIED = 2 * MAX_VARIABLES;

/** At most `most` items, without those that cannot be read: the file may come from anyone. */
export const list = <Item>(item: z.ZodType<Item>, most: number) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.slice(0, most).flatMap((each) => {
        const read = item.safeParse(each);
        return read.success ? [read.data] : [];
      }),
    );

const time = z.number().int().min(0).max(8.64e15);

/** A batch by its folder, which is its name for every data folder. */
const ArrangedBatch = z.object({
  folder: z.string().max(1000),
  notes: z.string().max(100_000).default(''),
  archivedAt: time.nullable().default(null),
  place: z.int().min(0).nullable().default(null),
});

const PlainName = z.string().transform((name, context) => {
  const plain = toViewName(name);
  if (plain === null) context.issues.push({ code: 'custom', input: name });
  return plain ?? '';
});

/** `filter.batchId` is the folder of the batch here. */
const ArrangedView = z.object({ name: PlainName, filter: ViewFilter });

const Arrangement = z.object({
  format: z.literal(1),
  /** When it was written, ms: the later of two counts. */
  at: time.catch(1),
  order: BatchOrder.catch('date'),
  batches: list(ArrangedBatch, MAX_BATCHES),
  views: list(ArrangedView, MAX_VIEWS),
  presets: list(PresetFields.omit({ projectId: true }).extend({ name: PlainName }), MAX_PRESETS),
  variables: list(PromptVariable.omit({ projectId: true }).extend({ copied: z.boolean().default(false) }), MAX_CARRIED),
});
type Arrangement = z.infer<typeof Arrangement>;

function arrangementFor({ batches, savedViews, presets, variables }: Stores, projectId: string) {
  const rows = batches.rows(projectId);
  const folders = new Map(rows.map(({ id, folder }) => [id, folder]));
  return {
    order: batches.order(projectId),
    batches: rows
      .filter(({ notes, archivedAt, place }) => notes !== '' || archivedAt !== null || place !== null)
      .map(({ folder, notes, archivedAt, place }) => ({ folder, notes, archivedAt, place })),
    views: savedViews.list(projectId).flatMap(({ name, filter }) => {
      const own = withBatch(filter, folders);
      return own ? [{ name, filter: own }] : [];
    }),
    presets: presets
      .list(projectId)
      .flatMap((preset) =>
        preset.projectId === null ? [] : [{ kind: preset.kind, name: preset.name, cells: preset.cells }],
      ),
    variables: variables.carriedBy(projectId),
  } satisfies Omit<Arrangement, 'format' | 'at'>;
}

/** The filter with its batch named another way; null when there is no such batch. */
function withBatch(filter: ViewFilter, names: ReadonlyMap<string, string>): ViewFilter | null {
  if (filter.batchId === undefined) return filter;
  const batchId = names.get(filter.batchId);
  return batchId === undefined ? null : { ...filter, batchId };
}

/** Writes a project's arrangement unless its file has it. Atomic. Throws ProjectFileError, or the system's error. */
export async function writeArrangement(
  stores: Stores,
  { id, path }: { readonly id: string; readonly path: string },
  now: number,
): Promise<void> {
  const present = arrangementFor(stores, id);
  const { value: stored } = await readArrangement(path);
  if (stored ? isDeepStrictEqual({ ...stored, ...present }, stored) : isPlain(present)) return;
  const at = Math.max(now, stores.projects.arrangedAt(id) + 1);
  // First here: a file that a kill left older is not read as if it were newer.
  stores.projects.setArrangedAt(id, at);
  await replaceFile(arrangementFile(path), JSON.stringify({ format: 1, at, ...present }));
}

/** Takes over an arrangement that another data folder wrote since. Removes nothing. Returns why it cannot be read. */
export async function adoptArrangement(
  stores: Stores,
  { id, path }: { readonly id: string; readonly path: string },
  mayArchive: (batchId: string) => boolean,
): Promise<FileProblem | null> {
  const { value, problem = null } = await readArrangement(path);
  if (value && value.at > stores.projects.arrangedAt(id)) {
    stores.batches.inOneCommit(() => apply(stores, id, value, mayArchive));
  }
  return problem;
}

function apply(
  stores: Stores,
  projectId: string,
  { at, order, batches, views, presets, variables }: Arrangement,
  mayArchive: (batchId: string) => boolean,
): void {
  const rows = new Map(stores.batches.rows(projectId).map((row) => [row.folder, row]));
  const placed = batches
    .filter(({ place }) => place !== null)
    .sort((one, other) => (one.place ?? 0) - (other.place ?? 0));
  const ids = placed.flatMap(({ folder }) => rows.get(folder)?.id ?? []);
  stores.batches.setOrder(projectId, order, [...new Set(ids)]);
  for (const { folder, notes, archivedAt } of batches) {
    const row = rows.get(folder);
    if (!row) continue;
    if (notes !== row.notes) stores.batches.setNotes(row.id, notes);
    if (archivedAt === null || mayArchive(row.id)) stores.batches.archive(row.id, archivedAt);
  }
  const known = stores.savedViews.list(projectId);
  const byFolder = new Map([...rows].map(([folder, { id }]) => [folder, id]));
  for (const { name, filter } of views) {
    const own = withBatch(filter, byFolder);
    const before = viewNamed(known, name);
    if (!own || (!before && known.length >= MAX_VIEWS)) continue;
    const view = { id: before?.id ?? uuid(), projectId, name, filter: own };
    stores.savedViews.save(view);
    if (!before) known.push(view);
  }
  for (const preset of presets) {
    if (stores.presets.count(projectId) < MAX_PRESETS) stores.presets.save({ ...preset, id: uuid(), projectId });
  }
  const room = MAX_CARRIED - stores.variables.carriedBy(projectId).length;
  for (const variable of variables.slice(0, Math.max(0, room))) stores.variables.adopt(projectId, variable);
  stores.projects.setArrangedAt(projectId, at);
}

async function readArrangement(
  project: string,
): Promise<{ readonly value?: Arrangement; readonly problem?: FileProblem }> {
  const schema = Arrangement as z.ZodType<Arrangement>;
  const read = await readJson<Arrangement>(arrangementFile(project), schema, MAX_BYTES, MAX_JSON_VALUES);
  if ('value' in read) return read;
  return systemCode(read.problem.cause) === 'ENOENT' ? {} : read;
}

const isPlain = ({ order, batches, views, presets, variables }: Omit<Arrangement, 'format' | 'at'>): boolean =>
  order === 'date' && [batches, views, presets, variables].every((items) => items.length === 0);
