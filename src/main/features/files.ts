import { LIST_ENDINGS } from '../../engine/batches/list-file.ts';
import { basename, dirname, extname, join } from 'node:path';
import { stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { FolderRequest, DesktopEvent } from '../../contract/desktop.ts';
import { app, dialog, ipcMain, type Item, type OpenDialogOptions } from 'electron';
import { randomUUID } from 'node:crypto';
import { DRAG_CHANNEL } from '../../contract/bridge.ts';
import { isOfOurPage } from '../lockdown.ts';
import type { DesktopWindow } from '../window.ts';
import { statusImage } from './status.ts';

export async function pickFolder(
  window: Pick<DesktopWindow, 'current'>,
  request: FolderRequest,
): Promise<{ path: string } | null> {
  const options: OpenDialogOptions = {
    title: request.title,
    // A Mac shows no title.
    message: request.title,
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
    ...(request.action !== undefined && { buttonLabel: request.action }),
    ...(request.start !== undefined && { defaultPath: request.start }),
  };
  const parent = window.current();
  const { canceled, filePaths } = await (parent
    ? dialog.showOpenDialog(parent, options)
    : dialog.showOpenDialog(options));
  const [path] = filePaths;
  return canceled || path === undefined ? null : { path };
}

/** More at once are an accident or an attack. */
const MAX_OPENED = 5;

type Wanted = Extract<DesktopEvent, { type: 'open' }>;

/** Shot lists and folders among outside paths, for the window. Marks folders that are no projects; ignores the rest. */
export async function wantedAmong(paths: readonly string[]): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const path of paths) {
    if (wanted.length === MAX_OPENED) break;
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
  const facts = await factsFor(path);
  if (facts?.isDirectory()) return { type: 'open', what: 'folder', path };
  const isList = LIST_ENDINGS.includes(extname(path).toLowerCase()) && facts?.isFile();
  return isList ? { type: 'open', what: 'list', path } : null;
}

const factsFor = (path: string): Promise<Stats | null> => stat(path).catch(() => null);

const isFile = async (path: string): Promise<boolean> => (await factsFor(path))?.isFile() ?? false;

/**
 * Continues drags of the window with the files themselves. A Mac accepts that only at once, while the page handles
 * `dragstart`: so the engine names the files when a take is pressed, and the page starts what lies ready by its id. It
 * never names a file itself. Returns what makes a drag of files ready, and gives its id.
 */
export function createDragOut(window: Pick<DesktopWindow, 'current'>, packageFolder: string) {
  /** There is one window and one mouse: only the last one can begin. */
  let prepared: (Item & { readonly id: string }) | null = null;
  ipcMain.on(DRAG_CHANNEL, (event, id: unknown) => {
    if (prepared?.id === id && prepared && isOfOurPage(event, window.current())) event.sender.startDrag(prepared);
  });
  return async (files: readonly [string, ...string[]]): Promise<string> => {
    const [file] = files;
    const ofSystem = await app.getFileIcon(file).catch(() => null);
    // A Mac does not take an empty one.
    const icon = ofSystem === null || ofSystem.isEmpty() ? statusImage(packageFolder, 'linux') : ofSystem;
    const id = randomUUID();
    prepared = { id, file, files: [...files], icon };
    return id;
  };
}
