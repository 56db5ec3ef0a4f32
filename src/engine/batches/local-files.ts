import { access, constants, stat } from 'node:fs/promises';
import type { Defect } from '../../contract/shot.ts';
import { systemCode } from '../errors.ts';

type Complaint = Pick<Defect, 'problem' | 'remedy'>;

/** Files looked at at once: enough for a slow network drive, too few to use up file handles. */
const AT_ONCE = 16;

/**
 * Looks at each file once and returns what is wrong with those that cannot be sent, by path. Relative paths were taken to
 * start at `folder`, which is told where one leads nowhere.
 */
export async function inspectLocalFiles(
  paths: Iterable<string>,
  folder: string,
): Promise<ReadonlyMap<string, Complaint>> {
  const complaints = new Map<string, Complaint>();
  const waiting = new Set(paths).values();
  const inspectNext = async (): Promise<void> => {
    for (const path of waiting) {
      const complaint = await inspectLocalFile(path, folder);
      if (complaint !== null) complaints.set(path, complaint);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inspectNext));
  return complaints;
}

async function inspectLocalFile(path: string, folder: string): Promise<Complaint | null> {
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) return { problem: `${path} is a folder.`, remedy: 'Name a file in it.' };
    if (!facts.isFile()) return { problem: `${path} is not a file.`, remedy: 'Name a file.' };
    if (facts.size === 0) return { problem: `The file ${path} is empty.`, remedy: 'Save or copy it again.' };
    await access(path, constants.R_OK);
    return null;
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
