import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseBoundedJson } from '../../contract/json.ts';
import * as z from 'zod';
import { TakeOrder } from '../../contract/batch.ts';
import { ShotSpec } from '../../contract/shot.ts';
import { givingWay } from '../base/slices.ts';
import { fileOf, jsonNames, readJson, type JsonRead } from './json-files.ts';
import { below, type Place } from './place.ts';
import { ownFolders } from './project-folder.ts';
import { readBeginning, readFile, replaceFile } from './project-files.ts';

/** `.dailies/batches/<batch id>.json`: a batch as imported, with enough to continue it on another machine. */
export const BatchFile = z.object({
  format: z.literal(1),
  id: z.string().min(1),
  name: z.string(),
  /** Folder of its takes, relative to the project folder, with forward slashes. */
  folder: z.string(),
  /** Absolute folder of the shot list. Local paths in cells are relative to it. */
  listFolder: z.string(),
  /** Where the list came from, to show: a file name, or `stdin`. */
  source: z.string(),
  createdAt: z.number(),
  nameTemplate: z.string(),
  /** The order in which its takes are sent. */
  order: TakeOrder.default('list'),
  /** When a data folder last changed it, ms: the later of two counts. Files of earlier releases leave it out. */
  changedAt: z.number().min(0).max(8.64e15).default(0),
  /** The row of each shot in the list; files of earlier releases leave it out. */
  rows: z.array(z.int().min(1)).optional(),
  shots: z.array(ShotSpec),
  /** Defaults of the list, by column, for rows that leave the column empty. */
  defaults: z.record(z.string(), z.string()).optional(),
});
export type BatchFile = z.infer<typeof BatchFile>;

/** Enough for 100,000 shots with long prompts. */
const MAX_BYTES = 1000 ** 3;
/** Shots serialized at a time, so that nothing else waits long. */
const SHOTS_AT_ONCE = 500;
/** What comes before the rows of a batch file, before its first shot, and after the last. */
const ROWS = '  "rows": [';
const SHOTS = '  "shots": [';
const END = '\n  ]\n}\n';

/** Writes a batch as a whole, replacing the earlier file. One shot a line makes two files easy to compare. */
export async function writeBatchFile(projectPath: string, batch: BatchFile): Promise<void> {
  await replaceFile(fileOf(ownFolders(projectPath).batches, batch.id), textOf(batch));
}

/** The name and defaults in a batch file; null if it cannot be read. */
export async function readBatchFacts(
  projectPath: string,
  batchId: string,
): Promise<Pick<BatchFile, 'name' | 'defaults'> | null> {
  const place = fileOf(ownFolders(projectPath).batches, batchId);
  const read = await readJson(place, BatchFile.pick({ name: true, defaults: true }), MAX_BYTES);
  return 'value' in read ? read.value : null;
}

/** What a batch file says of its batch before the rows. */
const BatchHead = BatchFile.pick({ id: true, name: true, folder: true, changedAt: true });
export type BatchHead = z.infer<typeof BatchHead>;

/** Far more than comes before the rows of a list with few defaults, bytes. */
const MOST_OF_HEAD = 64 * 1024;

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

/** The beginning of the file of one batch. */
export const readBatchHead = (projectPath: string, batchId: string): Promise<BatchHead | null> =>
  readHead(fileOf(ownFolders(projectPath).batches, batchId));

async function readHead(place: Place): Promise<BatchHead | null> {
  try {
    const text = (await readBeginning(place, MOST_OF_HEAD)).toString('utf8');
    const [end = -1] = [ROWS, SHOTS].map((marker) => text.indexOf(`,\n${marker}`)).filter((at) => at !== -1);
    return end === -1 ? null : BatchHead.parse(parseBoundedJson(`${text.slice(0, end)}\n}`));
  } catch {
    return null;
  }
}

/** The defaults of a batch's list; empty if its file cannot be read. */
export async function readBatchDefaults(projectPath: string, batchId: string): Promise<Record<string, string>> {
  return (await readBatchFacts(projectPath, batchId))?.defaults ?? {};
}

async function* textOf(batch: BatchFile): AsyncGenerator<string> {
  const { shots, rows, ...facts } = batch;
  const head = JSON.stringify(facts, null, 2).slice(0, -2);
  yield `${head},\n${rows ? `${ROWS}${JSON.stringify(rows).slice(1)},\n` : ''}${SHOTS}`;
  for (let start = 0; start < shots.length; start += SHOTS_AT_ONCE) {
    const lines = shots.slice(start, start + SHOTS_AT_ONCE).map((shot) => `\n    ${JSON.stringify(shot)}`);
    yield `${start === 0 ? '' : ','}${lines.join(',')}`;
    await nextTurn();
  }
  yield END;
}

/** Reads the batches whose ids are `wanted`, one by one. A broken or too new file is reported, never removed. */
export async function* readBatchFiles(
  projectPath: string,
  wanted: (batchId: string) => boolean = () => true,
): AsyncGenerator<JsonRead<BatchFile>[]> {
  const { batches } = ownFolders(projectPath);
  for (const name of await jsonNames(batches)) {
    if (!wanted(basename(name, '.json'))) continue;
    const place = below(batches, name);
    const batch = await readByLine(place);
    yield [batch ? { value: batch } : await readJson(place, BatchFile, MAX_BYTES)];
  }
}

/** Reads a batch in the form that `textOf` writes, one shot a line, giving way in between; null for any other form. */
async function readByLine(place: Place): Promise<BatchFile | null> {
  try {
    const text = await readFile(place, MAX_BYTES);
    const start = text.indexOf(SHOTS);
    const end = text.lastIndexOf(END);
    if (start === -1 || end + END.length !== text.length) return null;
    const batch = BatchFile.parse(parseBoundedJson(`${text.toString('utf8', 0, start)}${SHOTS}]}`));
    const giveWay = givingWay();
    for (let at = start + SHOTS.length; at < end;) {
      const lineEnd = text.indexOf('\n', at + 1);
      const line = text.toString('utf8', at, lineEnd).replace(/,$/, '');
      batch.shots.push(ShotSpec.parse(parseBoundedJson(line)));
      at = lineEnd;
      const turn = giveWay();
      if (turn) await turn;
    }
    return batch;
  } catch {
    // `readJson` then reads the whole file and reports the problem.
    return null;
  }
}
