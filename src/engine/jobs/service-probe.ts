import type { Lane } from './lanes.ts';
import type { StepContext } from './step-context.ts';

/**
 * Asks the service of a lane something harmless, one question at a time, to learn whether submits make sense again.
 * Resolves to false when nothing was learned: the question is under way already, or there is nobody to ask.
 */
export async function probe({ clients, ports, stopping }: StepContext, lane: Lane): Promise<boolean> {
  const account = clients.currentIfAny(lane.service);
  if (lane.isProbing || !account) return false;
  lane.isProbing = true;
  const answered = (await clients.forAccount(account)?.probe({ signal: stopping })) ?? false;
  lane.isProbing = false;
  lane.gates.onProbe(answered, ports.clock.now());
  return true;
}
