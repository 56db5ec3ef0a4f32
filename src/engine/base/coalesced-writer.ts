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
export function createCoalescedWriter({ clock, logger, what, write }: CoalescedWriterOptions) {
  const files = new Map<string, ReturnType<typeof open>>();

  function open(id: string) {
    let hasChanged = false;
    let notBefore = 0;
    let hurry = new AbortController();
    let running: Promise<void> | null = null;

    async function writeNow(): Promise<boolean> {
      const startedAt = clock.now();
      hasChanged = false;
      try {
        await write(id);
        notBefore = clock.now() + COST_FACTOR * (clock.now() - startedAt);
        return true;
      } catch (error) {
        // A file that is open in another program must not stop the takes; it is written later.
        hasChanged = true;
        notBefore = clock.now() + RETRY_MS;
        logger.warn(`A ${what} could not be written`, { [what]: id, problem: toMessage(error) });
        return false;
      }
    }

    async function writeChanges(): Promise<void> {
      const { signal } = hurry;
      while (hasChanged && !signal.aborted) {
        const waitMs = Math.max(GATHER_MS, notBefore - clock.now());
        await clock.sleep(waitMs, { signal }).catch(() => undefined);
        if (!signal.aborted) await writeNow();
      }
      running = null;
    }

    return {
      touch(): void {
        hasChanged = true;
        if (!hurry.signal.aborted) running ??= writeChanges();
      },
      async flush(): Promise<void> {
        hurry.abort();
        await running;
        const isWritten = hasChanged && (await writeNow());
        if (hurry.signal.aborted) hurry = new AbortController();
        // Changed while it was written.
        if (isWritten && hasChanged) running ??= writeChanges();
      },
    };
  }

  return {
    /** The file's content has changed and will be written soon. Cheap: may be called for every row. */
    touch(id: string): void {
      const file = files.get(id) ?? open(id);
      files.set(id, file);
      file.touch();
    },
    /** Writes all pending files now. One that cannot be written is logged, and stays pending. */
    async flush(): Promise<void> {
      for (const file of files.values()) await file.flush();
    },
  };
}
