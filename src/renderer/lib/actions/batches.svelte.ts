import type { BatchView } from '../../../contract/batch.ts';
import { t, saySentences } from '../../../contract/messages/words.ts';
import { type NightWindow, windowFor } from '../../../contract/night-window.ts';
import { act } from '../act.ts';
import { api } from '../client.ts';
import { openList } from '../files.ts';
import { toastError, toast } from '../toasts.ts';
import { timeInWords } from '../../../contract/in-words.ts';
import { isHeldBy, unsentInWords } from '../queued-words.ts';
import { projects } from '../state/projects.svelte.ts';
import { queue } from '../state/queue.svelte.ts';

/** What a dialog asks about a batch; `window` is the one that the batch has now. */
type BatchQuestion = { readonly batch: BatchView } & (
  | { readonly about: 'name' | 'notes' }
  | { readonly about: 'window'; readonly window: NightWindow | null }
);

class BatchQuestions {
  open = $state.raw<BatchQuestion | null>(null);

  /** A batch's own window is read only now, because few of many batches have one. */
  async askWindow(batch: BatchView): Promise<void> {
    try {
      const all = await api.windows.list();
      const own = all.find(({ scope }) => scope.scope === 'batch' && scope.batchId === batch.id);
      this.open = { about: 'window', batch, window: own?.window ?? null };
    } catch (error) {
      toastError(error);
    }
  }
}

export const batchQuestions = new BatchQuestions();

export const archiveBatch = ({ id }: BatchView): Promise<unknown> =>
  act('batches.archive', { batchId: id }).catch(toastError);

export const unarchiveBatch = ({ id }: BatchView): Promise<unknown> =>
  act('batches.unarchive', { batchId: id }).catch(toastError);

export async function duplicateBatch({ id, projectId, name }: BatchView): Promise<void> {
  const copyAs = t('batch.copyName', { batch: name.slice(0, 150) });
  await openList(projectId, { type: 'batch', batchId: id, copyAs }).catch(toastError);
}

interface StartedBatch {
  readonly batch: Pick<BatchView, 'id' | 'projectId' | 'name'>;
  readonly newTakes: number;
  /** When its takes are sent, ms, where they are on hold until then. */
  readonly at?: number | null;
}

/** Says in passing what became of a start in the open project: takes are queued, and what they wait for. Never rejects. */
export async function toastQueued(
  { batch: { id: batchId, projectId, name: batch }, newTakes: takes, at = null }: StartedBatch,
  action?: Parameters<typeof toast>[1],
): Promise<void> {
  const unsent = at === null ? await whyUnsent({ projectId, batchId }) : t('when.waits', { time: timeInWords(at) });
  toast(saySentences(t('window.queued', { takes, batch }), unsent), action);
}

/**
 * Why takes in the open project that were queued just now are not sent yet, as it is after that: only a sent take costs
 * money. Empty where nothing is known to hold them back. Never rejects.
 */
export async function whyUnsent(takes: Parameters<typeof isHeldBy>[0]): Promise<string> {
  const [windows] = await Promise.all([api.windows.list().catch(() => []), queue.read()]);
  return unsentInWords({
    gates: queue.view?.status.gates.filter((gate) => isHeldBy(takes, gate)) ?? [],
    window: windowFor(takes, windows),
    isSample: projects.current?.isSample ?? false,
  });
}
