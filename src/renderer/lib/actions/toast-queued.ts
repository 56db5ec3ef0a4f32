import type { BatchView } from '../../../contract/batch.ts';
import { timeInWords } from '../../../contract/in-words.ts';
import { t, saySentences } from '../../../contract/messages/words.ts';
import { windowFor } from '../../../contract/night-window.ts';
import { api } from '../client.ts';
import { isHeldBy, unsentInWords } from '../queued-words.ts';
import { projects } from '../state/projects.svelte.ts';
import { queue } from '../state/queue.svelte.ts';
import { toast } from '../toasts.ts';

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
