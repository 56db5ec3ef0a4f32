import { Clipping, type ClippingPage } from '../../../contract/tool.ts';
import { refused, type RefusedError } from '../../base/errors.ts';
import { canNameAFile, fileFor, jsonNames, readJson } from '../../files/json-files.ts';
import { type Place, placeIn } from '../../files/place.ts';
import { look, makeFolder, removeFile, replaceFile } from '../../files/project-files.ts';

const MAX_BYTES = 4 * 1000 ** 2;

/** Of all clippings that are read at once. */
const MAX_BYTES_AT_ONCE = 64 * 1000 ** 2;

const folderFor = (projectPath: string): Place => placeIn(projectPath, '.dailies/clippings');

export async function putClipping(projectPath: string, clipping: Clipping): Promise<void> {
  if (!canNameAFile(clipping.id)) throw unknownClipping();
  await makeFolder(folderFor(projectPath));
  await replaceFile(fileFor(folderFor(projectPath), clipping.id), `${JSON.stringify(clipping, null, 2)}\n`);
}

/** A clipping as it is kept; null where there is none that can be read. */
export async function readClipping(projectPath: string, id: string): Promise<Clipping | null> {
  if (!canNameAFile(id)) throw unknownClipping();
  const read = await readJson(fileFor(folderFor(projectPath), id), Clipping, MAX_BYTES);
  return 'value' in read && read.value.id === id ? read.value : null;
}

/** At most `limit` clippings and 64 MB of them, the newest first. A file that cannot be read is left out and unchanged. */
export async function clippingsFor(projectPath: string, limit: number): Promise<ClippingPage> {
  const folder = folderFor(projectPath);
  const ids = (await jsonNames(folder).catch(() => [])).map((name) => name.slice(0, -'.json'.length));
  // Ids increase with time.
  const newest = ids.filter(canNameAFile).slice(-limit).reverse();
  const found: Clipping[] = [];
  let left = MAX_BYTES_AT_ONCE;
  for (const id of newest) {
    const file = fileFor(folder, id);
    const bytes = (await look(file))?.size ?? 0;
    if (bytes > MAX_BYTES) continue;
    left -= bytes;
    if (left < 0) break;
    const clipping = await readClipping(projectPath, id);
    if (clipping) found.push(clipping);
  }
  return { clippings: found.sort((a, b) => b.at - a.at), total: ids.length };
}

export async function removeClipping(projectPath: string, id: string): Promise<void> {
  if (!canNameAFile(id)) throw unknownClipping();
  await removeFile(fileFor(folderFor(projectPath), id));
}

const unknownClipping = (): RefusedError =>
  refused('unknown_clipping', 'failure.noSuchClipping', 'remedy.openListAgain');
