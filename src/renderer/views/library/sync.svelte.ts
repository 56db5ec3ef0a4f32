import type { SyncReport } from '../../../contract/asset.ts';
import { api, toTrouble, type Trouble } from '../../lib/client.ts';
import { toast } from '../../lib/toasts.ts';
import { t, sayText } from '../../../contract/messages/words.ts';

/** How often the service is asked while it prepares something, ms: at first, and at most this seldom. */
const SOONEST_MS = 5000;
const LATEST_MS = 60_000;
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

  async run(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.trouble = null;
    try {
      const report = await this.#sync();
      this.trouble = incomplete(report);
      toast(toOutcome(report));
    } catch (error) {
      this.trouble = toTrouble(error);
    } finally {
      this.busy = false;
    }
  }

  /**
   * Syncs now and then in the background until the returned function is called: at once when the last time is long ago,
   * then while `isWaiting` says that the service is preparing something. For `$effect`.
   */
  follow(isWaiting: () => boolean): () => void {
    let wait = SOONEST_MS;
    let timer = setTimeout(() => void begin(), 0);
    const begin = async (): Promise<void> => {
      await this.#readLast();
      await turn(Date.now() - (this.lastAt ?? 0) > STALE_MS);
    };
    const turn = async (isDue: boolean): Promise<void> => {
      const waits = isWaiting();
      if (isDue || waits) await this.#quietly();
      // What takes long is asked about less and less often; something new is asked about soon again.
      wait = waits ? Math.min(wait * 1.5, LATEST_MS) : SOONEST_MS;
      if (!stopped) timer = setTimeout(() => void turn(false), wait);
    };
    let stopped = false;
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }

  /** Another window may have done it meanwhile. */
  async #readLast(): Promise<void> {
    try {
      this.lastAt = await api.library.syncedAt(this.#of);
    } catch {
      // Without it the library counts as not in step, and is brought there.
    }
  }

  /** No person asked for it, so a failure is not reported: the time of the last one says enough. */
  async #quietly(): Promise<void> {
    if (this.busy || document.hidden) return;
    try {
      await this.#sync();
    } catch {
      // Tried again later, and by the button, which says why it fails.
    }
  }

  async #sync(): Promise<SyncReport> {
    const report = await api.library.sync(this.#of);
    this.lastAt = Date.now();
    return report;
  }
}

function incomplete({ problems }: SyncReport): Trouble | null {
  if (problems.length === 0) return null;
  return {
    message: t('library.groupsNotListed', { count: problems.length, problems: problems.map(sayText).join(' ') }),
    remedy: t('library.groupsNotListedRemedy'),
  };
}

function toOutcome({ added, changed, vanished, adopted }: SyncReport): string {
  const parts = [
    added > 0 && t('library.syncAdded', { count: added }),
    changed > 0 && t('library.syncChanged', { count: changed }),
    vanished > 0 && t('library.syncVanished', { count: vanished }),
    adopted > 0 && t('library.syncAdopted', { count: adopted }),
  ].filter((part) => part !== false);
  return parts.length === 0
    ? t('library.syncedUnchanged')
    : t('library.synced', { changes: parts.join(t('common.listSeparator')) });
}
