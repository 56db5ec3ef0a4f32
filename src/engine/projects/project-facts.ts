import type { ProjectFacts, ProjectRoom, Room } from '../../contract/project-facts.ts';
import { givingWay } from '../base/slices.ts';
import type { KnownFile, ProjectFilesStore } from '../db/project-files-store.ts';
import type { LedgerStore } from '../db/ledger-store.ts';
import type { Project } from '../db/project-store.ts';
import type { ReviewStore } from '../db/review-store.ts';
import type { TakeTally } from '../db/take-tally.ts';
import { diskUse } from './disk-use.ts';

export interface FactsStores {
  readonly files: ProjectFilesStore;
  readonly tally: TakeTally;
  readonly review: ReviewStore;
  /** Null in a database of an earlier version. */
  readonly ledger: LedgerStore | null;
}

/** The facts of a project: disk space, takes, verdicts, spending, dates. */
export async function readFacts(
  { files, tally, review, ledger }: FactsStores,
  { id: projectId, path }: Pick<Project, 'id' | 'path'>,
): Promise<Omit<ProjectFacts, 'currency'>> {
  return {
    room: await readRoom(path, files.files(projectId)),
    takes: tally.counts({ projectId }),
    verdicts: review.tally({ projectId }),
    spent: ledger?.totals({ projectId }) ?? null,
    dates: files.dates(projectId),
  };
}

const nothing: Room = { files: 0, bytes: 0, onDisk: 0 };

/** Reads everything in a project's folder. The disk space equals what `du -s` reports. */
async function readRoom(project: string, known: Iterable<readonly KnownFile[]>): Promise<ProjectRoom> {
  const byFile = new Map<string, KnownFile>();
  const giveWay = givingWay();
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

const sum = (one: Room, other: Room): Room => ({
  files: one.files + other.files,
  bytes: one.bytes + other.bytes,
  onDisk: one.onDisk + other.onDisk,
});
