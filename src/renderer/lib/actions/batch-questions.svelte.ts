import type { BatchView } from '../../../contract/batch.ts';
import type { NightWindow } from '../../../contract/night-window.ts';
import { api } from '../client.ts';
import { toastError } from '../toasts.ts';

/** What a dialog asks about a batch; `window` is the one that the batch has now. */
type BatchQuestion = { readonly batch: BatchView } & (
  { readonly about: 'name' | 'notes' } | { readonly about: 'window'; readonly window: NightWindow | null }
);

/** The open question about a batch, wherever in the window it was asked for: the window shows one dialog for it. */
class BatchQuestions {
  open = $state.raw<BatchQuestion | null>(null);

  ask(about: 'name' | 'notes', batch: BatchView): void {
    this.open = { about, batch };
  }

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

  close(): void {
    this.open = null;
  }
}

export const batchQuestions = new BatchQuestions();
