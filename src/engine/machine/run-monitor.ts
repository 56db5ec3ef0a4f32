import type { Gate, RunState } from '../../contract/events.ts';

export interface HeldBy {
  readonly halts?: boolean;
  readonly pause?: boolean;
  readonly caps?: boolean;
  readonly windows?: boolean;
}

export interface RunFacts {
  readonly isUnderWay: boolean;
  readonly isPaused: boolean;
  readonly halts: readonly { readonly gate: Gate; readonly stopsAny: () => boolean }[];
  readonly caps: readonly Gate[];
  readonly windows: readonly Gate[];
  /** Whether one of them continues by itself, perhaps after a wait, if only these hold them back. */
  readonly canContinue: (heldBy: HeldBy) => boolean;
}

/**
 * Whether some takes are over, or what they wait for: the one answer for commands, windows, messages and the app. A
 * person who can help is named before a time that only has to come. Pure.
 */
export function runState({ isUnderWay, isPaused, halts, caps, windows, canContinue }: RunFacts): RunState {
  if (isUnderWay || canContinue({ halts: true, pause: true, caps: true, windows: true })) return { is: 'going' };
  const halt = halts.find(({ stopsAny }) => stopsAny());
  if (halt) return { is: 'halted', gate: halt.gate };
  if (isPaused && canContinue({ caps: true })) return { is: 'paused' };
  const [cap] = caps;
  if (cap && canContinue({ windows: true })) return { is: 'halted', gate: cap };
  const [window] = windows;
  if (window && canContinue({})) return { is: 'awaiting_window', gate: window };
  return { is: 'over' };
}
