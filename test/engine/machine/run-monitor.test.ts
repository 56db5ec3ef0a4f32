import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Gate, RunState } from '../../../src/contract/events.ts';
import { runState, type HeldBy } from '../../../src/engine/jobs/gates.ts';

const gate = (reason: Gate['reason']): Gate => ({ reason, message: reason, until: null });
const [halt, cap, window] = [gate('key_refused'), gate('cap_reached'), gate('window_closed')];

/** Takes by what holds each back; one that nothing holds back continues by itself. */
const stateOf = (takes: readonly (readonly (keyof HeldBy)[])[], isUnderWay = false): RunState => {
  const holds = (what: keyof HeldBy) => takes.some((take) => take.includes(what));
  const canContinue = (heldBy: HeldBy) => takes.some((take) => take.every((what) => heldBy[what] !== true));
  return runState({
    ...{ isUnderWay, canContinue, isPaused: holds('pause') },
    halts: holds('halts') ? [{ gate: halt, stopsAny: () => canContinue({ caps: true }) }] : [],
    caps: holds('caps') ? [cap] : [],
    windows: holds('windows') ? [window] : [],
  });
};

describe('whether takes are over', () => {
  it.each([
    ['nothing is left', [], { is: 'over' }],
    ['one continues', [['halts'], []], { is: 'going' }],
    ['the service stopped them', [['halts'], ['caps']], { is: 'halted', gate: halt }],
    ['a person paused them', [['pause'], ['caps']], { is: 'paused' }],
    ['a cap is reached', [['caps'], ['windows']], { is: 'halted', gate: cap }],
    ['a window is closed', [['windows']], { is: 'awaiting_window', gate: window }],
    ['each is behind a cap and a window', [['caps', 'windows']], { is: 'awaiting_window', gate: window }],
  ] as const)('is told when %s', (_, takes, state) => {
    expect(stateOf(takes)).toEqual(state);
  });

  it('is told alike by all: going while anything goes, over only when nothing is left', () => {
    const held = fc.subarray<keyof HeldBy>(['halts', 'pause', 'caps', 'windows']);
    fc.assert(
      fc.property(fc.array(held, { maxLength: 6 }), fc.boolean(), (takes, isUnderWay) => {
        const { is } = stateOf(takes, isUnderWay);
        expect(is === 'going').toBe(isUnderWay || takes.some((take) => take.length === 0));
        expect(is === 'over').toBe(!isUnderWay && takes.length === 0);
      }),
    );
  });
});
