import { appendFile, lstat, mkdir, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { PlacedEdit } from '../../contract/batch.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import { Defect } from '../../contract/shot.ts';
import { RefusedError, systemCode } from '../errors.ts';
import { replaceFile } from '../projects/durable.ts';
import { jsonPath, readJson } from '../projects/json-files.ts';

/** `.dailies/drafts/<draft id>.json`: a list as it was opened. What was edited since stands beside it, a line an edit. */
export const DraftFile = z.object({
  format: z.literal(1),
  id: z.string().min(1),
  /** Suggested name of the batch. */
  name: z.string(),
  /** The one that somebody has chosen. */
  chosenName: z.string().nullish(),
  source: z.string(),
  /** Absolute folder that local paths in cells are relative to; null for the project's own. */
  listFolder: z.string().nullable(),
  createdAt: z.number(),
  /** Batch whose shots these are, where they were read from one. */
  batchId: z.string().nullish(),
  /** Opened by a program, to be started or thrown away at once: no list that a person works on. */
  isPassing: z.boolean().optional(),
  encoding: z.string().nullable(),
  delimiter: z.string().nullable(),
  sheet: z.string().nullable(),
  sheets: z.array(z.string()),
  /** Revision of the list as it stands in this file. */
  revision: z.int(),
  kind: Kind.nullable(),
  mapping: z.record(z.string(), z.string()),
  defaults: z.record(z.string(), z.string()).optional(),
  /** What reading found wrong; `row` is the place in `rows` plus 2, or less for what concerns the list. */
  defects: z.array(Defect),
  headers: z.array(z.string()),
  rows: z.array(z.array(z.string())),
  /** What the first of them is called; the others follow. No row is called as one of an earlier reading was. */
  firstRow: z.int().default(0),
});
export type DraftFile = z.infer<typeof DraftFile>;

/** The window that took a step. */
const by = z.string().optional();

/** One line of the journal beside it. */
export const DraftStep = z.union([
  /** `id`: by which its sender knows it, and may ask again whether it was made. */
  z.object({ edit: PlacedEdit, by, id: z.string().optional() }),
  z.object({ undo: z.literal(true), by }),
  z.object({ redo: z.literal(true), by }),
  /** Somebody has chosen a name for its batch. */
  z.object({ named: z.string() }),
  /** It was started as a batch. */
  z.object({ started: z.literal(true), batch: z.string().optional() }),
]);
export type DraftStep = z.infer<typeof DraftStep>;

const MAX_BYTES = 1024 ** 3;
/** Rows turned into text in one go, so that nothing else has to wait long. */
const ROWS_AT_ONCE = 1000;

export const draftsFolder = (projectPath: string): string => join(projectPath, '.dailies', 'drafts');

/** Makes the folder; a link in its place would let whoever planted it choose where drafts are written. */
export async function makeDraftsFolder(projectPath: string): Promise<string> {
  const folder = draftsFolder(projectPath);
  try {
    await mkdir(folder);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    if (!(await lstat(folder)).isDirectory()) {
      throw new RefusedError('project_link', `${folder} is not a folder of ours.`, 'Remove it and try again.');
    }
  }
  return folder;
}

const editsPath = (folder: string, id: string): string => jsonPath(folder, id).replace(/json$/, 'edits');
const sourcePath = (folder: string, id: string): string => jsonPath(folder, id).replace(/json$/, 'source');

/** Ids of the drafts of a project, oldest first: ids grow with time. */
export async function draftIds(projectPath: string): Promise<string[]> {
  const names = await readdir(draftsFolder(projectPath)).catch(() => []);
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}

/** Writes a draft as it was opened; what was edited before is dropped. */
export async function writeDraft(projectPath: string, draft: DraftFile, source: Uint8Array | null): Promise<void> {
  const folder = await makeDraftsFolder(projectPath);
  if (source !== null) await writeBytes(sourcePath(folder, draft.id), source);
  await rm(editsPath(folder, draft.id), { force: true });
  await replaceFile(jsonPath(folder, draft.id), textOf(draft));
}

async function writeBytes(path: string, bytes: Uint8Array): Promise<void> {
  // Ids are ours and new, so nothing can lie there yet, a link least of all.
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}

async function* textOf({ rows, ...facts }: DraftFile): AsyncGenerator<string> {
  yield `${JSON.stringify(facts).slice(0, -1)},"rows":[`;
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const lines = rows.slice(start, start + ROWS_AT_ONCE).map((row) => `\n${JSON.stringify(row)}`);
    yield `${start === 0 ? '' : ','}${lines.join(',')}`;
    await nextTurn();
  }
  yield '\n]}\n';
}

/** Adds one step to the journal; it outlives the process. */
export async function appendStep(projectPath: string, id: string, step: DraftStep): Promise<void> {
  await appendFile(editsPath(draftsFolder(projectPath), id), `${JSON.stringify(step)}\n`, { flush: true });
}

/** A draft with the steps since, or null when it is not there or cannot be read. */
export async function readDraft(
  projectPath: string,
  id: string,
): Promise<{ readonly draft: DraftFile; readonly steps: readonly DraftStep[] } | null> {
  const folder = draftsFolder(projectPath);
  const read = await readJson(jsonPath(folder, id), DraftFile, MAX_BYTES);
  if ('problem' in read || read.value.id !== id) return null;
  return { draft: read.value, steps: await readSteps(editsPath(folder, id)) };
}

/** Every whole step. A last one that was cut off by the end of the process is taken away, so that others can follow. */
async function readSteps(path: string): Promise<DraftStep[]> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0 || size > MAX_BYTES) return [];
  const text = await readFile(path, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole));
  const steps: DraftStep[] = [];
  for (const line of whole.split('\n')) {
    if (line === '') continue;
    const step = DraftStep.safeParse(jsonOf(line));
    // What comes after a step that is not understood was made on top of it.
    if (!step.success) break;
    steps.push(step.data);
  }
  return steps;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The bytes a draft was opened from; null when there are none. */
export async function readSource(projectPath: string, id: string): Promise<Uint8Array | null> {
  return readFile(sourcePath(draftsFolder(projectPath), id)).catch(() => null);
}

export async function removeDraft(projectPath: string, id: string): Promise<void> {
  const folder = draftsFolder(projectPath);
  for (const path of [jsonPath(folder, id), editsPath(folder, id), sourcePath(folder, id)]) {
    await rm(path, { force: true });
  }
}
