import { constants } from 'node:fs';
import { copyFile, mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import { messageFor } from '../../contract/messages/message.ts';
import { tagsOf, type TakeView } from '../../contract/review.ts';
import { reportLines } from '../batches/csv-text.ts';
import { foldName, numberedName } from '../downloads/publish.ts';
import { systemCode } from '../base/errors.ts';
import { requireRoom } from '../files/existing-paths.ts';
import { placeIn, type Place } from '../files/place.ts';
import type { Stores } from '../db/stores.ts';
import { openFile, pathOfOpen, type OpenFile } from '../files/project-files.ts';
import { exportFailed, partsOf, type CopiedSoFar, type ExportedProject } from '../projects/export-project.ts';

interface TakeToExport {
  readonly take: TakeView;
  /** Absolute folder of the take's project. */
  readonly project: string;
  readonly columns: Readonly<Record<string, string>>;
}

type ReadFrom = Pick<Stores, 'review' | 'projects' | 'jobs' | 'batches'>;

export const takesToExport = (stores: ReadFrom, takes: readonly TakeView[]): TakeToExport[] =>
  takes.flatMap((take) => {
    const project = stores.projects.get(take.projectId);
    const job = stores.jobs.get(take.id);
    const columns = (job && stores.batches.shot(job.shotId)?.spec.columns) ?? {};
    return project ? [{ take, project: project.path, columns }] : [];
  });

export type Exported = Pick<ExportedProject, 'folder' | 'files'>;

const COLUMNS: Readonly<Record<string, (take: TakeView, file: string, sha256: string) => string>> = {
  file: (_take, file) => file,
  project: ({ project }) => project,
  batch: ({ batch }) => batch,
  shot: ({ shot }) => shot,
  take: ({ take }) => String(take),
  rating: ({ verdict: { rating } }) => (rating === 0 ? '' : String(rating)),
  flag: ({ verdict }) => verdict.flag ?? '',
  note: ({ verdict }) => verdict.note,
  tags: ({ verdict }) => tagsOf(verdict).join(', '),
  kind: ({ kind }) => kind,
  model: ({ model }) => model,
  prompt: ({ prompt }) => prompt,
  sha256: (_take, _file, sha256) => sha256,
};
const HEADERS = Object.keys(COLUMNS);

/**
 * Copies the files of takes into a folder (absolute) under their own names and never replaces a file. Writes
 * `selects.csv` there, with the person's columns after ours. Yields its progress; a caller that stops reading stops it.
 * If it does not finish, it removes what it has copied. Throws RefusedError.
 */
export async function* exportTakes(
  takes: readonly TakeToExport[],
  folder: string,
): AsyncGenerator<CopiedSoFar, Exported, undefined> {
  const made: string[] = [];
  let isWhole = false;
  try {
    const exported = yield* copyAll(takes, folder, made);
    isWhole = true;
    return exported;
  } catch (error) {
    const removed = made.length > 0 ? 'yes' : 'no';
    throw exportFailed(error, (reason) => messageFor('failure.exportFailed', { removed, reason }));
  } finally {
    if (!isWhole) await Promise.all(made.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)));
  }
}

async function* copyAll(
  takes: readonly TakeToExport[],
  folder: string,
  made: string[],
): AsyncGenerator<CopiedSoFar, Exported, undefined> {
  const rows: string[][] = [];
  const own = [...new Set(takes.flatMap(({ columns }) => Object.keys(columns)))];
  const files = takes.flatMap(({ take, project, columns }) =>
    take.outputs.map((output) => ({ take, columns, output, place: placeIn(project, output.file) })),
  );
  // Check all files before copying, so that a missing or foreign file is reported first.
  for (const { place } of files) await (await openFile(place, 'read')).handle.close();
  const ofBytes = files.reduce((sum, { output }) => sum + output.bytes, 0);
  await requireRoom(folder, ofBytes);
  await mkdir(folder, { recursive: true });
  const taken = new Set<string>();
  let bytes = 0;
  for (const { take, columns, output, place } of files) {
    const source = await openFile(place, 'read');
    let copy: Begun<FileHandle | null> | null = null;
    try {
      copy = await beginFile(posix.basename(output.home ?? output.file), taken, (free) =>
        beginCopy(place, source, join(folder, free)),
      );
      made.push(copy.name);
      for await (const copied of fillCopy(copy.made, source)) {
        bytes += copied;
        yield { files: rows.length, ofFiles: files.length, bytes, ofBytes };
      }
    } finally {
      await copy?.made?.close();
      await source.handle.close();
    }
    const cells = own.map((header) => columns[header] ?? '');
    const { name } = copy;
    rows.push([...Object.values(COLUMNS).map((cell) => cell(take, name, output.sha256)), ...cells]);
    yield { files: rows.length, ofFiles: files.length, bytes, ofBytes };
  }
  const list = await beginFile('selects.csv', new Set(), (name) => open(join(folder, name), 'wx'));
  made.push(list.name);
  try {
    await list.made.writeFile(`\uFEFF${reportLines([[...HEADERS, ...own.map(ownHeader)], ...rows])}`);
  } finally {
    await list.made.close();
  }
  return { folder, files: rows.length };
}

function ownHeader(header: string): string {
  return HEADERS.includes(header.trim().toLowerCase()) ? `${header} (list)` : header;
}

/** Clones an open file of a project to a new path, or makes an empty file there to fill. Rejects with `EEXIST`. */
export async function beginCopy(place: Place, source: OpenFile, to: string): Promise<FileHandle | null> {
  return (await isCloned(pathOfOpen(place, source), to)) ? null : open(to, 'wx');
}

/** Fills what `beginCopy` made, and yields the bytes of each part. The caller closes both files. */
export async function* fillCopy(copy: FileHandle | null, source: OpenFile): AsyncGenerator<number, void, undefined> {
  if (copy === null) {
    yield source.bytes;
    return;
  }
  for await (const part of partsOf(source.handle)) {
    await copy.writeFile(part);
    yield part.length;
  }
}

/** Where the file system can clone files, a copy takes neither time nor space. */
async function isCloned(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw error;
    return false;
  }
}

interface Begun<Made> {
  readonly name: string;
  readonly made: Made;
}

/** Makes a file under the first name that is free whatever its upper and lower case. */
async function beginFile<Made>(
  name: string,
  taken: Set<string>,
  make: (name: string) => Promise<Made>,
): Promise<Begun<Made>> {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let attempt = 1; ; attempt += 1) {
    const candidate = numberedName(stem, extension.slice(1), attempt);
    if (taken.has(foldName(candidate))) continue;
    try {
      const made = await make(candidate);
      taken.add(foldName(candidate));
      return { name: candidate, made };
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}
