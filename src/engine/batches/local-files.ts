import { constants, open } from 'node:fs/promises';
import type { MediaType } from '../../contract/kinds/spec.ts';
import type { Defect } from '../../contract/shot.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { systemCode } from '../base/errors.ts';
import { contentTypeOf, holdsMedium } from '../api/media-content.ts';
import { extensionsOf } from '../kinds/named-media.ts';

type Complaint = Pick<Defect, 'problem' | 'remedy'>;

/** Files looked at at once: enough for a slow network drive, too few to use up file handles. */
const AT_ONCE = 16;

/** A local file, and what it is to hold. */
export interface WantedFile {
  /** Absolute. */
  readonly path: string;
  readonly media: MediaType;
  readonly maxBytes?: number | undefined;
}

export const nameOfWanted = ({ path, media, maxBytes = 0 }: WantedFile): string => `${media} ${maxBytes} ${path}`;

/**
 * Looks at each file once and returns what is wrong with those that cannot be sent, by `nameOfWanted`. Relative paths were
 * taken to start at `folder`, which is told where one leads nowhere.
 */
export async function inspectLocalFiles(
  files: Iterable<WantedFile>,
  folder: string,
): Promise<ReadonlyMap<string, Complaint>> {
  const complaints = new Map<string, Complaint>();
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

async function inspectLocalFile({ path, media, maxBytes }: WantedFile, folder: string): Promise<Complaint | null> {
  try {
    // A pipe would keep us waiting for a writer.
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await file.stat();
    if (facts.isDirectory()) return { problem: `${path} is a folder.`, remedy: 'Name a file in it.' };
    if (!facts.isFile()) return { problem: `${path} is not a file.`, remedy: 'Name a file.' };
    if (facts.size === 0) return { problem: `The file ${path} is empty.`, remedy: 'Save or copy it again.' };
    if (maxBytes !== undefined && facts.size > maxBytes) {
      const problem = `${path} has ${bytesForPeople(facts.size)}, and at most ${bytesForPeople(maxBytes)} can be sent.`;
      return { problem, remedy: 'Save it smaller.' };
    }
    if (holdsMedium(await contentTypeOf(file), media)) return null;
    const what = { image: 'image', video: 'video', audio: 'sound', any: 'picture, film or sound' }[media];
    const remedy = `Name a file of these: ${extensionsOf(media).join(', ')}.`;
    return { problem: `The content of ${path} is no ${what}, so it is not sent.`, remedy };
  } catch (error) {
    return complaintFor(path, folder, systemCode(error));
  }
}

function complaintFor(path: string, folder: string, code: string | undefined): Complaint {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return {
        problem: `There is no file ${path}.`,
        remedy: `Put the file there, or correct the path. Relative paths start at ${folder}.`,
      };
    case 'EACCES':
    case 'EPERM':
      return { problem: `The file ${path} may not be read.`, remedy: 'Give yourself the right to read it.' };
    default:
      return {
        problem: `The file ${path} cannot be read (${code ?? 'unknown reason'}).`,
        remedy: 'Copy it beside the shot list.',
      };
  }
}
