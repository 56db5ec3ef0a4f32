import type { Changes } from '../../../contract/events.ts';
import { requireProof, NotOurHostError } from '../../web/pass.ts';
import { api } from '../client.ts';

/** How long after a lost connection it is tried again, ms: first, and at most. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/**
 * The stream of what changes in the engine. Views listen while they are shown; after a gap, a sleep or a restart of the
 * engine the first message is a resync, after which they read everything again.
 */
class ChangeStream {
  connected = $state(false);
  #failed = $state(false);
  #lockedOut = $state(false);
  readonly #listeners = new Set<(changes: Changes) => void>();
  #running = false;

  /** True when there is no connection and at least one try was in vain: worth a word to the person. */
  get lost(): boolean {
    return this.#failed && !this.connected;
  }

  /** True when something answers, but not the run of Dailies that let this window in. */
  get lockedOut(): boolean {
    return this.lost && this.#lockedOut;
  }

  listen(listener: (changes: Changes) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        for await (const changes of await api.events.changes()) {
          this.connected = true;
          this.#failed = false;
          failures = 0;
          for (const listener of this.#listeners) listener(changes);
        }
      } catch (error) {
        // Shown as "no connection" where `lost` is read; tried again below.
        this.#lockedOut = error instanceof NotOurHostError;
      }
      requireProof();
      this.connected = false;
      this.#failed = true;
      await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)));
    }
  }
}

export const changeStream = new ChangeStream();
