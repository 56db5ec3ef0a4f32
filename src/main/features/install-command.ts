import type { App, Dialog } from 'electron';
import { accessSync, constants, existsSync } from 'node:fs';
import { lstat, mkdir, readlink, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode, toText } from '../../engine/base/errors.ts';
import { t } from '../../contract/messages/words.ts';

/** Where the packages for Linux put the command themselves. */
const OF_PACKAGE = '/usr/bin/dailies';

export interface InstallCommandParts {
  readonly app: Pick<App, 'isPackaged'>;
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly homeFolder: string;
  readonly resources: string;
  /** Folders of commands that every terminal of a Mac looks into, the best first. */
  readonly commonFolders?: readonly string[];
}

/**
 * Whether a link to the app's launcher makes sense: the installer of Windows and the packages of Linux bring the command, and
 * an AppImage is somewhere else at each start.
 */
export function canInstallCommand({ app, env, platform, resources }: InstallCommandParts): boolean {
  if (!app.isPackaged || platform === 'win32' || env['APPIMAGE'] !== undefined) return false;
  return existsSync(join(resources, 'bin', 'dailies')) && (platform === 'darwin' || !existsSync(OF_PACKAGE));
}

export async function installCommand(parts: InstallCommandParts): Promise<void> {
  const { dialog, resources } = parts;
  const told = FOR_A_WHILE.test(resources)
    ? refused(t('desktop.commandMoveFirst'))
    : await linkIn(folderOfCommands(parts), join(resources, 'bin', 'dailies'), parts);
  await dialog.showMessageBox({ ...told, buttons: [t('common.ok')] });
}

interface Told {
  readonly type: 'info' | 'error';
  readonly message: string;
  readonly detail: string;
}

const refused = (detail: string): Told => ({ type: 'error', message: t('desktop.commandNotInstalled'), detail });

/** A Mac runs an app that was not moved yet from a disk image, or from a place that changes at each start. */
const FOR_A_WHILE = /^\/Volumes\/|\/AppTranslocation\//;

function folderOfCommands({ platform, homeFolder, commonFolders = ['/usr/local/bin'] }: InstallCommandParts): string {
  const common = platform === 'darwin' ? commonFolders.find(isWritable) : undefined;
  return common ?? join(homeFolder, '.local', 'bin');
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function linkIn(folder: string, launcher: string, parts: InstallCommandParts): Promise<Told> {
  const path = join(folder, 'dailies');
  try {
    await mkdir(folder, { recursive: true });
    if (!(await isFree(path))) return refused(t('desktop.commandForeign', { path }));
    await symlink(launcher, path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return refused(t('desktop.commandForeign', { path }));
    return refused(t('desktop.commandFailed', { folder, reason: toText(error) }));
  }
  const lines = [t('desktop.commandInstalledDetail', { path }), ...adviceFor(folder, parts)];
  return { type: 'info', message: t('desktop.commandInstalled'), detail: lines.join('\n\n') };
}

async function isFree(path: string): Promise<boolean> {
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return true;
  if (!found.isSymbolicLink() || !/\/resources\/bin\/dailies$/i.test(await readlink(path))) return false;
  await unlink(path);
  return true;
}

/** An app of a Mac is not told the PATH of terminals, but every terminal has the common folders on it. */
function adviceFor(folder: string, { platform, env, homeFolder }: InstallCommandParts): string[] {
  const isFound =
    platform === 'darwin' ? !folder.startsWith(homeFolder) : (env['PATH'] ?? '').split(':').includes(folder);
  if (isFound) return [];
  const file = platform === 'darwin' ? '~/.zprofile' : '~/.profile';
  return [t('desktop.commandPath', { file, line: 'export PATH="$HOME/.local/bin:$PATH"' })];
}
