import type { ProjectFacts, ProjectRoom, DiskUse } from '../../contract/project-facts.ts';
import { createYielder } from '../base/slices.ts';
import type { KnownFile } from '../db/output-store.ts';
import type { Project } from '../db/project-store.ts';
import type { Stores } from '../db/stores.ts';
import type { Stats } from 'node:fs';
import { identityFor, lookInFolder } from '../files/project-files.ts';
import type { Place } from '../files/place.ts';

export async function readFacts(
  { files, queries, review, ledger }: Pick<Stores, 'files' | 'queries' | 'review' | 'ledger'>,
  { id: projectId, path }: Pick<Project, 'id' | 'path'>,
): Promise<Omit<ProjectFacts, 'currency'>> {
  return {
    room: await readRoom(path, files.files(projectId)),
    takes: queries.counts({ projectId }),
    verdicts: review.tally({ projectId }),
    spent: ledger.totals({ projectId }),
    dates: files.dates(projectId),
  };
}

const nothing: DiskUse = { files: 0, bytes: 0, onDisk: 0 };

/** Reads everything in a project's folder. The disk space equals what `du -s` reports. */
async function readRoom(project: string, known: Iterable<readonly KnownFile[]>): Promise<ProjectRoom> {
  const byFile = new Map<string, KnownFile>();
  const giveWay = createYielder();
  for (const part of known) {
    for (const each of part) byFile.set(each.file, each);
    await giveWay();
  }
  const takes = new Map<string, ProjectRoom['takes'][number]>();
  let [own, others, total] = [nothing, nothing, nothing];
  for await (const { names, ...more } of diskUse(project)) {
    total = sum(total, more);
    const of = byFile.get(names.join('/'));
    if (of) {
      const key = `${of.standing} ${of.batch}`;
      const before = takes.get(key) ?? { ...nothing, batch: of.batch, standing: of.standing };
      takes.set(key, { ...before, ...sum(before, more) });
    } else if (names[0] === '.dailies') own = sum(own, more);
    else others = sum(others, more);
  }
  return { takes: [...takes.values()], own, others, total };
}

const sum = (one: DiskUse, other: DiskUse): DiskUse => ({
  files: one.files + other.files,
  bytes: one.bytes + other.bytes,
  onDisk: one.onDisk + other.onDisk,
});

interface Taken {
  readonly names: readonly string[];
  /** 1 for a file, 0 for a folder. */
  readonly files: number;
  /** Its length, bytes; 0 for a folder. */
  readonly bytes: number;
  /** The space it takes on the disk, bytes. */
  readonly onDisk: number;
}

const DEEPEST = 64;

/** All entries of a folder as `du -s` counts: no link followed; one with two names counts once, under the first. */
async function* diskUse(project: string): AsyncGenerator<Taken> {
  const seen = new Set<string>();
  const folders: (readonly string[])[] = [[]];
  for (let names = folders.pop(); names !== undefined; names = folders.pop()) {
    const looked = await lookInFolder({ project, names });
    if (looked === null) continue;
    yield { names, files: 0, bytes: 0, onDisk: toBlocks(looked.folder) };
    for (const [name, found] of looked.entries) {
      const path = [...names, name];
      if (found.isDirectory()) {
        if (path.length < DEEPEST) folders.push(path);
      } else if (found.nlink <= 1 || (await isFirstName({ project, names: path }, seen)))
        yield { names: path, files: 1, bytes: found.size, onDisk: toBlocks(found) };
    }
  }
}

async function isFirstName(place: Place, seen: Set<string>): Promise<boolean> {
  const file = await identityFor(place);
  if (file === null || seen.has(file)) return false;
  seen.add(file);
  return true;
}

/** Windows reports no blocks. */
const toBlocks = ({ blocks }: Partial<Pick<Stats, 'blocks'>>): number => (blocks ?? 0) * 512;
