import { messageFor } from '../contract/messages/message.ts';
import { nameOrder } from '../contract/messages/words.ts';
import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FolderListing } from '../contract/project.ts';
import { safeName } from '../engine/downloads/take-path.ts';
import { systemCode, toText, refused, type RefusedError } from '../engine/base/errors.ts';
import { wholePath } from '../engine/files/existing-paths.ts';
import type { ServerHost, Services } from './services.ts';

/** Folders shown of one folder; a person searches in no longer list. */
const MAX_FOLDERS = 2000;

/** What the folder chooser shows of one folder: its folders, never a file. Throws RefusedError. */
export async function listFolder(host: ServerHost, path: string): Promise<FolderListing> {
  const here = wholePath(path);
  const entries = await readdir(here, { withFileTypes: true }).catch((error: unknown) => {
    throw cannotOpen(here, error);
  });
  const shown = entries.filter(({ name }) => !name.startsWith('.')).slice(0, MAX_FOLDERS * 10);
  const folders: FolderListing['folders'] = [];
  for (const entry of shown) {
    if (folders.length >= MAX_FOLDERS) break;
    const inside = join(here, entry.name);
    if (await isFolder(entry, inside)) {
      folders.push({
        name: entry.name,
        path: inside,
        isProject: await isThere(join(inside, '.dailies', 'project.json')),
      });
    }
  }
  const parent = dirname(here);
  const order = nameOrder();
  return {
    path: here,
    parent: parent === here ? null : parent,
    folders: folders.sort((a, b) => order.compare(a.name, b.name)),
    writable: await access(here, constants.W_OK).then(
      () => true,
      () => false,
    ),
    freeBytes: await host.freeBytes(here).catch(() => 0),
  };
}

export async function createFolder(host: ServerHost, parent: string, name: string): Promise<FolderListing> {
  const folder = join(wholePath(parent), safeName(name, ''));
  if (safeName(name, '') === '') throw refused('bad_name', 'failure.badFolderName', 'remedy.useLetters');
  await mkdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'EEXIST') {
      throw refused('folder_exists', messageFor('failure.folderExists', { folder }), 'remedy.chooseOrRename');
    }
    throw cannotOpen(folder, error);
  });
  return listFolder(host, folder);
}

function cannotOpen(folder: string, error: unknown): RefusedError {
  const problem = messageFor('failure.folderNotOpened', { folder, reason: toText(error) });
  return refused('bad_folder', problem, 'remedy.chooseOtherFolder', { cause: error });
}

async function isFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Commands and the app name files by path; a browser's page is given files, and names none. Throws RefusedError. */
export function assureMayNameFiles({ servesBrowsers, caller }: Pick<Services, 'servesBrowsers' | 'caller'>): void {
  if (caller === 'agent') {
    throw refused('agent_names_no_files', 'failure.agentNamesNoFiles', 'remedy.personNamesFiles');
  }
  if (servesBrowsers !== true) return;
  throw refused('only_in_the_app', 'failure.browserNamesNoFiles', 'remedy.chooseInWindow');
}
