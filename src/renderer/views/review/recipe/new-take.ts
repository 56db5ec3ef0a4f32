import type { TakeChanges } from '../../../../contract/review.ts';
import { api } from '../../../lib/client.ts';
import { toastAnswers } from '../../../lib/jobs/ask-jobs.ts';
import { toastWithUndo } from '../../../lib/toasts.ts';
import { takeName } from '../words.ts';

/** Queues another take of a shot and offers to take it back. Throws what the engine refuses; nothing is queued then. */
export async function queueTake(takeId: string, changes: TakeChanges = { cells: {} }): Promise<void> {
  const made = await api.takes.another({ takeId, changes });
  toastWithUndo(`Queued ${takeName(made)}: it goes out in some seconds, before everything else.`, async () => {
    const answers = await api.jobs.withdraw({ ids: [made.id] });
    toastAnswers(answers, () => `${takeName(made)} taken back. Nothing was sent.`);
  });
}
