import * as z from 'zod';
import { Counts, Standing } from './job.ts';
import { LedgerTotals } from './ledger.ts';
import { FlagCounts } from './review.ts';

/** Files: how many, their length, and the space they take on the disk, bytes. */
const DiskUse = z.object({ files: z.int(), bytes: z.number(), onDisk: z.number() });
export type DiskUse = z.infer<typeof DiskUse>;

/** The standing of a file's take; `trash` for a file in the trash. */
const RoomStanding = z.enum([...Standing.options, 'trash']);
export type RoomStanding = z.infer<typeof RoomStanding>;

const ProjectRoom = z.object({
  takes: z.array(DiskUse.extend({ batch: z.string(), standing: RoomStanding })),
  /** Recipes, lists, running downloads and everything else in `.dailies`. */
  own: DiskUse,
  /** Everything else in the folder: manifests, reports, and a person's own files. */
  others: DiskUse,
  total: DiskUse,
});
export type ProjectRoom = z.infer<typeof ProjectRoom>;

export const ProjectFacts = z.object({
  room: ProjectRoom,
  takes: Counts,
  verdicts: FlagCounts,
  /** By the user's own prices. */
  spent: LedgerTotals.nullable(),
  currency: z.string(),
  /** When the first take was queued, and when one last changed, ms; null without takes. */
  dates: z.object({ first: z.number().nullable(), last: z.number().nullable() }),
});
export type ProjectFacts = z.infer<typeof ProjectFacts>;
