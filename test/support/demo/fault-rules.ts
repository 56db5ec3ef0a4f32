import { z } from 'zod';
import { MEDIA_KINDS } from '../../../src/demo/models.ts';
import { ANSWER_SHAPES, RECORD_PLACES, RECORD_WRAPPERS } from './record-shapes.ts';
import { UNFAMILIAR } from './unfamiliar.ts';

const count = z.number().int().min(0);
const milliseconds = z.number().min(0);

const commit = z
  .boolean()
  .optional()
  .describe('true: the task is created and billed before the fault strikes; false: nothing was created');

const fault = <const Name extends string, Shape extends z.ZodRawShape = Record<never, never>>(
  name: Name,
  shape = {} as Shape,
) => z.object({ fault: z.literal(name), ...shape });

/**
 * Everything that can go wrong on purpose. Bytes are bytes of the answer's body. A fault that spoils an
 * answer (`cut`, `no-id`, `drip`, `overlong`) needs the answer, so the request has its effect first.
 */
const faultSchema = z.discriminatedUnion('fault', [
  fault('status', {
    status: z.number().int().min(200).max(599),
    body: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
    contentType: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    commit,
  }),
  fault('rate-limit', {
    seconds: z.number().min(0).optional(),
    as: z.enum(['seconds', 'date', 'absent']).optional(),
    retryAfter: z.string().optional().describe('the header word for word, however absurd; goes before the others'),
  }),
  fault('reset', { commit, afterBytes: count.optional() }),
  fault('break-request', {
    afterBytes: count.describe('bytes of the request’s body that are read before the connection is cut'),
  }),
  fault('hang', { commit }),
  fault('stall', { afterBytes: count.optional() }),
  fault('cut', {
    afterBytes: count.optional(),
    framing: z.enum(['length', 'chunked']).optional(),
  }),
  fault('overlong', { extraBytes: count.optional() }),
  fault('drip', { bytes: z.number().int().min(1).optional(), pauseMs: milliseconds.optional() }),
  fault('no-id'),
  fault('not-json', { body: z.string().optional(), commit }),
  fault('html', { status: z.number().int().optional(), commit }),
  fault('empty', { commit }),
  fault('redirect', {
    to: z.string().describe("'same', 'other', 'private', 'loop', or a whole address"),
    status: z.number().int().min(301).max(308).optional(),
  }),
  fault('format', { as: z.enum(UNFAMILIAR) }),
  fault('results', {
    order: z.array(z.number().int().min(1)).describe('which outputs a task names, from 1, and in which order'),
    moved: z.boolean().optional().describe('true: under paths that differ from all before'),
  }),
  fault('content-type', { value: z.string() }),
  fault('encoded', {
    as: z.enum(['gzip', 'deflate', 'br']),
    isLie: z.boolean().optional().describe('true: the header says so, and the body is as it was'),
  }),
  fault('continue').describe('an interim answer goes before the answer'),
  fault('task-status', {
    status: z.string(),
    message: z.string().optional(),
    keepOutput: z.boolean().optional().describe('true: the result addresses stay in the answer'),
  }),
  fault('other-model', {
    model: z.string().describe('the model that a task says has made it'),
  }),
  fault('binding', {
    status: z.string().describe('what is said of every reference of the task; `bound` is the usual word'),
  }),
  fault('outcome', {
    end: z.enum(['succeeded', 'failed', 'cancelled', 'canceled', 'never']).optional(),
    message: z.string().optional(),
    code: z.string().optional(),
    takesMs: milliseconds.optional(),
  }),
  fault('music-tasks', {
    as: z
      .enum(['ids', 'records'])
      .describe('ids: the submit is answered with several tasks; records: one task is shown as several records'),
    ends: z.array(z.enum(['succeeded', 'failed', 'never'])).min(2),
  }),
  fault('list-echo').describe('the list of job-style tasks gives each task the state that was asked for'),
  fault('answer-shape', {
    shape: z
      .enum(ANSWER_SHAPES)
      .describe('how a synchronous answer holds its pictures; "unknown" is one that nobody can read'),
  }),
  fault('task-id', {
    id: z
      .string()
      .describe('the id of the task that is made; digits alone are sent as a number; one in use is given out again'),
  }),
  fault('asset-outcome', {
    end: z.enum(['ready', 'failed', 'disabled', 'never']),
    message: z.string().optional(),
  }),
  fault('record-shape', {
    place: z.enum(RECORD_PLACES).optional().describe('where a finished record shows its result'),
    wrapper: z.enum(RECORD_WRAPPERS).optional().describe('what stands around the record'),
    silent: z.boolean().optional().describe('true: the record has no status'),
  }),
  fault('wrong-range'),
  fault('ignore-range'),
  fault('range-not-satisfiable'),
  fault('changed-content'),
  fault('expired', { status: z.number().int().optional() }),
]);
export type Fault = z.infer<typeof faultSchema>;

/**
 * Which requests a fault strikes. All given conditions must hold. In `path` a `*` stands for any characters.
 * `prompt` is a piece of the prompt of the task that is created, polled or downloaded.
 * From the `nth` matching request on (default the first), `times` requests are struck (default 1);
 * with `each: 'task'` every task has its own count.
 */
const faultMatchSchema = z.object({
  method: z.string().optional(),
  path: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  prompt: z.string().optional(),
  model: z.string().optional(),
  kind: z.enum(MEDIA_KINDS).optional(),
  nth: z.number().int().min(1).optional(),
  times: z.union([z.number().int().min(1), z.literal('always')]).optional(),
  each: z.literal('task').optional(),
});

export const faultRuleSchema = z.object({ match: faultMatchSchema.optional(), do: faultSchema });
export type FaultRule = z.infer<typeof faultRuleSchema>;

export const outageSchema = z.object({
  /** `refused` closes the port, `reset` cuts each request, a number answers with that status. */
  answer: z.union([z.literal('refused'), z.literal('reset'), z.number().int().min(500).max(599)]),
  /** Milliseconds of the service's clock; without it the outage lasts until it is lifted. */
  forMs: milliseconds.optional(),
});
export type Outage = z.infer<typeof outageSchema>;
