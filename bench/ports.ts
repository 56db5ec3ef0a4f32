import { systemClock } from '../src/host/process-environment.ts';
import type { Ports } from '../src/engine/base/ports.ts';
import { freeBytes } from '../src/engine/files/existing-paths.ts';

export const BENCH_KEY = 'bench-key';

/** The real clock and disk; a log that nobody reads. */
export function benchPorts(): Ports {
  const nothing = (): void => undefined;
  return {
    clock: systemClock,
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    secrets: { apiKey: () => BENCH_KEY },
    random: Math.random,
    disk: { freeBytes },
  };
}
