import type { TakeChanges } from '../../../../contract/review.ts';
import { api } from '../../../lib/client.ts';
import { tellAnswers } from '../../../lib/jobs/ask-jobs.ts';
import { tellWithUndo } from '../../../lib/toasts.ts';
import { takeName } from '../words.ts';

/** Queues another take of a shot and offers to take it back. Throws what the engine refuses; nothing is queued then. */
export async function queueTake(takeId: string, changes: TakeChanges = { cells: {} }): Promise<void> {
  const made = await api.takes.another({ takeId, changes });
  tellWithUndo(`Queued ${takeName(made)}: it goes out in some seconds, before everything else.`, async () => {
    const answers = await api.jobs.withdraw({ ids: [made.id] });
    tellAnswers(answers, () => `${takeName(made)} taken back. Nothing was sent.`);
  });
}
