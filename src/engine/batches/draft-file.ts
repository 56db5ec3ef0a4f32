import { setImmediate as nextTurn } from 'node:timers/promises';
import { parsedJson } from '../../contract/json.ts';
import * as z from 'zod';
import { DraftEdit } from '../../contract/batch.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import { Defect } from '../../contract/shot.ts';
import { canNameAFile, fileOf, jsonNames, readJson } from '../files/json-files.ts';
import { systemCode } from '../base/errors.ts';
import { below, ProjectFileError, type Place } from '../files/place.ts';
import {
  appendToFile,
  look,
  makeFolder,
  moveFile,
  openFile,
  readFile,
  removeFile,
  replaceFile,
} from '../files/project-files.ts';
import { ownFolders } from '../files/project-folder.ts';

/**
 * `.dailies/drafts/<draft id>.json`: a list as it was opened. Its edits since are in a file beside it, a line for each.
 */
export const DraftFile = z.object({
  format: z.literal(1),
  id: z.string().min(1),
  /** Suggested name of the batch. */
  name: z.string(),
  /** The name that a person chose. */
  chosenName: z.string().nullish(),
  source: z.string(),
  /** Absolute folder that local paths in cells are relative to; null for the project's own. */
  listFolder: z.string().nullable(),
  createdAt: z.number(),
  /** Batch whose shots these are, where they were read from one. */
  batchId: z.string().nullish(),
  encoding: z.string().nullable(),
  delimiter: z.string().nullable(),
  sheet: z.string().nullable(),
  sheets: z.array(z.string()),
  /** Revision of the list in this file. */
  revision: z.int(),
  kind: Kind.nullable(),
  mapping: z.record(z.string(), z.string()),
  defaults: z.record(z.string(), z.string()).optional(),
  /** What reading found wrong; `row` is the place in `rows` plus 2, or less for what concerns the list. */
  defects: z.array(Defect),
  headers: z.array(z.string()),
  rows: z.array(z.array(z.string())),
});
export type DraftFile = z.infer<typeof DraftFile>;

/** One line of the journal beside it. */
export const DraftStep = z.union([
  /** `id`: by which its sender knows it, and may ask again whether it was made. */
  z.object({ edit: DraftEdit, id: z.string().optional() }),
  z.object({ undo: z.literal(true) }),
  z.object({ redo: z.literal(true) }),
  /** A person chose a name for its batch. */
  z.object({ named: z.string() }),
  /** It was started as a batch. */
  z.object({ started: z.literal(true), batch: z.string().optional() }),
]);
export type DraftStep = z.infer<typeof DraftStep>;

const MAX_BYTES = 1000 ** 3;
/** Of a journal, which is read as one text. */
const MAX_JOURNAL_BYTES = 500 * 1000 ** 2;
/** The newest drafts, far more than a project keeps: a folder from elsewhere may hold any number. */
const MOST_READ = 200;
/** Rows turned into text in one go, so that nothing else has to wait long. */
const ROWS_AT_ONCE = 1000;

/** The three files of a draft: the list as it was opened, the journal of its steps, and the bytes it was read from. */
function filesOf(projectPath: string, id: string): Record<'list' | 'edits' | 'source', Place> {
  const { drafts } = ownFolders(projectPath);
  return { list: fileOf(drafts, id), edits: fileOf(drafts, id, 'edits'), source: fileOf(drafts, id, 'source') };
}

/** Ids of the drafts of a project, oldest first: ids grow with time. Of more than `MOST_READ`, the newest. */
export async function draftIds(projectPath: string): Promise<string[]> {
  const names = await jsonNames(ownFolders(projectPath).drafts).catch((error: unknown) => {
    // A folder that cannot be read just now, as on a disk that is away, has no drafts to offer.
    if (error instanceof ProjectFileError) throw error;
    return [];
  });
  return names
    .map((name) => name.slice(0, -'.json'.length))
    .filter(canNameAFile)
    .slice(-MOST_READ);
}

/** Writes a draft as it was opened, and drops its earlier edits. */
export async function writeDraft(projectPath: string, draft: DraftFile, source: Uint8Array | null): Promise<void> {
  const { list, edits, source: bytes } = filesOf(projectPath, draft.id);
  await makeFolder(ownFolders(projectPath).drafts);
  if (source !== null) await replaceFile(bytes, source);
  await removeFile(edits);
  await replaceFile(list, textOf(draft));
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
  await appendToFile(filesOf(projectPath, id).edits, `${JSON.stringify(step)}\n`);
}

/** A draft with the steps since, or null when it is not there or cannot be read. Rejects with ProjectFileError. */
export async function readDraft(
  projectPath: string,
  id: string,
): Promise<{ readonly draft: DraftFile; readonly steps: readonly DraftStep[] } | null> {
  const { list, edits } = filesOf(projectPath, id);
  const read = await readJson(list, DraftFile, MAX_BYTES);
  if ('problem' in read && read.problem.cause instanceof ProjectFileError) throw read.problem.cause;
  if ('problem' in read || read.value.id !== id) return null;
  const steps = await readSteps(edits);
  return steps && { draft: read.value, steps };
}

/**
 * Every whole step; null when there are too many to read. Removes a last one that the end of the process cut off, so
 * that others can follow.
 */
async function readSteps(edits: Place): Promise<DraftStep[] | null> {
  if ((await look(edits)) === null) return [];
  const { handle, bytes } = await openFile(edits, 'write');
  try {
    if (bytes > MAX_JOURNAL_BYTES) return null;
    const text = await handle.readFile('utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) await handle.truncate(Buffer.byteLength(whole));
    return stepsIn(whole);
  } finally {
    await handle.close();
  }
}

function stepsIn(text: string): DraftStep[] {
  const steps: DraftStep[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const step = DraftStep.safeParse(parsedJson(line));
    // What comes after a step that is not understood was made on top of it.
    if (!step.success) break;
    steps.push(step.data);
  }
  return steps;
}

/** The bytes a draft was opened from; null when there are none. */
export async function readSource(projectPath: string, id: string): Promise<Uint8Array | null> {
  const { source } = filesOf(projectPath, id);
  return (await look(source)) === null ? null : readFile(source, MAX_BYTES);
}

export async function removeDraft(projectPath: string, id: string): Promise<void> {
  for (const place of Object.values(filesOf(projectPath, id))) await removeFile(place);
}

/** Discarded drafts that can be restored; of more, the oldest are removed. */
const MOST_DISCARDED = 50;

/** Moves the files of a draft to the discarded ones. */
export async function discardDraft(projectPath: string, id: string): Promise<void> {
  await makeFolder(discardedIn(projectPath));
  // The list first: a draft without it is none, so a kill leaves it whole or discarded.
  for (const [from, to] of movesOf(projectPath, id)) await moveFile(from, to).catch(unlessAbsent);
  const names = (await jsonNames(discardedIn(projectPath))).map((name) => name.slice(0, -'.json'.length));
  for (const old of names.filter(canNameAFile).slice(0, -MOST_DISCARDED)) {
    for (const [, place] of movesOf(projectPath, old)) await removeFile(place);
  }
}

/** Moves the files of a discarded draft back. False when there are none. */
export async function restoreDraft(projectPath: string, id: string): Promise<boolean> {
  const [list, ...others] = movesOf(projectPath, id);
  for (const [to, from] of others) await moveFile(from, to).catch(unlessAbsent);
  const [to, from] = list;
  return moveFile(from, to).then(
    () => true,
    (error: unknown) => {
      unlessAbsent(error);
      return false;
    },
  );
}

const discardedIn = (projectPath: string): Place => below(ownFolders(projectPath).drafts, 'discarded');

/** The files of a draft with their places among the discarded ones, the list first. */
function movesOf(projectPath: string, id: string): [Move, Move, Move] {
  const { list, edits, source } = filesOf(projectPath, id);
  const folder = discardedIn(projectPath);
  return [
    [list, fileOf(folder, id)],
    [edits, fileOf(folder, id, 'edits')],
    [source, fileOf(folder, id, 'source')],
  ];
}

type Move = readonly [draft: Place, discarded: Place];

function unlessAbsent(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error;
}
