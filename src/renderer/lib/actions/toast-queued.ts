import type { BatchView } from '../../../contract/batch.ts';
import { isHeldBy, queuedInWords } from '../queued-words.ts';
import { projects } from '../state/projects.svelte.ts';
import { queue } from '../state/queue.svelte.ts';
import { toast } from '../toasts.ts';

interface StartedBatch {
  readonly batch: Pick<BatchView, 'id' | 'projectId' | 'name'>;
  readonly newTakes: number;
}

/** Says in passing what became of a start in the open project: takes are queued, and sent as soon as they can be. */
export function toastQueued({ batch, newTakes }: StartedBatch, action?: Parameters<typeof toast>[1]): void {
  const isSample = projects.current?.isSample ?? false;
  const { id: batchId, projectId } = batch;
  const gates = queue.view?.status.gates.filter((gate) => isHeldBy({ projectId, batchId }, gate)) ?? [];
  toast(queuedInWords({ takes: newTakes, batch: batch.name, isSample }, gates), action);
}
