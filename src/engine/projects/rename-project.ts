import { basename, dirname, join, relative, sep } from 'node:path';
import type { Actor } from '../../contract/history.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { DailiesError, toMessage, toText, refused, type RefusedError } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import type { Project, ProjectRename, ProjectStore } from '../db/project-store.ts';
import type { Stores } from '../db/stores.ts';
import { safeName } from '../downloads/take-path.ts';
import { isSameFolder, lookAtFolder, moveProjectFolder } from '../files/project-files.ts';
import { checkIsProject, nameProject } from '../files/project-folder.ts';
import { realPath } from '../files/existing-paths.ts';
import { MAX_NAME } from '../../contract/units.ts';

type RenameStores = Pick<Stores, 'projects' | 'history'>;

interface WantedRename {
  readonly project: Project;
  readonly name: string;
  readonly by: Actor;
  /** ms. */
  readonly now: number;
  readonly dataFolder: string;
}

/** Plans a rename to a folder beside the old one; null if nothing changes. Throws RefusedError, nothing changed. */
export async function planRename({ project, name, by, now, dataFolder }: WantedRename): Promise<ProjectRename | null> {
  const toName = givenName(name);
  const { id, path, name: fromName } = project;
  const isNamedAlike = basename(path) === toName;
  const toPath = isNamedAlike ? path : join(dirname(path), safeName(toName, basename(path)));
  if (toName === fromName && toPath === path) return null;
  const rename = { projectId: id, fromPath: path, toPath, fromName, toName, by, at: now };
  if (toPath === path) return rename;
  const folder = await lookAtFolder(path);
  if (folder !== 'folder') {
    throw refused('project_is_link', messageFor('failure.projectIsLink', { path }));
  }
  const [own, data] = await Promise.all([realPath(path), realPath(dataFolder)]);
  if (isBelow(own, data)) {
    const text = messageFor('failure.dataFolderInProject', { path, folder: dataFolder });
    throw refused('holds_data_folder', text);
  }
  // On a disk that ignores case, the folder with the new name may be this very one.
  if ((await lookAtFolder(toPath)) !== null && !(await isSameFolder(path, toPath))) throw nameTaken(toPath);
  return rename;
}

/**
 * Renames a project and its folder. The plan is on disk first; then come the name in the folder, the folder's own name
 * and the database, in this order. A failure undoes all of it. After a kill, `settleRenames` undoes or completes it.
 * Throws RefusedError.
 */
export async function renameProject({ projects, history }: RenameStores, rename: ProjectRename): Promise<void> {
  projects.beginRename(rename);
  try {
    await nameProject(rename.fromPath, rename.projectId, rename.toName);
    if (rename.toPath !== rename.fromPath) await moveProjectFolder(rename.fromPath, rename.toPath);
  } catch (error) {
    await takeBack(projects, rename);
    if (error instanceof DailiesError || isDatabaseTrouble(error)) throw error;
    const text = messageFor('failure.notRenamed', { path: rename.fromPath, reason: toText(error) });
    throw refused('not_renamed', text, '', { cause: error });
  }
  await end({ projects, history }, rename);
}

/** Completes renames of the last engine whose folder has its new name, undoes others; waits for a disk that is away. */
export async function settleRenames(stores: RenameStores, logger: Logger): Promise<void> {
  for (const rename of stores.projects.renames()) {
    try {
      const { projectId, toPath, fromPath, toName } = rename;
      if (toPath !== fromPath && (await isProject(toPath, projectId))) {
        await nameProject(toPath, projectId, toName);
        await end(stores, rename);
      } else if (await isProject(fromPath, projectId)) await takeBack(stores.projects, rename);
    } catch (error) {
      if (isDatabaseTrouble(error)) throw error;
      logger.warn('A rename could not be settled', { project: rename.projectId, reason: toMessage(error) });
    }
  }
}

async function end({ projects, history }: RenameStores, rename: ProjectRename): Promise<void> {
  const { projectId, fromPath, toPath, fromName: before, toName: name, by, at } = rename;
  const realTo = await realPath(toPath);
  const written = [
    [fromPath, toPath],
    [join(dirname(realTo), basename(fromPath)), realTo],
  ] as const;
  projects.endRename(rename, written, () =>
    history.note({ code: 'project.renamed', facts: { before, name, folder: toPath }, by, at, projectId }),
  );
}

async function takeBack(projects: ProjectStore, { projectId, fromPath, fromName }: ProjectRename): Promise<void> {
  await nameProject(fromPath, projectId, fromName);
  projects.dropRename(projectId);
}

const isProject = (path: string, projectId: string): Promise<boolean> =>
  checkIsProject(path, projectId).then(
    () => true,
    () => false,
  );

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !/^([a-z]:|[\\/])/i.test(way));
};

const nameTaken = (path: string): RefusedError =>
  refused('folder_exists', messageFor('failure.folderNameTaken', { path }), 'remedy.chooseOtherName');

/** The name of a project or batch as stored. Throws RefusedError when it is empty or longer than the window's field. */
export function givenName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw refused('name_missing', 'failure.nameMissing', 'remedy.enterName');
  if (name.length <= MAX_NAME) return name;
  const problem = messageFor('defect.nameTooLong', { length: name.length, most: MAX_NAME });
  throw refused('name_too_long', problem, 'remedy.chooseOtherName');
}
