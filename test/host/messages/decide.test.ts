import type { RunState } from '../../../src/contract/events.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CapNear, CapReached, CapScope } from '../../../src/contract/ledger.ts';
import type { NightMessage } from '../../../src/contract/night-messages.ts';
import {
  beforeNight,
  GATHER_MS,
  MAX_NIGHT_MS,
  messagesFor,
  QUIET_MS,
  STALL_MS,
  type NightReading,
} from '../../../src/host/messages/watch.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 20);
const none = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };

const working: Omit<NightReading, 'at'> = {
  queue: { run: { is: 'going' }, pausedByUser: false, gates: [] },
  run: { ...none, saved: 2, unfinished: 8 },
  batches: ['Film'],
  unfinished: 8,
  undecided: 0,
  shots: [],
  worked: false,
  moved: true,
  isLast: false,
};
const done: typeof working = {
  ...working,
  queue: { ...working.queue, run: { is: 'over' } },
  unfinished: 0,
  run: { ...none, saved: 9, failed: 1 },
};
const gate = (reason: string, until: number | null = null) =>
  ({ reason, until, message: 'why' }) as NightReading['queue']['gates'][number];

/** Messages after readings that come a minute apart, unless they say otherwise. */
function told(readings: readonly Partial<NightReading>[]): readonly NightMessage[] {
  let night = beforeNight(START);
  let at = START;
  return readings.flatMap((changed) => {
    const reading = { ...working, at, ...changed };
    at = reading.at + MINUTE;
    const decided = messagesFor(night, reading);
    night = decided.night;
    return decided.messages;
  });
}

const events = (readings: readonly Partial<NightReading>[]) => told(readings).map(({ event }) => event);
const minutes = (count: number, reading: Partial<NightReading>) => Array.from({ length: count }, () => reading);

const cap = (scope: CapScope, takes: number): CapReached => ({
  ...{ scope, name: 'Day 1', cap: { money: null, takes: 10 }, unpriced: null },
  spent: { money: 0, micros: 0, takes, unpriced: takes },
});
const night = { scope: 'night' } as const;
const batch = { scope: 'batch', batchId: 'b1' } as const;

describe('the messages of a night', () => {
  it('tell of each cap once: that most of it is used, and that it is reached', () => {
    const near = (scope: CapScope): CapNear => ({ ...cap(scope, 8), night: START, currency: 'USD' });
    const reached = (scope: CapScope) => ({ ...gate('cap_reached'), cap: cap(scope, 10) });
    const reading = (capsNear: CapNear[], gates: NightReading['queue']['gates'] = []) => ({
      queue: { ...working.queue, gates, capsNear },
    });
    const all = told([
      reading([near(batch)]),
      reading([near(batch), near(night)]),
      reading([near(batch)], [reached(batch)]),
      reading([near(batch)], [reached(batch), reached(night)]),
      reading([near(batch)], [reached(batch), reached(night)]),
    ]);
    expect(all).toMatchObject([
      { event: 'cap_near', scope: 'batch', percent: 80, name: 'Day 1' },
      { event: 'cap_near', scope: 'night' },
      { event: 'cap_reached' },
      { event: 'cap_reached' },
    ]);
  });

  it('there are none while the queue is idle, whatever waits', () => {
    expect(
      events(minutes(60, { ...done, undecided: 3, queue: { ...done.queue, gates: [gate('key_missing')] } })),
    ).toEqual([]);
  });

  it('say once that it is finished, with what became of its takes', () => {
    expect(told([{}, done, done, done, {}, { ...done, isLast: true }])).toMatchObject([
      { event: 'finished', counts: { saved: 9, failed: 1 }, batches: ['Film'] },
      { event: 'finished' },
    ]);
  });

  it('wait a moment before they say so: a run that goes on again is not finished', () => {
    const soon = START + MINUTE + QUIET_MS - 1;
    expect(events([{}, { ...done, at: START + MINUTE }, { ...done, at: soon }, {}])).toEqual([]);
  });

  it('say so of a run that was over before anything was read of it', () => {
    expect(events([done, { ...done, worked: true, isLast: true }])).toEqual(['finished']);
  });

  it('say so once when what is left waits for the next night', () => {
    const waiting = {
      queue: {
        ...working.queue,
        run: { is: 'awaiting_window', gate: gate('window_closed', START + 60 * MINUTE) } as const,
        gates: [gate('window_closed', START + 60 * MINUTE)],
      },
    };
    const found = told([
      ...minutes(5, waiting),
      {},
      ...minutes(60, waiting),
      { ...working, worked: true },
      ...minutes(9, waiting),
    ]);
    expect(found).toMatchObject([
      { event: 'finished', counts: { saved: 2, unfinished: 8 } },
      { event: 'finished', counts: { saved: 2, unfinished: 8 } },
    ]);
  });

  it('do not call it finished when a person paused it, or must act', () => {
    expect(events([{}, ...minutes(60, { queue: { run: { is: 'paused' }, pausedByUser: true, gates: [] } })])).toEqual(
      [],
    );
    const halted = {
      unfinished: 8,
      queue: { ...done.queue, run: { is: 'halted', gate: gate('no_credit') } as const, gates: [gate('no_credit')] },
    };
    expect(events([{}, ...minutes(60, halted)])).toEqual(['stopped']);
  });

  it('gather ten decisions of a minute to one message with their number', () => {
    const decisions = Array.from({ length: 10 }, (_, index) => ({
      at: START + 1 + index * 6000,
      undecided: index + 1,
    }));
    const messages = told([{}, ...decisions, { undecided: 10 }, { undecided: 12 }]);
    expect(messages).toMatchObject([{ event: 'needs_decision', undecided: 10 }]);
    expect(messages[0]?.at).toBeGreaterThanOrEqual(START + GATHER_MS);
  });

  it('do not tell of decisions that were there before', () => {
    expect(events([{ ...done, undecided: 3 }, ...minutes(5, { undecided: 3 })])).toEqual([]);
    expect(events([{ ...done, undecided: 3 }, ...minutes(5, { undecided: 4 })])).toEqual(['needs_decision']);
  });

  it('tell of a decision at the end at once', () => {
    expect(events([{}, { ...done, undecided: 1, isLast: true }])).toEqual(['needs_decision', 'finished']);
  });

  it.each([
    ['key_refused', null, 'key_rejected'],
    ['key_missing', null, 'key_rejected'],
    ['disk_low', START, 'disk_low'],
    ['cap_reached', null, 'cap_reached'],
    ['model_failing', START, 'model_failing'],
    ['database', null, 'stopped'],
    ['some later reason', null, 'stopped'],
  ])('tell once of the gate %s', (reason, until, event) => {
    const closed = { queue: { ...working.queue, gates: [gate(reason, until)] } };
    expect(events([{}, closed, {}, closed, closed])).toEqual([event]);
    const nextNight = START + MAX_NIGHT_MS;
    expect(events([closed, {}, { ...closed, at: nextNight }])).toEqual([event, event]);
  });

  it.each(['throttled', 'unreachable', 'some later reason'])(
    'say nothing of a wait that ends by itself: %s',
    (reason) => {
      expect(events(minutes(20, { queue: { ...working.queue, gates: [gate(reason, START)] } }))).toEqual([]);
    },
  );

  it('tell once of each stall', () => {
    const still = { moved: false };
    const messages = told([{}, ...minutes(29, still)]);
    expect(messages).toEqual([]);
    expect(events([{}, ...minutes(90, still), {}, ...minutes(90, still)])).toEqual(['stalled', 'stalled']);
    const away = { ...still, queue: { ...working.queue, gates: [gate('unreachable', START)] } };
    expect(told([{}, ...minutes(90, away)])).toMatchObject([{ event: 'stalled', minutes: 30, unfinished: 8 }]);
  });

  it.each([
    ['a pause', { run: { is: 'going' as const }, pausedByUser: true, gates: [] }],
    [
      'a cap or a window',
      { run: { is: 'going' as const }, pausedByUser: false, gates: [gate('some later reason', START)] },
    ],
  ])('call no stall what waits for %s', (_, queue) => {
    expect(events([{}, ...minutes(90, { moved: false, queue })])).toEqual([]);
  });

  it('call no stall the time for which the machine slept', () => {
    expect(events([{}, { at: START + 8 * STALL_MS, moved: false }])).toEqual([]);
  });

  it('never tell a cause twice in a night, and finish each night once, in any order of things', () => {
    const reading = fc.record({
      after: fc.integer({ min: -MINUTE, max: 2 * MINUTE }),
      is: fc.constantFrom('going', 'paused', 'halted', 'awaiting_window', 'over'),
      pausedByUser: fc.boolean(),
      gates: fc.subarray([gate('key_refused'), gate('disk_low', START), gate('no_credit'), gate('throttled', START)]),
      undecided: fc.nat(3),
      unfinished: fc.nat(2),
      moved: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 200 }), (readings) => {
        let night = beforeNight(START);
        let at = START;
        const nights: NightMessage[][] = [[]];
        let nightsWithEnd = 0;
        for (const { after, is, pausedByUser, gates, undecided, unfinished, moved } of readings) {
          at += after;
          const closed = gate(is === 'halted' ? 'no_credit' : 'window_closed');
          const run: RunState = is === 'halted' || is === 'awaiting_window' ? { is, gate: closed } : { is };
          const queue = { run, pausedByUser, gates };
          const wasAtWork = night.work !== null || is === 'going';
          const decided = messagesFor(night, {
            ...{ ...working, at, queue, undecided, unfinished, moved },
            run: { ...none, saved: 1, unfinished },
          });
          night = decided.night;
          nights.at(-1)?.push(...decided.messages);
          const hasEnded = wasAtWork && night.work === null;
          if (hasEnded) {
            nightsWithEnd += 1;
            expect(decided.messages.at(-1)?.event).toBe('finished');
            nights.push([]);
          }
        }
        for (const messages of nights) {
          const causes = messages
            .filter(({ event }) => event !== 'stalled')
            .map((message) => `${message.event} ${'gate' in message ? message.gate : ''}`);
          expect(new Set(causes).size).toBe(causes.length);
        }
        expect(nights.flat().filter(({ event }) => event === 'finished')).toHaveLength(nightsWithEnd);
      }),
    );
  });
});
