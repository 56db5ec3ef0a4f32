import * as z from 'zod';
import { Cut, MAX_CUTS } from '../../contract/cut.ts';
import type { Stores } from '../db/stores.ts';
import { foldName } from '../downloads/publish.ts';
import { safeName } from '../downloads/take-path.ts';
import { jsonNames, readJson, type FileProblem } from '../files/json-files.ts';
import { below, type Place } from '../files/place.ts';
import { makeFolder, removeFile, replaceFile } from '../files/project-files.ts';
import { ownFolders } from '../files/project-folder.ts';

/** `.dailies/cuts/<name>.json`: a cut, for another machine or data folder that opens the project. */
const CutFile = z.object({
  format: z.literal(1),
  /** When it was changed, ms: the later of two counts. */
  at: z.number().int().min(1).max(8.64e15),
  cut: Cut,
});

/** Far more than the longest cut needs. */
const MAX_BYTES = 16 * 1000 ** 2;

type Folder = { readonly id: string; readonly path: string };

/** Two cuts of one project whose names give the same are one. Pure. */
const cutFileName = (name: string): string => `${safeName(name, 'cut')}.json`;
const isSameFile = (one: string, other: string): boolean => foldName(cutFileName(one)) === foldName(cutFileName(other));

/** The cut whose file a cut of this name would have. */
export const cutBeside = ({ cuts }: Pick<Stores, 'cuts'>, projectId: string, name: string): Cut | null =>
  cuts.list(projectId).find((each) => isSameFile(each.name, name)) ?? null;

const fileOf = (path: string, name: string): Place => below(ownFolders(path).cuts, cutFileName(name));

/** Writes what the folder of a project lacks. Throws ProjectFileError, or the system's error. */
export async function writeCuts({ cuts }: Pick<Stores, 'cuts'>, { id, path }: Folder): Promise<void> {
  const changes = cuts.unwritten(id);
  if (changes.some(({ cut }) => cut !== null)) await makeFolder(ownFolders(path).cuts);
  for (const change of changes) {
    const { name, cut, changedAt: at } = change;
    if (cut === null) await removeFile(fileOf(path, name));
    else await replaceFile(fileOf(path, name), `${JSON.stringify({ format: 1, at, cut })}\n`);
    cuts.written(id, change);
  }
}

/** Takes over cuts that another data folder changed since. Removes none. Returns why some cannot be read. */
export async function adoptCuts(stores: Pick<Stores, 'cuts'>, { id, path }: Folder): Promise<FileProblem[]> {
  const { cuts } = ownFolders(path);
  const problems: FileProblem[] = [];
  for (const name of (await jsonNames(cuts)).slice(0, MAX_CUTS)) {
    const read = await readJson(below(cuts, name), CutFile as z.ZodType<z.infer<typeof CutFile>>, MAX_BYTES);
    if ('problem' in read) problems.push(read.problem);
    // A file under another name than that of its cut is a copy that a person made.
    else if (foldName(cutFileName(read.value.cut.name)) === foldName(name)) adopt(stores, id, read.value);
  }
  return problems;
}

function adopt(stores: Pick<Stores, 'cuts'>, projectId: string, { cut, at }: z.infer<typeof CutFile>): void {
  const { name } = cut;
  const other = cutBeside(stores, projectId, name);
  const isOther = other !== null && other.name !== name;
  const isFull = other === null && stores.cuts.list(projectId).length >= MAX_CUTS;
  if (isOther || isFull || at <= stores.cuts.changedAt(projectId, name)) return;
  stores.cuts.save(projectId, { name, cut, changedAt: at }, true);
}
