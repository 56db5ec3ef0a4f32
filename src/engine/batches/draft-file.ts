import { parsedJson, listOf } from '../../contract/json.ts';
import * as z from 'zod';
import { DraftEdit } from '../../contract/batch.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import { messageFor, type Message } from '../../contract/messages/message.ts';
import { Defect } from '../../contract/shot.ts';
import { MB } from '../../contract/units.ts';
import { refused, type RefusedError } from '../base/errors.ts';
import { canNameAFile, fileFor, jsonNames, type JsonRead } from '../files/json-files.ts';
import { eachLine, readInLines, textInLines, type LineForm } from '../files/line-files.ts';
import { ProjectFileError, type Place } from '../files/place.ts';
import {
  appendToFile,
  FileTooLargeError,
  look,
  makeFolder,
  openFile,
  readFile,
  removeFile,
  replaceFile,
} from '../files/project-files.ts';
import { ownFolders } from '../files/project-folder.ts';
import { MAX_BYTES, splitIt } from './table.ts';
import { MAX_ROWS } from '../../contract/draft-list.ts';

export const Row = z.array(z.string());

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
  sheets: listOf(z.string(), 10_000),
  /** Revision of the list in this file. */
  revision: z.int(),
  kind: Kind.nullable(),
  mapping: z.record(z.string(), z.string()),
  defaults: z.record(z.string(), z.string()).optional(),
  /** What reading found wrong; `row` is the place in `rows` plus 2, or less for what concerns the list. */
  defects: listOf(Defect, MAX_ROWS),
  headers: listOf(z.string(), 20_000),
  rows: listOf(Row, MAX_ROWS),
});
export type DraftFile = z.infer<typeof DraftFile>;

export const DraftStep = z.union([
  /** `id`: by which its sender knows it, and may ask again whether it was made. */
  z.object({ edit: DraftEdit, id: z.string().optional() }),
  z.object({ undo: z.literal(true) }),
  z.object({ redo: z.literal(true) }),
  z.object({ named: z.string() }),
  z.object({ started: z.literal(true), batch: z.string().optional() }),
  z.object({ discarded: z.boolean() }),
]);
export type DraftStep = z.infer<typeof DraftStep>;

/** Of the list and the journal of one draft together, and of the drafts of a project that are read. */
export const MAX_DRAFT_BYTES = 100 * MB;
/** A list in another form than ours, which is read as a whole, and the longest row and step. */
const MAX_WHOLE_BYTES = 16 * 1000 ** 2;
const BOUNDS = { bytes: MAX_DRAFT_BYTES, lineBytes: MAX_WHOLE_BYTES, lines: MAX_ROWS + 1000, values: 5_000_000 };
const FORM: LineForm = { opening: '"rows":[', field: 'rows', indent: '', ending: '\n]}\n', bounds: BOUNDS };
/** The newest drafts, far more than a project keeps: a folder from elsewhere may hold any number. */
const MAX_READ = 200;

/** The three files of a draft: the list as it was opened, the journal of its steps, and the bytes it was read from. */
function filesFor(projectPath: string, id: string): Record<'list' | 'edits' | 'source', Place> {
  const { drafts } = ownFolders(projectPath);
  return { list: fileFor(drafts, id), edits: fileFor(drafts, id, 'edits'), source: fileFor(drafts, id, 'source') };
}

/** Ids of the drafts of a project, oldest first: ids grow with time. Of more than `MAX_READ`, the newest. */
export async function draftIds(projectPath: string): Promise<string[]> {
  const names = await jsonNames(ownFolders(projectPath).drafts).catch((error: unknown) => {
    // A folder that cannot be read just now, as on a disk that is away, has no drafts to offer.
    if (error instanceof ProjectFileError) throw error;
    return [];
  });
  return names
    .map((name) => name.slice(0, -'.json'.length))
    .filter(canNameAFile)
    .slice(-MAX_READ);
}

/** Writes a draft as it was opened, and drops its earlier edits. Rejects with RefusedError for a list that is too large. */
export async function writeDraft(projectPath: string, draft: DraftFile, source: Uint8Array | null): Promise<void> {
  const { list, edits, source: bytes } = filesFor(projectPath, draft.id);
  await makeFolder(ownFolders(projectPath).drafts);
  try {
    // Checked before the journal of the list that it takes the place of is removed.
    for await (const _text of listInLines(draft));
    if (source !== null) await replaceFile(bytes, source);
    await removeFile(edits);
    await replaceFile(list, listInLines(draft));
  } catch (error) {
    if (!(error instanceof FileTooLargeError)) throw error;
    throw tooLarge(messageFor('failure.listOfDraftTooLarge', { most: MAX_DRAFT_BYTES / MB, rows: MAX_ROWS }));
  }
}

/** The text of a file with a row a line. Throws FileTooLargeError for a list that could not be read again. */
export function listInLines({ rows, ...facts }: Pick<DraftFile, 'rows'>): AsyncGenerator<string> {
  if (rows.length > MAX_ROWS) throw new FileTooLargeError();
  return textInLines(FORM, `${JSON.stringify(facts).slice(0, -1)},"rows":[`, rows);
}

const tooLarge = (problem: Message, remedy = splitIt): RefusedError => refused('list_too_large', problem, remedy);

export async function draftBytes(projectPath: string, id: string): Promise<number> {
  const { list, edits } = filesFor(projectPath, id);
  const found = await Promise.all([look(list), look(edits)]);
  return found.reduce((bytes, each) => bytes + (each?.size ?? 0), 0);
}

/** Adds one step to the journal; it outlives the process. Rejects with RefusedError when the journal is full. */
export async function appendStep(projectPath: string, id: string, step: DraftStep): Promise<void> {
  const line = `${JSON.stringify(step)}\n`;
  const bytes = Buffer.byteLength(line);
  if (bytes > MAX_WHOLE_BYTES || (await draftBytes(projectPath, id)) + bytes > MAX_DRAFT_BYTES)
    throw tooLarge(
      messageFor('failure.tooManyEdits', { most: MAX_DRAFT_BYTES / MB }),
      messageFor('remedy.saveListAndOpen'),
    );
  await appendToFile(filesFor(projectPath, id).edits, line);
}

/** Hands a draft's steps to `take` until that is false. Null without a readable one. Rejects with ProjectFileError. */
export async function readDraft<Result>(
  projectPath: string,
  id: string,
  begin: (draft: DraftFile) => { readonly draft: Result; readonly take: (step: DraftStep) => boolean },
): Promise<Result | null> {
  const { list, edits } = filesFor(projectPath, id);
  if ((await draftBytes(projectPath, id)) > MAX_DRAFT_BYTES) return null;
  const read = await readList(list, DraftFile);
  if ('problem' in read && read.problem.cause instanceof ProjectFileError) throw read.problem.cause;
  if ('problem' in read || read.value.id !== id) return null;
  const { draft, take } = begin(read.value);
  return (await readSteps(edits, take)) ? draft : null;
}

export const readList = <List>(place: Place, schema: z.ZodType<List>): Promise<JsonRead<List>> =>
  readInLines(place, FORM, schema, Row);

/**
 * Hands on every whole step; false when there are too many to read. Removes a last one that the end of the process cut
 * off, so that others can follow.
 */
async function readSteps(edits: Place, take: (step: DraftStep) => boolean): Promise<boolean> {
  if ((await look(edits)) === null) return true;
  const file = await openFile(edits, 'write');
  try {
    let isUnderstood = true;
    const whole = await eachLine(file, BOUNDS, (line) => {
      const step = line === '' ? null : DraftStep.safeParse(parsedJson(line));
      // What comes after a step that is not understood was made on top of it.
      isUnderstood = step === null || (step.success && take(step.data));
      return isUnderstood;
    });
    if (isUnderstood && whole < file.bytes) await file.handle.truncate(whole);
    return true;
  } catch (error) {
    if (error instanceof FileTooLargeError) return false;
    throw error;
  } finally {
    await file.handle.close();
  }
}

/** The bytes a draft was opened from; null when there are none. */
export async function readSource(projectPath: string, id: string): Promise<Uint8Array | null> {
  const { source } = filesFor(projectPath, id);
  return (await look(source)) === null ? null : readFile(source, MAX_BYTES);
}

export async function removeDraft(projectPath: string, id: string): Promise<void> {
  for (const place of Object.values(filesFor(projectPath, id))) await removeFile(place);
}
