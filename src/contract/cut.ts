import * as z from 'zod';
import { Rate } from './rate.ts';
import { MAX_KEY, MAX_NAME } from './units.ts';

/*
 * A cut: the picks of a project in a row, with music. It holds what a person decided and nothing that a file says of
 * itself; `layOut` puts both together (see `timeline.ts`). Frames are integers, ranges half-open.
 */

export const MAX_CLIPS = 5000;
const MAX_ALTERNATES = 20;
const MAX_MUSIC = 50;
const Frame = z.int().min(0).max(100_000_000);
const Name = z.string().min(1).max(MAX_NAME);
export const ClipId = z.string().regex(/^[\w-]{1,40}$/);

export const Clip = z.object({
  id: ClipId,
  shot: z.object({ batchId: z.string().max(MAX_KEY), key: z.string().min(1).max(MAX_KEY) }),
  /** Null: a slate takes its place. */
  take: z.string().max(MAX_KEY).nullable(),
  output: z.int().min(1),
  /** Frames of the file; absent: the mark of the take, else where the file begins and ends. */
  in: Frame.optional(),
  out: Frame.min(1).optional(),
  /** Frames of the cut for which a still or a slate is shown. */
  length: Frame.min(1).optional(),
  /** A clip that is switched off keeps its place in the list and takes no time. */
  enabled: z.boolean(),
  /** Other takes of the shot that an editor gets with it. */
  alternates: z.array(z.string().max(MAX_KEY)).max(MAX_ALTERNATES),
});
export type Clip = z.infer<typeof Clip>;

/** One after the other, from the beginning of the cut. `in` and `out` in frames of the cut. */
export const Music = z.object({
  id: ClipId,
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('take'), take: z.string().max(MAX_KEY), output: z.int().min(1) }),
    /** A file that was copied into the project, by its hash. */
    z.object({ type: z.literal('file'), sha256: z.string().regex(/^[0-9a-f]{64}$/), name: Name }),
  ]),
  in: Frame.optional(),
  out: Frame.min(1).optional(),
  /** dB; 0 leaves it as it is. */
  gain: z.number().min(-60).max(12),
});
export type Music = z.infer<typeof Music>;

export const Cut = z.object({
  name: Name,
  rate: Rate,
  clips: z.array(Clip).max(MAX_CLIPS),
  music: z.array(Music).max(MAX_MUSIC),
});
export type Cut = z.infer<typeof Cut>;
