import { takeName } from './words.ts';
import { toastAnswers } from '../../lib/jobs/ask-jobs.ts';
import { MOST_CARRIED, type Derivation, type TakeView, type TakeChanges } from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';
import { toast, toastError, toastWithUndo } from '../../lib/toasts.ts';
import { counted } from '../../lib/words.ts';

/** Puts the paths of the takes' files on the clipboard, a line each. */
export async function copyPaths(takes: readonly Pick<TakeView, 'id' | 'outputs'>[]): Promise<void> {
  const ids = takes.filter(({ outputs }) => outputs.length > 0).map(({ id }) => id);
  if (ids.length > MOST_CARRIED) {
    toastError(new Error(`Paths of ${MOST_CARRIED} takes at most are copied at once. Select fewer of them.`));
    return;
  }
  try {
    const { paths } = await api.desktop.paths({ ids });
    await navigator.clipboard.writeText(paths.join('\n'));
    toast(paths.length === 1 ? 'Path copied' : `${counted(paths.length, 'path')} copied`);
  } catch (error) {
    toastError(error);
  }
}

/** Queues another take of a shot and offers to take it back. Throws what the engine refuses; nothing is queued then. */
export async function queueTake(
  takeId: string,
  changes: TakeChanges = { cells: {} },
  derivation?: Derivation,
): Promise<void> {
  const made = await api.takes.another({ takeId, changes, ...(derivation && { derivation }) });
  toastWithUndo(`Queued ${takeName(made)}: it goes out in some seconds, before everything else.`, async () => {
    const answers = await api.jobs.withdraw({ ids: [made.id] });
    toastAnswers(answers, () => `${takeName(made)} taken back. Nothing was sent.`);
  });
}
