import { constants } from 'node:fs';
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import type { TakeView } from '../../contract/review.ts';
import { csvText, inert } from '../batches/csv-text.ts';
import { foldName, numberedName } from '../downloads/folder-names.ts';
import { messageOf, RefusedError, systemCode } from '../errors.ts';

export interface TakeToExport {
  readonly take: TakeView;
  /** Absolute folder of the take's project. */
  readonly project: string;
  /** The person's own cells of the shot, by header. */
  readonly columns: Readonly<Record<string, string>>;
}

export interface Exported {
  /** Absolute. */
  readonly folder: string;
  readonly files: number;
}

const HEADERS = [
  'file',
  'project',
  'batch',
  'shot',
  'take',
  'rating',
  'flag',
  'note',
  'kind',
  'model',
  'prompt',
  'sha256',
];

/**
 * Copies the files of takes into a folder under their own names, never over another file, and writes `selects.csv`
 * beside them, with the person's own columns behind ours. `folder` is absolute. Throws RefusedError when a file or the folder cannot be had; what was copied before stays.
 */
export async function exportTakes(takes: readonly TakeToExport[], folder: string): Promise<Exported> {
  const rows: string[][] = [];
  const own = [...new Set(takes.flatMap(({ columns }) => Object.keys(columns)))];
  try {
    await mkdir(folder, { recursive: true });
    const taken = new Set<string>();
    for (const { take, project, columns } of takes) {
      for (const output of take.outputs) {
        const name = await copyAside(join(project, output.file), folder, posix.basename(output.file), taken);
        const cells = own.map((header) => inert(columns[header] ?? ''));
        rows.push([...rowOf(take, name, output.sha256), ...cells]);
      }
    }
    await writeAside(folder, csvText([...HEADERS, ...own.map(ownHeader)], rows));
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    const code = systemCode(error);
    const remedy =
      code === 'ENOENT' ? 'Is the disk with the project there?' : 'Choose another folder, or make room on its disk.';
    throw new RefusedError('export_failed', `The takes could not be copied: ${messageOf(error)}.`, remedy, {
      cause: error,
    });
  }
  return { folder, files: rows.length };
}

/** A column of the person's own, told from one of ours with that name. */
function ownHeader(header: string): string {
  return inert(HEADERS.includes(header.trim().toLowerCase()) ? `${header} (list)` : header);
}

function rowOf({ verdict, ...take }: TakeView, file: string, sha256: string): string[] {
  return [
    file,
    take.project,
    take.batch,
    take.shot,
    String(take.take),
    verdict.rating === 0 ? '' : String(verdict.rating),
    verdict.flag ?? '',
    verdict.note,
    take.kind,
    take.model,
    take.prompt,
    sha256,
  ].map(inert);
}

/** Copies under the first name that is free in every spelling, and returns it. */
async function copyAside(from: string, folder: string, name: string, taken: Set<string>): Promise<string> {
  await stat(from);
  return firstFree(name, taken, (free) => copyFile(from, join(folder, free), constants.COPYFILE_EXCL));
}

async function writeAside(folder: string, text: string): Promise<void> {
  await firstFree('selects.csv', new Set(), (free) => writeFile(join(folder, free), text, { flag: 'wx' }));
}

async function firstFree(name: string, taken: Set<string>, make: (name: string) => Promise<void>): Promise<string> {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let attempt = 1; ; attempt += 1) {
    const candidate = numberedName(stem, extension.slice(1), attempt);
    if (taken.has(foldName(candidate))) continue;
    try {
      await make(candidate);
      taken.add(foldName(candidate));
      return candidate;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}
