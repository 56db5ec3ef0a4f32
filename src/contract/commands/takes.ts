import * as z from 'zod';
import { NewTake, TakeView } from '../review.ts';
import { TrashDone } from '../trash.ts';
import { Verdict, VerdictChange } from '../verdict.ts';
import { command, Id } from './command.ts';
import { JobView, Resolution } from '../job.ts';
import { Text } from '../messages/message.ts';

/** Jobs in one call at most. */
export const MAX_IDS = 20_000;

const Ids = z.array(Id).min(1).max(MAX_IDS);

/** For how many it was done, and for which it was refused. */
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
  /** Holds jobs, or releases them. */
  hold: command({
    ...each,
    input: z.object({ ids: Ids, held: z.boolean() }),
    log: ['takes.held', 'takes.released'],
    label: 'queue.hold',
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

/** Which window judges, so that it knows its own events. */
const by = z.string().max(100).default('');

/** Each take that stays where it is says why. */
const moving = { touches: 'files of takes', commits: 'own', input: z.object({ ids: Ids }), output: TrashDone } as const;

export const takeCommands = {
  /** Sets the given fields and leaves the rest. Refused for a bad tag. */
  judge: command({
    input: z.object({ ids: Ids, verdict: VerdictChange, by }),
    ...{ touches: 'takes', commits: 'own', log: 'takes.judged', label: 'group.verdict' },
  }),
  /** Undoes a change of verdicts: restores what was `before` it, except where a later change set it again. */
  restore: command({
    input: z.object({
      before: z.array(z.object({ takeId: Id, verdict: Verdict })).max(MAX_IDS),
      verdict: VerdictChange,
      by,
    }),
    ...{ touches: 'takes', commits: 'own', log: 'verdicts.undone', label: 'common.undo' },
  }),
  /** Queues a take made from another one, of the same shot. Refused with the defects when a change does not fit. */
  another: command({
    ...{ input: NewTake, output: TakeView },
    ...{ touches: 'takes', commits: 'own', log: 'takes.queued', label: 'review.queueTake', spends: true },
  }),
  /** Moves the files of takes into the trash of their project. Those that are still needed stay, with the reason. */
  trash: command({ ...moving, log: 'takes.trashed', label: 'trash.moveToTrash' }),
  /** Moves the files of takes back to their places. */
  untrash: command({ ...moving, log: 'takes.restored', label: 'trash.restoreFromTrash' }),
  /** Removes files of takes from the trash for good. */
  emptyTrash: command({ ...moving, log: 'trash.emptied', label: 'trash.emptyTrash' }),
};
