import * as z from 'zod';

/** How long something takes, ms, or when it ends, ms: as likely earlier as later than `usual`, eight times in ten within the span. */
export const TimeSpan = z.object({ early: z.number(), usual: z.number(), late: z.number() });
export type TimeSpan = z.infer<typeof TimeSpan>;

export const mapSpan = ({ early, usual, late }: TimeSpan, change: (ms: number) => number): TimeSpan => ({
  early: change(early),
  usual: change(usual),
  late: change(late),
});
