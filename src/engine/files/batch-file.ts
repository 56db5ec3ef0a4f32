import { basename } from 'node:path';
import { parseBoundedJson, listOf } from '../../contract/json.ts';
import * as z from 'zod';
import { TakeOrder } from '../../contract/batch.ts';
import { ShotSpec } from '../../contract/shot.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { isFileHeld, refused } from '../base/errors.ts';
import { fileFor, jsonNames, readJson, type JsonRead } from './json-files.ts';
import { readInLines, textInLines, type LineForm } from './line-files.ts';
import { MAX_KEY, MAX_PATH, MB } from '../../contract/units.ts';
import { below, type Place } from './place.ts';
import { ownFolders } from './project-folder.ts';
import { FileTooLargeError, readBeginning, replaceFile } from './project-files.ts';

const MAX_SHOTS = 250_000;

/** `.dailies/batches/<batch id>.json`: a batch as imported, with enough to continue it on another machine. */
export const BatchFile = z.object({
  format: z.literal(1),
  id: z.string().min(1).max(MAX_KEY),
  name: z.string().max(MAX_KEY),
  /** Folder of its takes, relative to the project folder, with forward slashes. */
  folder: z.string().max(MAX_PATH),
  /** Absolute folder of the shot list. Local paths in cells are relative to it. */
  listFolder: z.string().max(MAX_PATH),
  /** Where the list came from, to show: a file name, or `stdin`. */
  source: z.string().max(MAX_PATH),
  createdAt: z.number(),
  nameTemplate: z.string(),
  order: TakeOrder.default('list'),
  /** When a data folder last changed it, ms: the later of two counts. Files of earlier releases leave it out. */
  changedAt: z.number().min(0).max(8.64e15).default(0),
  /** Of the list as it was written, which lies in `lists`; null or absent where none is kept. */
  listAt: z.number().min(0).max(8.64e15).nullish(),
  /** The row of each shot in the list; files of earlier releases leave it out. */
  rows: listOf(z.int().min(1), MAX_SHOTS).optional(),
  shots: listOf(ShotSpec, MAX_SHOTS),
  /** Defaults of the list, by column, for rows that leave the column empty. */
  defaults: z.record(z.string(), z.string()).optional(),
});
export type BatchFile = z.infer<typeof BatchFile>;

/** A file in another form than ours, which is read as a whole. */
const MAX_WHOLE_BYTES = 16 * 1000 ** 2;
/** What comes before the rows of a batch file, and before its first shot. */
const ROWS = '  "rows": [';
const SHOTS = '  "shots": [';
/** One shot a line makes two files easy to compare. */
const FORM: LineForm = {
  opening: SHOTS,
  field: 'shots',
  indent: '    ',
  ending: '\n  ]\n}\n',
  bounds: { bytes: 100 * MB, lineBytes: MAX_WHOLE_BYTES, lines: MAX_SHOTS + 100_000, values: 5_000_000 },
};

export async function writeBatchFile(projectPath: string, batch: BatchFile): Promise<void> {
  await replaceFile(fileFor(ownFolders(projectPath).batches, batch.id), toText(batch));
}

/** Rejects with RefusedError for shots that are too many or too long for the file of one batch. */
export async function checkFits(shots: readonly ShotSpec[]): Promise<void> {
  try {
    if (shots.length > MAX_SHOTS) throw new FileTooLargeError();
    for await (const _text of textInLines(FORM, SHOTS, shots));
  } catch (error) {
    if (!(error instanceof FileTooLargeError)) throw error;
    const problem = messageFor('failure.batchTooLarge', { most: FORM.bounds.bytes / MB, shots: MAX_SHOTS });
    throw refused('batch_too_large', problem, 'remedy.splitList', { cause: error });
  }
}

/** The name and defaults in a batch file; null if there is none, or what is there is none. */
export async function readBatchFacts(
  projectPath: string,
  batchId: string,
): Promise<Pick<BatchFile, 'name' | 'defaults'> | null> {
  const place = fileFor(ownFolders(projectPath).batches, batchId);
  const facts = BatchFile.pick({ name: true, defaults: true });
  const beginning = await readFacts(place, facts, MAX_WHOLE_BYTES);
  if (beginning) return beginning;
  const read = await readJson(place, facts, MAX_WHOLE_BYTES);
  return 'value' in read ? read.value : null;
}

const BatchHead = BatchFile.pick({ id: true, name: true, folder: true, changedAt: true });
export type BatchHead = z.infer<typeof BatchHead>;

/** Far more than comes before the rows of a list with few defaults, bytes. */
const MAX_OF_HEAD = 64 * 1024;

/** The beginnings of the batch files, by id; null for a file in another form, which only `readBatchFiles` reads. */
export async function readBatchHeads(projectPath: string): Promise<Map<string, BatchHead | null>> {
  const { batches } = ownFolders(projectPath);
  const heads = new Map<string, BatchHead | null>();
  for (const name of await jsonNames(batches)) {
    const id = basename(name, '.json');
    const head = await readHead(below(batches, name));
    heads.set(id, head?.id === id ? head : null);
  }
  return heads;
}

export const readBatchHead = (projectPath: string, batchId: string): Promise<BatchHead | null> =>
  readHead(fileFor(ownFolders(projectPath).batches, batchId));

const readHead = (place: Place): Promise<BatchHead | null> => readFacts(place, BatchHead, MAX_OF_HEAD);

/** Facts from the beginning of a file in our form; null if they are not there. Rejects while it cannot be read. */
async function readFacts<Facts>(place: Place, facts: z.ZodType<Facts>, maxBytes: number): Promise<Facts | null> {
  try {
    const text = (await readBeginning(place, maxBytes)).toString('utf8');
    const [end = -1] = [ROWS, SHOTS].map((marker) => text.indexOf(`,\n${marker}`)).filter((at) => at !== -1);
    return end === -1 ? null : facts.parse(parseBoundedJson(`${text.slice(0, end)}\n}`));
  } catch (error) {
    if (isFileHeld(error)) throw error;
    return null;
  }
}

function toText(batch: BatchFile): AsyncGenerator<string> {
  const { shots, rows, ...facts } = batch;
  const head = JSON.stringify(facts, null, 2).slice(0, -2);
  return textInLines(FORM, `${head},\n${rows ? `${ROWS}${JSON.stringify(rows).slice(1)},\n` : ''}${SHOTS}`, shots);
}

/** Reads the batches whose ids are `wanted`, one by one. A broken or too new file is reported, never removed. */
export async function* readBatchFiles(
  projectPath: string,
  wanted: (batchId: string) => boolean = () => true,
): AsyncGenerator<JsonRead<BatchFile>[]> {
  const { batches } = ownFolders(projectPath);
  for (const name of await jsonNames(batches)) {
    if (wanted(basename(name, '.json'))) yield [await readInLines(below(batches, name), FORM, BatchFile, ShotSpec)];
  }
}
