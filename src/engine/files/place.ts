import { messageFor } from '../../contract/messages/message.ts';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { DailiesError } from '../base/errors.ts';

/** The path of a file or folder in a project, made of names that cannot lead out of it. */
export interface Place {
  /** Absolute folder of the project. It may be reached through a link, because the person chose it. */
  readonly project: string;
  readonly names: readonly string[];
}

/** The place of `path` (relative, forward slashes) in a project. Throws ProjectFileError if it leads out of it. */
export function placeIn(project: string, ...path: string[]): Place {
  const names = path.flatMap((part) => part.split('/'));
  if (!names.every(isName)) {
    throw new ProjectFileError(messageFor('failure.outsideProject', { path: path.join('/'), project }));
  }
  return { project, names };
}

export const below = (place: Place, ...path: string[]): Place => placeIn(place.project, ...place.names, ...path);

export const toFolder = ({ project, names }: Place): Place => ({ project, names: names.slice(0, -1) });

/** The absolute path of a place, to show or to pass to other programs. We open our own files only by their place. */
export const toPath = ({ project, names }: Place): string => join(project, ...names);

/** On Windows a colon separates a drive or a stream of a file. None of our names has one. */
const isName = (name: string): boolean => !['', '.', '..'].includes(name) && !/[\\:\0]/.test(name);

/** A file or folder in a project is not of the expected type. It was neither read nor written. */
export class ProjectFileError extends DailiesError {
  readonly code = 'project_link';
  readonly remedy = '';
}

/** iCloud left `.name.icloud` in the file's place: it is neither read nor written, and nothing else gets its name. */
export class FileInCloudError extends DailiesError {
  readonly code = 'file_in_cloud';
  readonly remedy = messageFor('remedy.onceDownloaded');

  constructor(place: Place) {
    super(messageFor('failure.fileInCloud', { file: toPath(place) }));
  }
}

/** What the system says of an entry. Its ids are left out: a number rounds those of NTFS. See `identityFor`. */
export type Entry = Omit<Stats, 'dev' | 'ino'>;

export function notOurs(place: Place, found: Entry, needed: 'file' | 'folder'): ProjectFileError {
  return new ProjectFileError(messageFor('failure.notOurs', { path: toPath(place), found: typeName(found), needed }));
}

function typeName(found: Entry): string {
  if (found.isSymbolicLink()) return 'link';
  if (found.isFIFO()) return 'pipe';
  if (found.isSocket()) return 'socket';
  if (found.isDirectory()) return 'folder';
  if (found.isFile()) return found.nlink > 1 ? 'hardLink' : 'file';
  return 'device';
}
