import * as z from 'zod';
import { JobView, Resolution } from '../job.ts';
import { Text } from '../messages/message.ts';
import { command, Id } from './command.ts';

export const MAX_IDS = 20_000;

export const Ids = z.array(Id).min(1).max(MAX_IDS);

export const JobAnswers = z.object({ done: z.int(), refused: z.array(z.object({ job: JobView, problem: Text })) });
export type JobAnswers = z.infer<typeof JobAnswers>;

/** Higher goes first; null: as high as the list says. */
const Priority = z.int().min(-1_000_001).max(1_000_001).nullable();

/** Each job answers for itself, and none waits for what holds a project. */
const each = {
  touches: 'takes',
  refusesItself: 'each job is refused by its own state or archive',
  commits: 'own',
  output: JobAnswers,
} as const;

export const jobCommands = {
  /** Asks again: fetches or follows what still exists; submits again only where the service refused or failed. */
  retry: command({
    ...each,
    input: z.object({ ids: Ids }),
    log: 'takes.retried',
    label: 'common.tryAgain',
    cli: 'jobs retry [<ID>...]',
    spends: true,
  }),
  /** Stops following. The service has no cancel: an accepted task runs on there and is charged. */
  cancel: command({
    ...each,
    input: z.object({ ids: Ids }),
    log: 'takes.cancelled',
    label: 'common.cancel',
    cli: 'jobs cancel [<ID>...]',
  }),
  /** Cancels those that were not sent yet, which costs nothing; the others are refused. */
  withdraw: command({ ...each, input: z.object({ ids: Ids }), log: 'takes.cancelled', label: 'common.cancel' }),
  hold: command({
    ...each,
    input: z.object({ ids: Ids, held: z.boolean() }),
    log: ['takes.held', 'takes.released'],
    label: 'queue.hold',
    spends: true,
  }),
  /** Ends the waits of rows with `wait_for` release, or has the rows wait again as long as they are not sent. */
  release: command({
    ...each,
    input: z.object({ ids: Ids, released: z.boolean() }),
    log: ['takes.waitEnded', 'takes.waitRestored'],
    label: 'queue.releaseWaits',
    spends: true,
  }),
  /** Puts them into another place in line: all into one, or each into its own. */
  prioritise: command({
    ...each,
    input: z.object({ ids: Ids, priority: z.union([Priority, z.array(Priority).max(MAX_IDS)]) }),
    log: 'takes.moved',
    label: 'queue.sendFirst',
  }),
  resolve: command({
    ...each,
    input: z.object({ jobId: Id, resolution: Resolution }),
    log: 'takes.decided',
    label: 'common.decide',
    cli: 'jobs resolve <ID>',
    spends: true,
  }),
};
