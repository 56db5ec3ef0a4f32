import type { Stats } from 'node:fs';
import { lookInFolder } from '../files/project-files.ts';

/** Something in a project's folder, and what it takes. */
export interface Taken {
  /** The names that lead to it; none for the folder itself. */
  readonly names: readonly string[];
  /** 1, but 0 for a folder. */
  readonly files: number;
  /** Its length; 0 for a folder. */
  readonly bytes: number;
  /** What it takes on the disk, bytes. */
  readonly onDisk: number;
}

/** No project of ours is as deep. */
const DEEPEST = 64;

/**
 * All that is in a folder, as `du -s` counts it: files, links and folders themselves, whatever their names. No link is
 * followed. What has two names there is counted by the first that is found.
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
      } else if (isFirstName(found, seen)) yield { names: path, files: 1, bytes: found.size, onDisk: blocksOf(found) };
    }
  }
}

function isFirstName({ nlink, dev, ino }: Stats, seen: Set<string>): boolean {
  if (nlink <= 1) return true;
  const file = `${String(dev)} ${String(ino)}`;
  if (seen.has(file)) return false;
  seen.add(file);
  return true;
}

/** Windows counts no blocks. */
const blocksOf = ({ blocks }: Partial<Pick<Stats, 'blocks'>>): number => (blocks ?? 0) * 512;
