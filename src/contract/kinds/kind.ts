import * as z from 'zod';
import { allKinds } from './all.ts';

export const Kind = z.enum(allKinds.map(({ kind }) => kind));
export type Kind = z.infer<typeof Kind>;

/** Fields whose values a service may list. `output_format` is no column: a `param.output_format` is compared. */
export const Listable = z.enum([
  'size',
  'resolution',
  'aspect_ratio',
  'duration',
  'operation',
  'response_format',
  'output_format',
]);
export type Listable = z.infer<typeof Listable>;

/** The service's list for a model, in its own words: hints, never rules. A range of seconds is written `4-15`. */
export const Capabilities = z.partialRecord(Listable, z.array(z.string()).readonly());
export type Capabilities = z.infer<typeof Capabilities>;
