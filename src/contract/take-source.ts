import * as z from 'zod';

/** How a take came from another one: `reference` by a cell that names its shot, the others by a person's command. */
export const SourceUse = z.enum([
  'reference',
  'again',
  'changes',
  'edit',
  'variation',
  'remix',
  'upscale',
  'blend',
  'action',
  'extend',
]);
export type SourceUse = z.infer<typeof SourceUse>;

/** A take that another one came from. */
export const TakeSource = z.object({
  takeId: z.string(),
  how: SourceUse,
  /** The cell it took the place of, as written. */
  parameter: z.string().optional(),
  cell: z.string().optional(),
  /** The file that was used. */
  output: z.int().min(1).optional(),
  sha256: z.string().optional(),
  /** The text of the cell, if it is text. */
  text: z.string().optional(),
});
export type TakeSource = z.infer<typeof TakeSource>;

/** A take that another one came from, or went into, for people. `shot` and `take` are absent where it is not known here. */
export const TakeLink = TakeSource.pick({ takeId: true, how: true, output: true }).extend({
  shot: z.string().optional(),
  take: z.int().optional(),
});
export type TakeLink = z.infer<typeof TakeLink>;
