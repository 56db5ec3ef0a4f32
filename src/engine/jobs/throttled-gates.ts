import type { Gate } from '../../contract/events.ts';
import type { StepContext } from './step-context.ts';

/** The 429s of the service of the settings that still hold something back. */
export function throttledGates({ clients, pacing }: Pick<StepContext, 'clients' | 'pacing'>, now: number): Gate[] {
  const account = clients.currentIfAny();
  if (!account) return [];
  return (['upload', 'submit', 'poll'] as const).flatMap((step) => {
    const until = pacing.heldUntil(step, account, now);
    const message = `The service asked for patience (429) before the next ${step}.`;
    return until === null ? [] : [{ reason: 'throttled' as const, message, until }];
  });
}
