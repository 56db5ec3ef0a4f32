import * as z from 'zod';

/** What a service may list values of. `output_format` is no column of ours; a `param.output_format` is compared with it. */
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

/** What the service lists for a model, in its own words: hints, never rules. A range of seconds is written `4-15`. */
export const Capabilities = z.partialRecord(Listable, z.array(z.string()).readonly());
export type Capabilities = z.infer<typeof Capabilities>;
