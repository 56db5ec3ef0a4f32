import * as z from 'zod';
import { Failure } from './failure.ts';
import { JOB_STYLE, TYPOGRAPHY } from './kinds/image.ts';

/** Which family describes a picture: typography, or the job-style one. */
export const Describer = z.enum(['typo', 'job']);
export type Describer = z.infer<typeof Describer>;

/** The model under which the price of a description is set: no request of either names one. */
export const describerModel: Readonly<Record<Describer, string>> = { typo: TYPOGRAPHY, job: JOB_STYLE };

export const DescribeRequest = z.object({
  /** A file of a take, or the absolute path of any picture. */
  picture: z.union([
    z.object({ takeId: z.string().min(1).max(200), output: z.int().min(1) }),
    z.object({ path: z.string().min(1).max(4096) }),
  ]),
  describer: Describer,
  /** A person agrees to a second charge for the same picture. */
  isAgreed: z.boolean().default(false),
});
export type DescribeRequest = z.infer<typeof DescribeRequest>;

export const Described = z.union([
  z.object({
    type: z.literal('described'),
    callId: z.string(),
    /** The answer was paid for by an earlier call, and nothing was sent. */
    wasPaid: z.boolean(),
    texts: z.array(z.string()).min(1),
  }),
  z.object({ type: z.literal('failed'), failure: Failure }),
]);
export type Described = z.infer<typeof Described>;
