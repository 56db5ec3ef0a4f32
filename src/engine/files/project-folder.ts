import { messageFor } from '../../contract/messages/message.ts';
import { basename, resolve } from 'node:path';
import { v7 as newId } from 'uuid';
import { parseBoundedJson } from '../../contract/json.ts';
import * as z from 'zod';
import { DailiesError, toText, systemCode, refused, RefusedError } from '../base/errors.ts';
import type { Clock } from '../base/ports.ts';
import { FileInCloudError, toPath, placeIn, ProjectFileError, type Place } from './place.ts';
import {
  isSameFolder,
  makeFolder,
  makeProjectFolder,
  proveWritable,
  readFile,
  removeAbandoned,
  replaceFile,
} from './project-files.ts';

/** The newest project format that this version writes and reads. */
const FORMAT = 1;

/** `.dailies/project.json`, which marks a folder as a project. */
const ProjectFile = z.object({
  format: z.int().min(1),
  /** Stays the same when the folder is moved or copied. */
  id: z.string().min(1),
  name: z.string(),
  createdAt: z.number(),
});

export interface ProjectFolder {
  /** Absolute. */
  readonly path: string;
  /** Stays the same when the folder is moved or copied. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export function ownFolders(path: string) {
  const own = placeIn(path, '.dailies');
  return {
    own,
    parts: placeIn(path, '.dailies/parts'),
    takes: placeIn(path, '.dailies/takes'),
    batches: placeIn(path, '.dailies/batches'),
    /** Lists that are being edited. Created with the first one. */
    drafts: placeIn(path, '.dailies/drafts'),
    /** Lists of batches as they were written. */
    lists: placeIn(path, '.dailies/lists'),
    /** Frames of films that other shots start from. Created with the first one. */
    frames: placeIn(path, '.dailies/frames'),
    /** Cuts by name, and the sound files that were added to them. Created with the first one. */
    cuts: placeIn(path, '.dailies/cuts'),
    music: placeIn(path, '.dailies/music'),
  };
}

const projectFile = (path: string): Place => placeIn(path, '.dailies', 'project.json');
/** Far more than the file ever needs. */
const MAX_PROJECT_FILE_BYTES = 1000 ** 2;

/** Opens a project folder, or makes one of a folder. Throws RefusedError, or ProjectFileError for a link. */
export async function openProjectFolder(path: string, clock: Clock): Promise<ProjectFolder> {
  const root = resolve(path);
  const { own, parts, takes, batches } = ownFolders(root);
  try {
    await makeProjectFolder(root);
    for (const folder of [own, parts, takes, batches]) await makeFolder(folder);
    await proveWritable(own);
    for (const folder of [own, parts, takes, batches]) await removeAbandoned(folder, clock.now());
  } catch (error) {
    throw asProblem(error, root);
  }
  const file = await readOrCreate(root, clock);
  return { path: root, id: file.id, name: file.name, createdAt: file.createdAt };
}

/** Refuses a copy while the project is at its known path: ids of takes would mix. A moved folder is no copy. */
export async function refuseCopy(folder: ProjectFolder, knownPath: string): Promise<void> {
  if ((await idOfProjectAt(knownPath)) !== folder.id || (await isSameFolder(folder.path, knownPath))) return;
  const text = messageFor('failure.projectCopied', { folder: folder.path, name: folder.name, path: knownPath });
  throw refused('project_copied', text);
}

/** Null if no project can be read there: the folder is then not the same project. */
export async function idOfProjectAt(path: string): Promise<string | null> {
  try {
    return (await readProjectAt(resolve(path))).file.id;
  } catch (error) {
    if (error instanceof FileInCloudError) throw error;
    return null;
  }
}

/** Throws RefusedError if the folder is no project, or another one. */
export async function checkIsProject(path: string, projectId: string): Promise<void> {
  const remedy = messageFor('remedy.chooseMovedFolder');
  const { file } = await readProjectAt(resolve(path)).catch((error: unknown) => {
    if (error instanceof ProjectFileError || error instanceof RefusedError) throw error;
    throw refused('not_a_project', messageFor('failure.notAProject', { path }), remedy, { cause: error });
  });
  if (file.id === projectId) return;
  throw refused('other_project', messageFor('failure.otherProject', { path }), remedy);
}

function asProblem(error: unknown, root: string): Error {
  if (error instanceof ProjectFileError) return error;
  const code = systemCode(error);
  if (code === 'EEXIST' || code === 'ENOTDIR') {
    const text = messageFor('failure.notAFolder', { folder: root });
    return refused('project_not_a_folder', text, 'remedy.chooseOtherFolder', { cause: error });
  }
  const text = messageFor('failure.projectUnwritable', { path: root, reason: toText(error) });
  return refused('project_unwritable', text, 'remedy.makeWritable', { cause: error });
}

async function readOrCreate(root: string, clock: Clock): Promise<z.infer<typeof ProjectFile>> {
  try {
    return (await readProjectAt(root)).file;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT')
      throw error instanceof DailiesError ? error : unreadable(toPath(projectFile(root)), error);
    const created = { format: FORMAT, id: newId(), name: basename(root), createdAt: clock.now() };
    await replaceFile(projectFile(root), `${JSON.stringify(created, null, 2)}\n`);
    return created;
  }
}

/** Writes the name of a project into its file, as a whole or not at all. Does nothing if the name is the same. */
export async function nameProject(path: string, id: string, name: string): Promise<void> {
  const { place, text, file } = await readProjectAt(path);
  if (file.id !== id) throw unreadable(toPath(place), null);
  if (file.name === name) return;
  // Keeps fields that a later version added.
  const all = parseBoundedJson(text) as object;
  await replaceFile(place, `${JSON.stringify({ ...all, name }, null, 2)}\n`);
}

async function readProjectAt(path: string) {
  const place = projectFile(path);
  const text = (await readFile(place, MAX_PROJECT_FILE_BYTES)).toString('utf8');
  return { place, text, file: readProject(text, toPath(place)) };
}

function readProject(text: string, path: string): z.infer<typeof ProjectFile> {
  let json: unknown;
  try {
    json = parseBoundedJson(text);
  } catch (error) {
    throw unreadable(path, error);
  }
  const newer = z.object({ format: z.number().gt(FORMAT) }).safeParse(json);
  if (newer.success) {
    const facts = { format: String(newer.data.format), known: String(FORMAT) };
    throw refused('project_newer', messageFor('failure.projectNewer', facts));
  }
  const read = ProjectFile.safeParse(json);
  if (!read.success) throw unreadable(path, read.error);
  return read.data;
}

const unreadable = (path: string, cause: unknown): RefusedError =>
  refused('project_unreadable', messageFor('failure.projectUnreadable', { path }), '', { cause });
