import type { Stats } from 'node:fs';
import { identityOf, lookInFolder } from '../files/project-files.ts';
import type { Place } from '../files/place.ts';

/** An entry of a project's folder and its size. */
export interface Taken {
  /** The names of its path; empty for the folder itself. */
  readonly names: readonly string[];
  /** 1 for a file, 0 for a folder. */
  readonly files: number;
  /** Its length, bytes; 0 for a folder. */
  readonly bytes: number;
  /** The space it takes on the disk, bytes. */
  readonly onDisk: number;
}

/** Our projects are never this deep. */
const DEEPEST = 64;

/**
 * All entries of a folder, counted as `du -s` does: files, links and folders, whatever their names. Follows no link. An
 * entry with two names counts once, under the first one found.
 */
export async function* diskUse(project: string): AsyncGenerator<Taken> {
  const seen = new Set<string>();
  const folders: (readonly string[])[] = [[]];
  for (let names = folders.pop(); names !== undefined; names = folders.pop()) {
    const looked = await lookInFolder({ project, names });
    if (looked === null) continue;
    yield { names, files: 0, bytes: 0, onDisk: blocksOf(looked.folder) };
    for (const [name, found] of looked.entries) {
      const path = [...names, name];
      if (found.isDirectory()) {
        if (path.length < DEEPEST) folders.push(path);
      } else if (found.nlink <= 1 || (await isFirstName({ project, names: path }, seen)))
        yield { names: path, files: 1, bytes: found.size, onDisk: blocksOf(found) };
    }
  }
}

async function isFirstName(place: Place, seen: Set<string>): Promise<boolean> {
  const file = await identityOf(place);
  if (file === null || seen.has(file)) return false;
  seen.add(file);
  return true;
}

/** Windows reports no blocks. */
const blocksOf = ({ blocks }: Partial<Pick<Stats, 'blocks'>>): number => (blocks ?? 0) * 512;
