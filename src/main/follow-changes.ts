import type { ContractRouterClient } from '@orpc/contract';
import type { Changes } from '../contract/events.ts';
import type { Contract } from '../contract/procedures.ts';
import type { Clock } from '../engine/base/ports.ts';

/** An engine that has just died is not asked at once, ms. */
const PAUSE_MS = 500;

export interface ChangesToFollow {
  readonly client: ContractRouterClient<Contract>;
  readonly clock: Clock;
  /** Aborted when nobody listens any more. */
  readonly signal: AbortSignal;
}

/** Calls `listener` with what changes in the engine, across its deaths, until the signal is aborted. */
export async function followChanges(
  { client, clock, signal }: ChangesToFollow,
  listener: (changes: Changes) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const changes of await client.events.changes(undefined, { signal })) listener(changes);
    } catch {
      // Cut short by the end of the engine or of the listening; the first is followed by a resync of the next one.
    }
    await clock.sleep(PAUSE_MS, { signal }).catch(() => undefined);
  }
}
