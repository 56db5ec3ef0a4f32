import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { ShotSpec } from '../../contract/shot.ts';
import { fileOf, readAllJson, readJson } from './json-files.ts';
import type { FileProblem } from './json-files.ts';
import { ownFolders } from './project-folder.ts';
import { replaceFile } from './project-files.ts';

/** `.dailies/batches/<batch id>.json`: a batch as it was imported, enough to go on with it on another machine. */
export const BatchFile = z.object({
  format: z.literal(1),
  id: z.string().min(1),
  name: z.string(),
  /** Folder of its takes, relative to the project folder, with forward slashes. */
  folder: z.string(),
  /** Absolute folder of the shot list, which local paths in cells are relative to. */
  listFolder: z.string(),
  /** Where the list came from, for people: a file name, or `stdin`. */
  source: z.string(),
  createdAt: z.number(),
  nameTemplate: z.string(),
  /** Row of the list that each shot stands in; files of earlier releases do not say. */
  rows: z.array(z.int().min(1)).optional(),
  shots: z.array(ShotSpec),
  /** What its list says for rows that do not, by column. */
  defaults: z.record(z.string(), z.string()).optional(),
});
export type BatchFile = z.infer<typeof BatchFile>;

/** A list of 100,000 shots with long prompts. */
const MAX_BYTES = 1000 ** 3;
/** Shots turned into text in one go, so that nothing else has to wait long. */
const SHOTS_AT_ONCE = 500;

/** Writes a batch, replacing the file before as a whole. One shot a line: changes show in a comparison of two files. */
export async function writeBatchFile(projectPath: string, batch: BatchFile): Promise<void> {
  await replaceFile(fileOf(ownFolders(projectPath).batches, batch.id), textOf(batch));
}

/** What the list of a batch says for rows that do not; nothing where its file cannot be read. */
export async function readBatchDefaults(projectPath: string, batchId: string): Promise<Record<string, string>> {
  const place = fileOf(ownFolders(projectPath).batches, batchId);
  const read = await readJson(place, BatchFile.pick({ defaults: true }), MAX_BYTES);
  return 'value' in read ? (read.value.defaults ?? {}) : {};
}

async function* textOf(batch: BatchFile): AsyncGenerator<string> {
  const { shots, rows, ...facts } = batch;
  const head = JSON.stringify(facts, null, 2).slice(0, -2);
  yield `${head},\n${rows ? `  "rows": ${JSON.stringify(rows)},\n` : ''}  "shots": [`;
  for (let start = 0; start < shots.length; start += SHOTS_AT_ONCE) {
    const lines = shots.slice(start, start + SHOTS_AT_ONCE).map((shot) => `\n    ${JSON.stringify(shot)}`);
    yield `${start === 0 ? '' : ','}${lines.join(',')}`;
    await nextTurn();
  }
  yield '\n  ]\n}\n';
}

/** The batches of a project whose ids are `wanted`. A file that is broken or too new is reported and skipped, never removed. */
export async function readBatchFiles(
  projectPath: string,
  wanted?: (batchId: string) => boolean,
): Promise<{ readonly batches: BatchFile[]; readonly problems: FileProblem[] }> {
  const { batches: folder } = ownFolders(projectPath);
  const { values, problems } = await readAllJson(folder, BatchFile, MAX_BYTES, wanted);
  return { batches: values, problems };
}
