import { toMessage } from './errors.ts';
import type { Clock, Logger } from './ports.ts';

export interface CoalescedWriterOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What it writes, for the log: `manifest`. */
  readonly what: string;
  readonly write: (id: string) => Promise<void>;
}

export type CoalescedWriter = ReturnType<typeof createCoalescedWriter>;

/** How long a file waits for more changes before it is written, ms. */
const GATHER_MS = 1000;
/** Writing takes at most a twentieth of the time, however large the file is. */
const COST_FACTOR = 20;
/** When to try again a file that another program holds open, ms. */
const RETRY_MS = 5000;

/** Keeps files up to date without writing them at each of many changes. */
export function createCoalescedWriter(options: CoalescedWriterOptions) {
  const files = new Map<string, CoalescedFile>();
  const of = (id: string): CoalescedFile => {
    const known = files.get(id) ?? new CoalescedFile(id, options);
    files.set(id, known);
    return known;
  };
  return {
    /** The file's content has changed and will be written soon. Cheap: may be called for every row. */
    touch: (id: string): void => of(id).touch(),
    /** Writes all pending files now. One that cannot be written is logged, and stays pending. */
    async flush(): Promise<void> {
      for (const file of files.values()) await file.flush();
    },
  };
}

class CoalescedFile {
  readonly #id: string;
  readonly #options: CoalescedWriterOptions;
  #changed = false;
  #notBefore = 0;
  #hurry = new AbortController();
  #running: Promise<void> | null = null;

  constructor(id: string, options: CoalescedWriterOptions) {
    this.#id = id;
    this.#options = options;
  }

  touch(): void {
    this.#changed = true;
    this.#running ??= this.#run();
  }

  async flush(): Promise<void> {
    this.#hurry.abort();
    await this.#running;
    if (this.#changed) await this.#write();
    this.#hurry = new AbortController();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#hurry;
    while (this.#changed && !signal.aborted) {
      const waitMs = Math.max(GATHER_MS, this.#notBefore - clock.now());
      await clock.sleep(waitMs, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#write();
    }
    this.#running = null;
  }

  async #write(): Promise<void> {
    const { clock, write, what, logger } = this.#options;
    const startedAt = clock.now();
    this.#changed = false;
    try {
      await write(this.#id);
      this.#notBefore = clock.now() + COST_FACTOR * (clock.now() - startedAt);
    } catch (error) {
      // A file that is open in another program must not stop the takes; it is written later.
      this.#changed = true;
      this.#notBefore = clock.now() + RETRY_MS;
      logger.warn(`A ${what} could not be written`, { [what]: this.#id, problem: toMessage(error) });
    }
  }
}
