import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Gate } from '../../../src/contract/events.ts';
import { messageFor } from '../../../src/contract/messages/message.ts';
import { NightSpans } from '../../../src/engine/db/night-store.ts';
import type { EngineDatabase } from '../../../src/engine/db/open.ts';
import { databaseOfTest } from '../db/database-of-test.ts';
import { gapBetween } from '../../../src/engine/nights/wait-recorder.ts';
import { createWaitRecorder } from '../../../src/engine/nights/wait-recorder.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryLog } from '../../support/world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const throttled: Gate = {
  reason: 'throttled',
  message: messageFor('waiting.askedToWait', { who: messageFor('waiting.service'), request: 'submit', long: 'no' }),
  until: 1,
};
const full: Gate = {
  reason: 'throttled',
  message: messageFor('waiting.modelFull', { who: messageFor('waiting.service'), model: 'vgen', count: 3 }),
  until: 1,
};

type WaitRecorder = ReturnType<typeof createWaitRecorder>;
let db: EngineDatabase;
let clock: FakeClock;
let spans: NightSpans;
let unfinished = 5;
let waitRecorder: WaitRecorder;

beforeEach(() => {
  db = databaseOfTest();
  clock = new FakeClock();
  spans = new NightSpans(db);
  unfinished = 5;
  waitRecorder = start();
});

const start = () =>
  createWaitRecorder(
    spans,
    clock,
    new MemoryLog(),
    () => unfinished,
    (batchId) => (batchId === 'day 1' ? 'film' : undefined),
  );
const all = () => spans.within(0, Number.MAX_SAFE_INTEGER, null);

/** Beats each minute, as the program around the engine does. */
function live(waitRecorder: WaitRecorder, minutes: number): void {
  for (let minute = 0; minute < minutes; minute++) {
    clock.advance(MINUTE);
    waitRecorder.beat(true);
  }
}

describe('a gate', () => {
  it('is written down from its closing to its opening, with the takes that waited', () => {
    const from = clock.now();
    waitRecorder.gates([throttled]);
    clock.advance(20_000);
    waitRecorder.gates([]);
    expect(all()).toMatchObject([{ cause: 'throttled', from, until: from + 20_000, waiting: 5, isOpen: false }]);
  });

  it('that closes again within seconds was closed the whole time', () => {
    const from = clock.now();
    for (let shower = 0; shower < 10; shower++) {
      waitRecorder.gates([throttled]);
      clock.advance(2000);
      waitRecorder.gates([]);
      clock.advance(1000);
    }
    expect(all()).toMatchObject([{ from, until: from + 29_000 }]);
    clock.advance(MINUTE);
    waitRecorder.gates([throttled]);
    expect(all()).toHaveLength(2);
  });

  it('is no wait where no take is left, and a model that is full is no 429', () => {
    waitRecorder.gates([full]);
    unfinished = 0;
    waitRecorder.gates([{ ...throttled, reason: 'paused_by_user' }]);
    expect(all().map(({ cause }) => cause)).toEqual(['service_full']);
  });

  it('that outlived an engine ends at the last moment it was closed for certain', () => {
    const from = clock.now();
    waitRecorder.gates([throttled]);
    live(waitRecorder, 3);
    clock.advance(20_000);
    start();
    expect(all()).toMatchObject([{ cause: 'throttled', from, until: from + 3 * MINUTE, isOpen: false }]);
  });

  it('of one project is not in the report of another', () => {
    waitRecorder.gates([{ ...throttled, reason: 'disk_low', projectId: 'film' }]);
    expect(spans.within(0, Number.MAX_SAFE_INTEGER, 'ad')).toEqual([]);
    expect(spans.within(0, Number.MAX_SAFE_INTEGER, 'film')).toHaveLength(1);
  });

  it('of a cap or a window belongs to the project whose takes it holds', () => {
    const cap = { name: '', cap: { money: null, takes: 4 }, spent: { money: 0, micros: 0, takes: 4, unpriced: 0 } };
    const ofBatch = { ...cap, scope: { scope: 'batch', batchId: 'day 1' }, unpriced: null } as const;
    const ofNight = { ...cap, scope: { scope: 'night' }, unpriced: null } as const;
    waitRecorder.gates([{ ...throttled, reason: 'cap_reached', cap: ofBatch }]);
    expect(spans.within(0, Number.MAX_SAFE_INTEGER, 'ad')).toEqual([]);
    expect(spans.within(0, Number.MAX_SAFE_INTEGER, 'film')).toHaveLength(1);
    waitRecorder.gates([{ ...throttled, reason: 'cap_reached', cap: ofNight }]);
    expect(spans.within(0, Number.MAX_SAFE_INTEGER, 'ad')).toHaveLength(1);
  });

  it('is forgotten after 90 days', () => {
    waitRecorder.gates([throttled]);
    waitRecorder.gates([]);
    clock.advance(91 * 24 * HOUR);
    waitRecorder.beat(false);
    expect(all()).toEqual([]);
  });
});

describe('a machine that slept', () => {
  it('is found by the gap between two beats', () => {
    live(waitRecorder, 5);
    clock.sleepThrough(2 * HOUR);
    waitRecorder.beat(true);
    const until = clock.now();
    expect(all()).toMatchObject([{ cause: 'slept', from: until - 2 * HOUR, until, waiting: 5 }]);
  });

  it('costs nothing while nothing would go on', () => {
    waitRecorder.beat(false);
    clock.sleepThrough(2 * HOUR);
    waitRecorder.beat(false);
    expect(all()).toEqual([]);
  });
});

describe('a Dailies that did not run', () => {
  it('is found at the next start if it left work', () => {
    live(start(), 2);
    const from = clock.now();
    clock.advance(3 * HOUR);
    start();
    expect(all()).toMatchObject([{ cause: 'off', from, until: from + 3 * HOUR, waiting: 5 }]);
  });

  it('is no loss when its work was done, or a restart took a minute', () => {
    live(waitRecorder, 2);
    clock.advance(MINUTE);
    live(start(), 1);
    unfinished = 0;
    waitRecorder.beat(false);
    clock.advance(HOUR);
    start();
    expect(all()).toEqual([]);
  });
});

describe('a clock that is set', () => {
  it.each([
    ['forward', 3 * HOUR],
    ['back', -3 * HOUR],
  ])('%s is told from sleep', (_way, by) => {
    live(waitRecorder, 3);
    clock.setForward(by);
    live(waitRecorder, 3);
    expect(all()).toMatchObject([{ cause: 'clock_changed', clockBy: by }]);
  });

  it('while the machine slept is both', () => {
    expect(gapBetween({ wall: 0, steady: 0 }, { wall: 3 * HOUR, steady: HOUR })).toEqual({
      slept: HOUR,
      clockBy: 2 * HOUR,
    });
  });

  it('for summer time is not set at all, and a small correction is none', () => {
    const before = process.env['TZ'];
    process.env['TZ'] = 'Europe/Berlin';
    try {
      clock = new FakeClock(Date.parse('2026-03-29T00:58:00Z'));
      waitRecorder = start();
      const hours = new Date(clock.now()).getHours();
      live(waitRecorder, 4);
      expect(new Date(clock.now()).getHours()).toBe(hours + 2);
      clock.setForward(2000);
      live(waitRecorder, 1);
      expect(all()).toEqual([]);
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('never makes a gap of beats that came in time', () => {
    const ms = fc.integer({ min: 0, max: 120_000 });
    fc.assert(
      fc.property(fc.integer(), ms, fc.integer({ min: -20_000, max: 20_000 }), (at, passed, drift) => {
        const gap = gapBetween({ wall: at, steady: 0 }, { wall: at + passed + drift, steady: passed });
        expect(gap).toEqual({ slept: 0, clockBy: 0 });
      }),
    );
  });
});
