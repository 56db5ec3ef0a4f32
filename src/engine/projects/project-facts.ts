import type { KnownFile } from '../db/project-files-store.ts';
import { allFilesIn } from './export-project.ts';

/** Files, and what they take: their lengths, and what the disk keeps for them, bytes. */
export interface Room {
  readonly files: number;
  readonly bytes: number;
  readonly onDisk: number;
}

export interface RoomOfBatch extends Room {
  readonly batch: string;
  readonly standing: KnownFile['standing'];
}

export interface ProjectRoom {
  /** Files of takes, by batch and by how their take stands. */
  readonly takes: readonly RoomOfBatch[];
  /** Recipes, lists, downloads under way and what else lies in `.dailies`. */
  readonly own: Room;
  /** Everything else in the folder: manifests, reports, and what a person put there. */
  readonly others: Room;
  readonly total: Room;
}

const nothing: Room = { files: 0, bytes: 0, onDisk: 0 };

/** Looks at every file in a project's folder: the figures are those of `du`. Links are not followed and not counted. */
export async function readRoom(project: string, known: readonly KnownFile[]): Promise<ProjectRoom> {
  const byFile = new Map(known.map((each) => [each.file, each]));
  const takes = new Map<string, RoomOfBatch>();
  let [own, others, total] = [nothing, nothing, nothing];
  for await (const { place, bytes, onDisk } of allFilesIn(project)) {
    const more = { files: 1, bytes, onDisk };
    total = sum(total, more);
    const of = byFile.get(place.names.join('/'));
    if (of) {
      const key = `${of.standing} ${of.batch}`;
      const before = takes.get(key) ?? { ...nothing, batch: of.batch, standing: of.standing };
      takes.set(key, { ...before, ...sum(before, more) });
    } else if (place.names[0] === '.dailies') own = sum(own, more);
    else others = sum(others, more);
  }
  return { takes: [...takes.values()], own, others, total };
}

const sum = (one: Room, other: Room): Room => ({
  files: one.files + other.files,
  bytes: one.bytes + other.bytes,
  onDisk: one.onDisk + other.onDisk,
});
