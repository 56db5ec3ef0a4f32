import type { SyncReport } from '../../../contract/asset.ts';
import { api, toTrouble, type Trouble } from '../../lib/client.ts';
import { toast } from '../../lib/toasts.ts';
import { t, sayText } from '../../../contract/messages/words.ts';

/** How often the service is asked while it prepares something, ms. */
const EVERY_MS = 15_000;
/** Opening the view syncs again when the last sync is older than this, ms. */
const STALE_MS = 5 * 60_000;

export class LibrarySync {
  readonly #of: { projectId?: string };
  busy = $state(false);
  /** When it last went through, from whichever window, ms; null when that is not known. */
  lastAt = $state<number | null>(null);
  /** Why the last one did not go through, or not whole. */
  trouble = $state.raw<Trouble | null>(null);

  constructor(of: { projectId?: string }) {
    this.#of = of;
  }

  /** `quietly`: no person asked for it, so that a failure is not told; the time of the last one says enough. */
  async run({ quietly = false } = {}): Promise<void> {
    if (this.busy || (quietly && document.hidden)) return;
    this.busy = !quietly;
    if (!quietly) this.trouble = null;
    try {
      const report = await api.library.sync(this.#of);
      this.lastAt = Date.now();
      if (quietly) return;
      this.trouble = incomplete(report);
      toast(toOutcome(report));
    } catch (error) {
      if (!quietly) this.trouble = toTrouble(error);
    } finally {
      if (!quietly) this.busy = false;
    }
  }

  /**
   * Syncs in the background until the returned function is called: at once when the last time is long ago, and now and
   * then while `isWaiting` says that the service is preparing something. For `$effect`.
   */
  follow(isWaiting: () => boolean): () => void {
    const timer = setInterval(() => {
      if (isWaiting()) void this.run({ quietly: true });
    }, EVERY_MS);
    void this.#begin();
    return () => clearInterval(timer);
  }

  async #begin(): Promise<void> {
    // Another window may have done it meanwhile. Without an answer the library counts as not in step.
    this.lastAt = await api.library.syncedAt(this.#of).catch(() => null);
    if (Date.now() - (this.lastAt ?? 0) > STALE_MS) await this.run({ quietly: true });
  }
}

function incomplete({ problems }: SyncReport): Trouble | null {
  if (problems.length === 0) return null;
  return {
    message: t('library.groupsNotListed', { count: problems.length, problems: problems.map(sayText).join(' ') }),
    remedy: '',
  };
}

function toOutcome({ added, changed, vanished, adopted }: SyncReport): string {
  const parts = [
    added > 0 && t('start.countNew', { count: added }),
    changed > 0 && t('start.countChanged', { count: changed }),
    vanished > 0 && t('library.syncVanished', { count: vanished }),
    adopted > 0 && t('library.syncAdopted', { count: adopted }),
  ].filter((part) => part !== false);
  return parts.length === 0
    ? t('library.syncedUnchanged')
    : t('library.synced', { changes: parts.join(t('common.listSeparator')) });
}
