import { lstat, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { v7 as newId } from 'uuid';
import * as z from 'zod';
import { DailiesError, messageOf, systemCode } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { makeFolder, removeAbandoned, replaceFile, syncFolder, temporaryName } from './durable.ts';

/** Newest project format this version writes and reads. */
const FORMAT = 1;

/** `.dailies/project.json`: what makes a folder a project. */
const ProjectFile = z.object({
  format: z.int().min(1),
  id: z.string().min(1),
  name: z.string(),
  createdAt: z.number(),
});

/** A project folder that is there, ours, and writable. All paths are absolute. */
export interface ProjectFolder {
  readonly path: string;
  /** Stays the same when the folder is moved or copied. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** Downloads under way. */
  readonly partsFolder: string;
  /** One recipe file for each take. */
  readonly takesFolder: string;
  /** One file for each batch, with its shots. */
  readonly batchesFolder: string;
}

export type ProjectFolderProblem =
  | 'project_not_a_folder'
  | 'project_link'
  | 'project_newer'
  | 'project_unreadable'
  | 'project_unwritable'
  | 'project_copied';

/** Why a folder cannot be opened as a project. Nothing in it was changed. */
export class ProjectFolderError extends DailiesError {
  readonly code: ProjectFolderProblem;
  readonly remedy: string;

  constructor(code: ProjectFolderProblem, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }
}

/** Folders of a project below `.dailies`. */
export function projectFolders(path: string): Pick<ProjectFolder, 'partsFolder' | 'takesFolder' | 'batchesFolder'> {
  const own = join(path, '.dailies');
  return { partsFolder: join(own, 'parts'), takesFolder: join(own, 'takes'), batchesFolder: join(own, 'batches') };
}

/** Opens a project folder, making one of any folder that is not a project yet. Throws `ProjectFolderError`. */
export async function openProjectFolder(path: string, clock: Clock): Promise<ProjectFolder> {
  const root = resolve(path);
  const own = join(root, '.dailies');
  const folders = projectFolders(root);
  try {
    await makeFolder(root);
    for (const folder of [own, ...Object.values(folders)]) await makeOwnFolder(folder);
    await proveWritable(own);
    for (const folder of [own, folders.takesFolder, folders.batchesFolder]) await removeAbandoned(folder, clock.now());
  } catch (error) {
    throw asProblem(error, root);
  }
  const file = await readOrCreate(join(own, 'project.json'), root, clock);
  return { path: root, id: file.id, name: file.name, createdAt: file.createdAt, ...folders };
}

/**
 * Refuses a folder that is a copy of a project which is still where it was: takes are known by ids, and two folders with
 * the same ones would mix. A folder that was moved, or is written in another way, is the project itself.
 */
export async function refuseCopy(folder: ProjectFolder, knownPath: string): Promise<void> {
  if ((await idOfProjectAt(knownPath)) !== folder.id || (await isSamePlace(folder.path, knownPath))) return;
  throw new ProjectFolderError(
    'project_copied',
    `${folder.path} is a copy of project “${folder.name}”, which is still at ${knownPath}. Takes of the two would mix, so nothing was opened.`,
    'To work with this copy, move the first folder away or delete it. To begin a project of its own here, delete the copy’s .dailies folder: its media stay.',
  );
}

/** Null where no project can be read: then the folder is not the same project. */
async function idOfProjectAt(path: string): Promise<string | null> {
  try {
    const file = join(path, '.dailies', 'project.json');
    return readProject(await readFile(file, 'utf8'), file).id;
  } catch {
    return null;
  }
}

async function isSamePlace(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => stat(path, { bigint: true })));
  return first?.dev === second?.dev && first?.ino === second?.ino;
}

/** A link in place of a folder of ours would let whoever planted it choose where takes are written. */
async function makeOwnFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
    await syncFolder(join(folder, '..'));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const found = await lstat(folder);
    if (found.isDirectory()) return;
    const what = found.isSymbolicLink() ? 'a link' : 'a file';
    throw new ProjectFolderError(
      'project_link',
      `${folder} is ${what} where Dailies needs a folder of its own.`,
      'Remove it or choose another project folder.',
    );
  }
}

async function proveWritable(folder: string): Promise<void> {
  const probe = temporaryName(join(folder, 'probe'));
  await (await open(probe, 'wx')).close();
  await rm(probe);
}

function asProblem(error: unknown, root: string): Error {
  if (error instanceof ProjectFolderError) return error;
  const code = systemCode(error);
  if (code === 'EEXIST' || code === 'ENOTDIR')
    return new ProjectFolderError(
      'project_not_a_folder',
      `${root} is a file, not a folder.`,
      'Choose a folder for the project.',
      { cause: error },
    );
  return new ProjectFolderError(
    'project_unwritable',
    `Dailies cannot write to the project folder ${root}: ${messageOf(error)}`,
    'Give yourself the right to write there, make room on the disk, or choose another folder.',
    { cause: error },
  );
}

async function readOrCreate(path: string, root: string, clock: Clock): Promise<z.infer<typeof ProjectFile>> {
  const text = await readIfThere(path);
  if (text === null) {
    const created = { format: FORMAT, id: newId(), name: basename(root), createdAt: clock.now() };
    await replaceFile(path, `${JSON.stringify(created, null, 2)}\n`);
    return created;
  }
  return readProject(text, path);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw unreadable(path, error);
  }
}

function readProject(text: string, path: string): z.infer<typeof ProjectFile> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw unreadable(path, error);
  }
  const newer = z.object({ format: z.number().gt(FORMAT) }).safeParse(json);
  if (newer.success)
    throw new ProjectFolderError(
      'project_newer',
      `This project was written by a newer Dailies (its format is ${newer.data.format}, this one knows ${FORMAT}).`,
      'Install the newest Dailies and open it again; nothing in it was changed.',
    );
  const read = ProjectFile.safeParse(json);
  if (!read.success) throw unreadable(path, read.error);
  return read.data;
}

function unreadable(path: string, cause: unknown): ProjectFolderError {
  return new ProjectFolderError(
    'project_unreadable',
    `${path} is damaged, so it cannot be told which project this is.`,
    'Restore that file from a backup. The takes in the folder are not affected.',
    { cause },
  );
}
