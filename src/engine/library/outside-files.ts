import { messageFor } from '../../contract/messages/message.ts';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { OutsideFile } from '../../contract/batch.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { givingWay } from '../base/slices.ts';
import { RefusedError } from '../base/errors.ts';
import { rulesOf } from '../kinds/index.ts';
import { localPath, readMediaReference } from '../kinds/media-reference.ts';
import { realPath } from '../files/existing-paths.ts';
import { LocalFileError } from './identity.ts';

/**
 * Whether a file is one of the agreed paths or below one. A folder that holds a person's whole home agrees to nothing:
 * a list kept there is no consent to send every file. Pure; all paths are real ones.
 */
export function isAgreed(file: string, agreed: ReadonlySet<string>, home: string): boolean {
  if (agreed.has(file)) return true;
  const folder = foldersAbove(file).find((above) => agreed.has(above));
  return folder !== undefined && folder !== home && !foldersAbove(home).includes(folder);
}

/** Nearest first. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== path; folder = dirname(path)) {
    folders.push(folder);
    path = folder;
  }
  return folders;
}

/** The local files these shots would send that are not agreed to, each once, by their real paths. */
export async function outsideFiles(
  shots: readonly ShotSpec[],
  listFolder: string,
  agreed: readonly string[],
): Promise<OutsideFile[]> {
  const giveWay = givingWay();
  const namedBy = new Map<string, Set<string>>();
  for (const shot of shots) {
    for (const path of localFilesOf(shot, listFolder)) {
      namedBy.set(path, (namedBy.get(path) ?? new Set()).add(shot.key));
    }
    const turn = giveWay();
    if (turn) await turn;
  }
  const home = await realPath(homedir());
  const paths = new Set(agreed);
  const outside = new Map<string, Set<string>>();
  for (const [path, keys] of namedBy) {
    const real = await realPath(path);
    if (isAgreed(real, paths, home)) continue;
    outside.set(real, new Set([...(outside.get(real) ?? []), ...keys]));
  }
  return [...outside].map(([path, keys]) => ({ path, shots: [...keys] }));
}

function localFilesOf({ kind, params }: ShotSpec, listFolder: string): string[] {
  return rulesOf(kind)
    .mediaOf(params)
    .flatMap(({ cell }) => {
      const reference = readMediaReference(cell);
      return reference.at === 'local' ? [localPath(reference.path, listFolder)] : [];
    });
}

/** The last check before we read a file to send it. Throws LocalFileError. */
export async function requireAgreed(path: string, agreed: readonly string[]): Promise<void> {
  const { file, isOpen } = await agreedFile(path, agreed);
  if (isOpen) return;
  const problem = messageFor('failure.fileNotAgreed', { file });
  throw new LocalFileError('file_outside', problem, messageFor('remedy.agreeToFile'));
}

/** The real path of a file, and whether it is agreed to. */
export async function agreedFile(path: string, agreed: readonly string[]): Promise<{ file: string; isOpen: boolean }> {
  const file = await realPath(path);
  return { file, isOpen: isAgreed(file, new Set(agreed), await realPath(homedir())) };
}

/** Files named in one sentence at most. */
const MOST_NAMED = 3;

export function filesOutside(files: readonly OutsideFile[]): RefusedError {
  const named = files
    .slice(0, MOST_NAMED)
    .map(({ path, shots: [shot = ''] }) => messageFor('failure.fileOfShot', { file: path, shot }));
  const counts = { count: files.length, more: files.length - named.length };
  const problem = messageFor('failure.filesOutside', { files: named, ...counts });
  return new RefusedError('files_outside', problem, messageFor('remedy.agreeToFiles'));
}
