import { v7 as uuid } from 'uuid';
import { Clipping, type WebFinding } from '../../../contract/research.ts';
import { RefusedError } from '../../base/errors.ts';
import { canNameAFile, fileOf, jsonNames, readJson } from '../../files/json-files.ts';
import { placeIn, type Place } from '../../files/place.ts';
import { makeFolder, removeFile, replaceFile } from '../../files/project-files.ts';

/** A page of half a million characters, as JSON. */
const MAX_BYTES = 4 * 1000 ** 2;

/** The newest are shown; ids grow with time. */
const MOST_SHOWN = 1000;

const folderOf = (projectPath: string): Place => placeIn(projectPath, '.dailies/clippings');

/** What a person keeps of the web, in the project's own folder: inert text with its address and date. */
export async function keepClipping(
  projectPath: string,
  { finding, askedFor, at }: { finding: WebFinding; askedFor: string; at: number },
): Promise<Clipping> {
  const clipping: Clipping = { format: 1, id: uuid(), ...finding, askedFor, at };
  await putClipping(projectPath, clipping);
  return clipping;
}

/** Writes a clipping as it is: a new one, or one that was removed. */
export async function putClipping(projectPath: string, clipping: Clipping): Promise<void> {
  if (!canNameAFile(clipping.id)) throw unknownClipping();
  await makeFolder(folderOf(projectPath));
  await replaceFile(fileOf(folderOf(projectPath), clipping.id), `${JSON.stringify(clipping, null, 2)}\n`);
}

/** The newest first. A file that cannot be read is left out, and left where it lies. */
export async function clippingsOf(projectPath: string): Promise<Clipping[]> {
  const folder = folderOf(projectPath);
  const names = await jsonNames(folder).catch(() => []);
  const found: Clipping[] = [];
  for (const name of [...names].sort().slice(-MOST_SHOWN)) {
    const id = name.slice(0, -'.json'.length);
    const read = canNameAFile(id) ? await readJson(fileOf(folder, id), Clipping, MAX_BYTES) : null;
    if (read && 'value' in read && read.value.id === id) found.push(read.value);
  }
  return found.sort((a, b) => b.at - a.at);
}

export async function removeClipping(projectPath: string, id: string): Promise<void> {
  if (!canNameAFile(id)) throw unknownClipping();
  await removeFile(fileOf(folderOf(projectPath), id));
}

const unknownClipping = (): RefusedError =>
  new RefusedError('unknown_clipping', 'There is no such clipping.', 'Open the list again.');
