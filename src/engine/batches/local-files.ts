import { constants, open, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { MediaType } from '../../contract/kinds/spec.ts';
import { asProblem, messageFor } from '../../contract/messages/message.ts';
import type { Problem } from '../../contract/shot.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { systemCode, toText } from '../base/errors.ts';
import { contentTypeFor, holdsMedium } from '../api/request-parts.ts';
import { realPath } from '../files/existing-paths.ts';
import { isAgreed } from '../library/needs.ts';
import { toExtensions } from '../kinds/media-reference.ts';

/** Files looked at at once: enough for a slow network drive, too few to use up file handles. */
const AT_ONCE = 16;

export interface WantedFile {
  /** Absolute. */
  readonly path: string;
  readonly media: MediaType;
  readonly maxBytes?: number | undefined;
}

export const nameOfWanted = ({ path, media, maxBytes = 0 }: WantedFile): string => `${media} ${maxBytes} ${path}`;

/** Checks each file once; defects of unsendable ones by `nameOfWanted`. Relative paths start at `folder`. */
export async function inspectLocalFiles(
  files: Iterable<WantedFile>,
  folder: string,
): Promise<ReadonlyMap<string, Problem>> {
  const complaints = new Map<string, Problem>();
  const waiting = new Map(Array.from(files, (file) => [nameOfWanted(file), file])).entries();
  const inspectNext = async (): Promise<void> => {
    for (const [name, file] of waiting) {
      const complaint = await inspectLocalFile(file, folder);
      if (complaint !== null) complaints.set(name, complaint);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inspectNext));
  return complaints;
}

async function inspectLocalFile({ path, media, maxBytes }: WantedFile, folder: string): Promise<Problem | null> {
  try {
    // Looked at before it is opened: opening alone can make a device act.
    const facts = await stat(path);
    if (!facts.isFile()) return asProblem(messageFor('failure.notAFile', { file: path }), 'remedy.nameFile');
    if (facts.size === 0) return asProblem(messageFor('failure.fileEmpty', { file: path }), 'remedy.saveOrCopyAgain');
    if (maxBytes !== undefined && facts.size > maxBytes) {
      const sizes = { size: bytesForPeople(facts.size), most: bytesForPeople(maxBytes) };
      return asProblem(messageFor('defect.fileOverLimit', { path, ...sizes }), 'remedy.saveSmaller');
    }
    // Nothing of other files is read before a person agreed to send them; what they hold is checked again then.
    const real = await realPath(path);
    if (!isAgreed(real, new Set([await realPath(folder)]), await realPath(homedir()))) return null;
    await using file = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
    if (!(await file.stat()).isFile() || holdsMedium(await contentTypeFor(file), media)) return null;
    const remedy = messageFor('remedy.nameFileOf', { endings: toExtensions(media) });
    return asProblem(messageFor('defect.otherContent', { path, wanted: media }), remedy);
  } catch (error) {
    return complaintFor(path, folder, error);
  }
}

function complaintFor(path: string, folder: string, error: unknown): Problem {
  const problem = messageFor('failure.fileUnreadable', { file: path, reason: toText(error) });
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return asProblem(
        messageFor('failure.noSuchFile', { file: path }),
        messageFor('remedy.putFileOrPath', { folder }),
      );
    case 'EACCES':
    case 'EPERM':
      return asProblem(problem, 'remedy.checkPermissions');
    default:
      return asProblem(problem, 'remedy.copyAndName');
  }
}
