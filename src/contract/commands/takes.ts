import * as z from 'zod';
import { MoreTakes, NewTake, TakeView } from '../review.ts';
import { TrashDone } from '../trash.ts';
import { Verdict, VerdictChange } from '../verdict.ts';
import { command, Id } from './command.ts';
import { Ids, MAX_IDS } from './jobs.ts';

/** Which window judges, so that it knows its own events. */
const by = z.string().max(100).default('');

const moving = { touches: 'files of takes', commits: 'own', input: z.object({ ids: Ids }), output: TrashDone } as const;

export const takeCommands = {
  /**
   * Sets the given fields and leaves the rest. The pick of a shot before it becomes an alternate. Refused for a bad tag,
   * for frames that a take does not have, and for two picks of one shot.
   */
  judge: command({
    input: z.object({ ids: Ids, verdict: VerdictChange, by }),
    ...{ touches: 'takes', commits: 'own', log: 'takes.judged', label: 'group.verdict' },
  }),
  /** Sets what a person chose of the review of a reel, all or nothing; refused as `judge` is. See `planReview`. */
  mergeReview: command({
    input: z.object({
      each: z
        .array(z.object({ takeId: Id, verdict: VerdictChange }))
        .min(1)
        .max(MAX_IDS),
    }),
    ...{ touches: 'takes', commits: 'own', log: 'takes.judged', label: 'reel.merge' },
  }),
  /** Undoes a change of verdicts: restores what was `before` it, except where a later change set it again. */
  restore: command({
    input: z.object({
      /** `set`: what was set of this one alone, as of the pick before it. */
      before: z.array(z.object({ takeId: Id, verdict: Verdict, set: VerdictChange.optional() })).max(2 * MAX_IDS),
      verdict: VerdictChange,
      by,
      /** What was set differs from take to take. */
      each: z.literal(true).optional(),
    }),
    ...{ touches: 'takes', commits: 'own', log: 'verdicts.undone', label: 'menu.role.undo' },
  }),
  /** Queues a take made from another one, of the same shot. Refused with the defects when a change does not fit. */
  another: command({
    ...{ input: NewTake, output: TakeView },
    ...{ touches: 'takes', commits: 'own', log: 'takes.queued', label: 'review.queueTake', spends: true },
  }),
  /**
   * Queues new takes of the shots of stale ones, by the rows as they are now. Those that are not stale, or that another
   * take replaces by now, are left: see `refreshPlan`, which is asked first.
   */
  refresh: command({
    ...{ input: z.object({ ids: Ids }), output: z.object({ takes: z.int() }) },
    ...{ touches: 'takes', commits: 'own', log: 'takes.queued', label: 'stale.makeAgain', spends: true },
  }),
  /** Queues takes that are made otherwise, each named in the new one. Refused as a whole where a change does not fit. */
  more: command({
    ...{ input: MoreTakes, output: z.array(TakeView) },
    ...{ touches: 'takes', commits: 'own', log: 'takes.queued', label: 'review.queueTakes', spends: true },
  }),
  /** Moves the files of takes into the trash of their project. Those that are still needed stay, with the reason. */
  trash: command({ ...moving, log: 'takes.trashed', label: 'trash.moveToTrash' }),
  untrash: command({ ...moving, log: 'takes.restored', label: 'trash.restoreFromTrash' }),
  emptyTrash: command({ ...moving, log: 'trash.emptied', label: 'trash.emptyTrash' }),
};
