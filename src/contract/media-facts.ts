import * as z from 'zod';
import { Rate, timecode } from './rate.ts';

/** What a file of a take says of itself, read when the take is saved. A fact that the file does not have is absent. */
export const MediaFacts = z.object({
  /** Length of what plays, s. */
  seconds: z.number().min(0).optional(),
  /** As shown: pixels that are not square and a rotation are applied. */
  width: z.int().min(1).optional(),
  height: z.int().min(1).optional(),
  /** Of a film with a varying rate, the nominal one. */
  rate: Rate.optional(),
  /** Shown frames: what an edit list cuts off is not among them. */
  frames: z.int().min(0).optional(),
  isVariable: z.literal(true).optional(),
  /** Timecode of the first frame, counted in frames. */
  timecode: z.object({ frame: z.int().min(0), drop: z.literal(true).optional() }).optional(),
  channels: z.int().min(1).optional(),
  /** Hz. */
  sampleRate: z.int().min(1).optional(),
});
export type MediaFacts = z.infer<typeof MediaFacts>;

/** `01:00:00:00`: the timecode of the first frame; undefined where the file has none. Pure. */
export const startTimecode = ({ timecode: start, rate }: MediaFacts): string | undefined =>
  start && rate && timecode(start.frame, rate, { drop: start.drop === true });
