import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Disk, Logger, Ports, Secrets } from '../engine/ports.ts';
import { systemCode } from '../engine/errors.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, options) => longWait(ms, options?.signal),
};

/** Node's timers end at once when asked for more than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

async function longWait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  for (let left = ms; ; left -= LONGEST_TIMER_MS) {
    try {
      await wait(Math.min(left, LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
    if (left <= LONGEST_TIMER_MS) return;
  }
}

export const systemDisk: Disk = {
  async freeBytes(path) {
    for (let folder = path; ; folder = dirname(folder)) {
      try {
        const { bavail, bsize } = await statfs(folder);
        return bavail * bsize;
      } catch (error) {
        // A folder that is yet to be made lies on the disk of the nearest one above it.
        if (systemCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
      }
    }
  },
};

export function portsOf(parts: { clock: Clock; logger: Logger; secrets: Secrets }): Ports {
  return { ...parts, disk: systemDisk };
}
