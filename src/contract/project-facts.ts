import * as z from 'zod';
import { Counts } from './job.ts';
import { LedgerTotals } from './ledger.ts';
import { TakeTally } from './review.ts';

/** Files: how many, their length, and the space they take on the disk, bytes. */
const Room = z.object({ files: z.int(), bytes: z.number(), onDisk: z.number() });
export type Room = z.infer<typeof Room>;

/** How the take of a file stands; `trash` for a file that lies there. */
const RoomStanding = z.enum(['saved', 'failed', 'unknown', 'cancelled', 'unfinished', 'trash']);
export type RoomStanding = z.infer<typeof RoomStanding>;

const ProjectRoom = z.object({
  /** Files of takes, by batch and by how their take stands. */
  takes: z.array(Room.extend({ batch: z.string(), standing: RoomStanding })),
  /** Recipes, lists, downloads under way and what else lies in `.dailies`. */
  own: Room,
  /** Everything else in the folder: manifests, reports, and what a person put there. */
  others: Room,
  total: Room,
});
export type ProjectRoom = z.infer<typeof ProjectRoom>;

/** What there is of a project. */
export const ProjectFacts = z.object({
  room: ProjectRoom,
  takes: Counts,
  verdicts: TakeTally,
  /** By the user's own prices. */
  spent: LedgerTotals.nullable(),
  currency: z.string(),
  /** When the first take was queued, and when one last changed, ms; null without takes. */
  dates: z.object({ first: z.number().nullable(), last: z.number().nullable() }),
});
export type ProjectFacts = z.infer<typeof ProjectFacts>;
