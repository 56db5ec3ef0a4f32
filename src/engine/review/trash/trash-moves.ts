import { messageFor } from '../../../contract/messages/message.ts';
import { RefusedError } from '../../base/errors.ts';
import { numberedName, placeWithoutLinks } from '../../downloads/publish.ts';
import { toFolder, notOurs, toPath, placeIn, ProjectFileError, type Place } from '../../files/place.ts';
import { isOwnFile, look, makeFolder, removeFile } from '../../files/project-files.ts';

const MAX_NAMES = 10_000;

export interface TwoPlaces {
  readonly number: number;
  readonly home: Place;
  readonly trash: Place;
}

/** Size of our file at a place, bytes; null if there is none. Throws ProjectFileError for anything else. */
async function bytesAt(place: Place): Promise<number | null> {
  const found = await look(place);
  if (found === null) return null;
  if (!isOwnFile(found)) throw notOurs(place, found, 'file');
  // An empty file only reserves the name: a killed move left it there.
  return found.size === 0 ? null : found.size;
}

/** Moves a file and never replaces another. Returns its size, bytes; null if it is in neither place. */
async function move(from: Place, to: Place): Promise<number | null> {
  const bytes = await bytesAt(from);
  if (bytes === null) return bytesAt(to);
  await makeFolder(toFolder(to));
  if (!(await placeWithoutLinks(from, to))) throw new NameTakenError(to);
  return bytes;
}

class NameTakenError extends RefusedError {
  constructor(place: Place) {
    super('name_taken', messageFor('trash.nameTaken', { path: toPath(place) }), messageFor('trash.moveItAway'));
  }
}

/**
 * Moves a file into the trash by renaming it, so that it is always in exactly one place. `repeats`: a kill interrupted
 * the move and the file may be in the trash already; a file with its old name is then another one. Returns its size,
 * bytes; null if it is in neither place.
 */
export async function moveIn({ home, trash }: TwoPlaces, { repeats = false } = {}): Promise<number | null> {
  return (repeats ? await bytesAt(trash) : null) ?? move(home, trash);
}

/** Restores a file to its own place, which was free when it was chosen; see `freeHome`. */
export const moveOut = ({ home, trash }: TwoPlaces): Promise<number | null> => move(trash, home);

export async function moveBack({ home, trash }: TwoPlaces, to: 'home' | 'trash'): Promise<void> {
  // A place that is not part of the project contains nothing of ours.
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

/** Where a file can be restored: its own place, or the next free name beside it. */
export async function freeHome({ home, trash }: TwoPlaces): Promise<Place> {
  // Only an existing file needs a place.
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

/** Deletes a file from the trash. Returns the bytes freed; null if there was none. */
export async function removeForGood({ trash }: TwoPlaces): Promise<number | null> {
  const found = await look(trash);
  if (found === null) return null;
  await removeFile(trash);
  return isOwnFile(found) ? found.size : 0;
}

/** The places of a file; `home` is relative to the project. Throws ProjectFileError if it leads out of the folder. */
export const twoPlaces = (project: string, number: number, home: string, trash: string): TwoPlaces => ({
  number,
  home: placeIn(project, home),
  trash: placeIn(project, trash),
});
