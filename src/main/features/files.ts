import { LIST_ENDINGS } from '../../engine/batches/list-file.ts';
import { basename, dirname, extname, join } from 'node:path';
import { stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { FolderRequest, DesktopEvent } from '../../contract/desktop.ts';
import type { BrowserWindow, Dialog, OpenDialogOptions } from 'electron';
export interface PickFolderParts {
  readonly dialog: Pick<Dialog, 'showOpenDialog'>;
  readonly window: () => BrowserWindow | null;
}

/** Has the person choose a folder, in a dialogue of the window. Null when they choose none. */
export async function pickFolder({ dialog, window }: PickFolderParts, request: FolderRequest): Promise<string | null> {
  const options: OpenDialogOptions = {
    title: request.title,
    // A Mac shows no title.
    message: request.title,
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
    ...(request.action !== undefined && { buttonLabel: request.action }),
    ...(request.start !== undefined && { defaultPath: request.start }),
  };
  const parent = window();
  const { canceled, filePaths } = await (parent
    ? dialog.showOpenDialog(parent, options)
    : dialog.showOpenDialog(options));
  return canceled ? null : (filePaths[0] ?? null);
}

/** More at once are an accident or an attack. */
const MOST_OPENED = 5;

type Wanted = Extract<DesktopEvent, { type: 'open' }>;

/**
 * The shot lists and folders among paths from outside, for the window to open. A folder that is not a project is marked
 * so: naming it does not make it one. Anything else is ignored.
 */
export async function wantedAmong(paths: readonly string[]): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const path of paths) {
    if (wanted.length === MOST_OPENED) break;
    const what = await wantedAt(path);
    if (what && !wanted.some((each) => each.path === what.path)) wanted.push(what);
  }
  return wanted;
}

async function wantedAt(path: string): Promise<Wanted | null> {
  if (path.includes('\0') || path.length > 4096) return null;
  const isProjectFile = basename(path) === 'project.json' && basename(dirname(path)) === '.dailies';
  const folder = isProjectFile ? dirname(dirname(path)) : path;
  if (await isFile(join(folder, '.dailies', 'project.json'))) return { type: 'open', what: 'project', path: folder };
  const facts = await factsOf(path);
  if (facts?.isDirectory()) return { type: 'open', what: 'folder', path };
  const isList = LIST_ENDINGS.includes(extname(path).toLowerCase()) && facts?.isFile();
  return isList ? { type: 'open', what: 'list', path } : null;
}

const factsOf = (path: string): Promise<Stats | null> => stat(path).catch(() => null);

const isFile = async (path: string): Promise<boolean> => (await factsOf(path))?.isFile() ?? false;
