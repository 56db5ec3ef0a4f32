import { messageFor } from '../../../contract/messages/message.ts';
import type { Output } from '../../../contract/take.ts';
import { RefusedError } from '../../base/errors.ts';
import { numberedName } from '../../downloads/folder-names.ts';
import { placeWithoutLinks } from '../../downloads/publish.ts';
import { folderOf, notOurs, pathOf, placeIn, ProjectFileError, type Place } from '../../files/place.ts';
import { isOwnFile, look, makeFolder, removeFile } from '../../files/project-files.ts';

/** More equal names than this in one folder mean that something else is wrong. */
const MAX_NAMES = 10_000;

/** One file of a take, in its own place and in the trash. */
export interface TwoPlaces {
  readonly number: Output['number'];
  readonly home: Place;
  readonly trash: Place;
}

/** Bytes of the own file at a place; null when there is none. Throws ProjectFileError for anything else. */
async function bytesAt(place: Place): Promise<number | null> {
  const found = await look(place);
  if (found === null) return null;
  if (!isOwnFile(found)) throw notOurs(place, found, 'file');
  // An empty file is a name that a move cut off by a kill had taken.
  return found.size === 0 ? null : found.size;
}

/** Moves a file, never over another one. Returns its bytes in the new place; null when it is in neither. */
async function move(from: Place, to: Place): Promise<number | null> {
  const bytes = await bytesAt(from);
  if (bytes === null) return bytesAt(to);
  await makeFolder(folderOf(to));
  if (!(await placeWithoutLinks(from, to))) throw new NameTakenError(to);
  return bytes;
}

/** Another file has the name. */
class NameTakenError extends RefusedError {
  constructor(place: Place) {
    super('name_taken', messageFor('trash.nameTaken', { path: pathOf(place) }), messageFor('trash.moveItAway'));
  }
}

/**
 * Puts a file into the trash: a change of its name, so at every moment it is in one of the two places. `repeats`: after a
 * kill, which may have come behind the move; what has the name of the file by now is another one. Returns its bytes;
 * null when it is in neither place.
 */
export async function moveIn({ home, trash }: TwoPlaces, { repeats = false } = {}): Promise<number | null> {
  return (repeats ? await bytesAt(trash) : null) ?? move(home, trash);
}

/** Restores a file to its own place, which was free when it was chosen; see `freeHome`. */
export const moveOut = ({ home, trash }: TwoPlaces): Promise<number | null> => move(trash, home);

/** Undoes what there is to undo of a move. */
export async function moveBack({ home, trash }: TwoPlaces, to: 'home' | 'trash'): Promise<void> {
  // In what is not the project's own there is nothing of ours.
  const isInTrash = await bytesAt(trash).then(
    (bytes) => bytes !== null,
    (error: unknown) => {
      if (error instanceof ProjectFileError) return false;
      throw error;
    },
  );
  if (isInTrash && to === 'home') await move(trash, home);
  if (!isInTrash && to === 'trash') await move(home, trash);
}

/** Where a file can be restored to: its own place, or the next free name beside it. */
export async function freeHome({ home, trash }: TwoPlaces): Promise<Place> {
  // Only a file that is there needs a place.
  if ((await bytesAt(trash)) === null) return home;
  const name = home.names.at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ''];
  for (let attempt = 1; attempt <= MAX_NAMES; attempt += 1) {
    const numbered = numberedName(stem, extension, attempt).replace(/\.$/, '');
    const place = { ...home, names: [...home.names.slice(0, -1), attempt === 1 ? name : numbered] };
    const found = await look(place);
    if (found === null || (isOwnFile(found) && found.size === 0)) return place;
  }
  throw new NameTakenError(home);
}

/** Removes a file from the trash for good. Returns the bytes that this freed; null when there was none. */
export async function removeForGood({ trash }: TwoPlaces): Promise<number | null> {
  const found = await look(trash);
  if (found === null) return null;
  await removeFile(trash);
  return isOwnFile(found) ? found.size : 0;
}

/** The places of a file. `home` is relative to the project folder. Throws ProjectFileError for one that leads out of it. */
export const twoPlaces = (project: string, number: number, home: string, trash: string): TwoPlaces => ({
  number,
  home: placeIn(project, home),
  trash: placeIn(project, trash),
});
