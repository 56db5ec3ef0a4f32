import fc from 'fast-check';
import { nextOpening } from '../../../src/contract/night-window.ts';
import { describe, expect, it } from 'vitest';
import { parseDays, parseHours, WEEKDAYS, NightWindow } from '../../../src/contract/night-window.ts';
import { OpenTimes } from '../../../src/engine/jobs/night-windows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const windowOf = (hours: string, timeZone: string, days = 'mon-sun'): NightWindow =>
  NightWindow.parse({ ...parseHours(hours), days: parseDays(days), timeZone });
const times = (...given: Parameters<typeof windowOf>) => new OpenTimes(windowOf(...given));
const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().replace(':00.000Z', 'Z'));

/** Every change from a time on, as the window itself tells them one after the other. */
function changes(window: OpenTimes, from: string, count: number): (string | null)[] {
  const found: (string | null)[] = [];
  for (let now: number | null = at(from); found.length < count && now !== null;) {
    now = window.nextChange(now);
    found.push(iso(now));
  }
  return found;
}

describe('a window', () => {
  it('that passes midnight belongs to the day on which it opens', () => {
    const window = times('22:00-07:00', 'Asia/Shanghai', 'fri');
    expect(changes(window, '2026-11-23T00:00Z', 3)).toEqual([
      '2026-11-27T14:00Z',
      '2026-11-27T23:00Z',
      '2026-12-04T14:00Z',
    ]);
    expect(window.isOpenAt(at('2026-11-27T13:59:59.999Z'))).toBe(false);
    expect(window.isOpenAt(at('2026-11-27T14:00Z'))).toBe(true);
    expect(window.isOpenAt(at('2026-11-27T22:59:59.999Z'))).toBe(true);
    expect(window.isOpenAt(at('2026-11-27T23:00Z'))).toBe(false);
    expect(iso(window.lastChange(at('2026-11-27T23:00Z')))).toBe('2026-11-27T23:00Z');
  });

  it('of whole days that follow each other does not close between them', () => {
    expect(changes(times('00:00-24:00', 'Europe/Berlin', 'sat,sun'), '2026-11-23T00:00Z', 2)).toEqual([
      '2026-11-27T23:00Z',
      '2026-11-29T23:00Z',
    ]);
    const always = times('09:30-09:30', 'Europe/Berlin');
    expect(always.isOpenAt(at('2026-03-29T01:30Z'))).toBe(true);
    expect([always.nextChange(0), always.lastChange(0)]).toEqual([null, null]);
  });
});

describe('where summer time begins', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28T12:00Z', '02:30-06:00', '2026-03-29T01:00Z', '2026-03-29T04:00Z'],
    ['America/New_York', '2026-03-07T12:00Z', '02:15-06:00', '2026-03-08T07:00Z', '2026-03-08T10:00Z'],
    ['Pacific/Auckland', '2026-09-26T06:00Z', '02:59-06:00', '2026-09-26T14:00Z', '2026-09-26T17:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T06:00Z', '02:10-06:00', '2026-10-03T15:30Z', '2026-10-03T19:00Z'],
  ])('in %s, a start that is skipped is the first moment after', (zone, from, hours, opens, closes) => {
    expect(changes(times(hours, zone), from, 2)).toEqual([opens, closes]);
  });

  it('a night over it is an hour shorter, and an end that is skipped is the same moment', () => {
    expect(changes(times('22:00-07:00', 'Europe/Berlin'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-28T21:00Z',
      '2026-03-29T05:00Z',
    ]);
    expect(changes(times('22:00-02:30', 'Europe/Berlin'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-28T21:00Z',
      '2026-03-29T01:00Z',
    ]);
  });

  it('a window that lies in what is skipped does not open that day', () => {
    expect(changes(times('02:10-02:50', 'Europe/Berlin'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-30T00:10Z',
      '2026-03-30T00:50Z',
    ]);
    // Samoa had no 30 December 2011.
    expect(changes(times('10:00-12:00', 'Pacific/Apia', 'fri'), '2011-12-25T00:00Z', 1)).toEqual(['2012-01-05T20:00Z']);
  });
});

describe('where summer time ends', () => {
  it.each([
    ['Europe/Berlin', '2026-10-24T12:00Z', '02:15-02:45', '2026-10-25T00:15Z', '2026-10-25T01:45Z'],
    ['America/New_York', '2026-10-31T12:00Z', '01:15-01:45', '2026-11-01T05:15Z', '2026-11-01T06:45Z'],
    ['Pacific/Auckland', '2026-04-04T06:00Z', '02:15-02:45', '2026-04-04T13:15Z', '2026-04-04T14:45Z'],
    ['Australia/Lord_Howe', '2026-04-04T06:00Z', '01:40-01:50', '2026-04-04T14:40Z', '2026-04-04T15:20Z'],
  ])('in %s, an hour that comes twice is open once, from its first to its last', (zone, from, hours, opens, closes) => {
    const window = times(hours, zone);
    expect(changes(window, from, 2)).toEqual([opens, closes]);
    expect(window.isOpenAt((at(opens) + at(closes)) / 2)).toBe(true);
  });

  it('a night over it is an hour longer', () => {
    expect(changes(times('22:00-07:00', 'America/New_York'), '2026-10-31T12:00Z', 2)).toEqual([
      '2026-11-01T02:00Z',
      '2026-11-01T12:00Z',
    ]);
  });
});

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Shanghai', 'Pacific/Auckland', 'Australia/Lord_Howe'];
const minuteOfDay = fc.integer({ min: 0, max: 1439 });
const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const anyWindow = fc
  .record({
    days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
    opens: minuteOfDay.map(clock),
    closes: minuteOfDay.map(clock),
    timeZone: fc.constantFrom(...zones),
  })
  .map((window): NightWindow => window);
const anyTime = fc.integer({ min: at('2024-01-01T00:00Z'), max: at('2028-12-31T00:00Z') });

/** The same answer, worked out from a wall clock alone. */
function isOpenByWallClock({ days, opens, closes, timeZone }: NightWindow, now: number): boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit' },
  });
  const shown = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const time = `${shown['hour'] ?? ''}:${shown['minute'] ?? ''}`;
  const today = WEEKDAYS.findIndex((day) => day === shown['weekday']?.toLowerCase());
  const isOn = (day: number): boolean => days.some((each) => each === WEEKDAYS[(day + 7) % 7]);
  if (closes > opens) return isOn(today) && time >= opens && time < closes;
  return (isOn(today) && time >= opens) || (isOn(today - 1) && time < closes);
}

const offset = (timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(now)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

describe('any window at any time', () => {
  it('opens and closes exactly at its next change, which lies ahead, and at no time before', () => {
    fc.assert(
      fc.property(anyWindow, anyTime, fc.double({ min: 0, max: 1, noNaN: true }), (window, now, share) => {
        const open = new OpenTimes(window);
        const isOpen = open.isOpenAt(now);
        const change = open.nextChange(now);
        if (change === null) return isOpen && window.days.length === 7 && window.opens === window.closes;
        const between = Math.floor(now + (change - 1 - now) * share);
        expect(change).toBeGreaterThan(now);
        expect([open.isOpenAt(between), open.isOpenAt(change - 1), open.isOpenAt(change)]).toEqual([
          isOpen,
          isOpen,
          !isOpen,
        ]);
        expect(open.lastChange(change)).toBe(change);
        expect(new OpenTimes(window).nextChange(between)).toBe(change);
        return true;
      }),
      { numRuns: 150 },
    );
  });

  it('is open when a wall clock says so, on each day on which the clock is not changed', () => {
    fc.assert(
      fc.property(anyWindow, anyTime, (window, now) => {
        const { timeZone } = window;
        fc.pre(offset(timeZone, now - DAY) === offset(timeZone, now + DAY));
        expect(new OpenTimes(window).isOpenAt(now)).toBe(isOpenByWallClock(window, now));
      }),
      { numRuns: 150 },
    );
  });
});

describe('what a person writes', () => {
  it.each([
    ['22:00-07:00', { opens: '22:00', closes: '07:00' }],
    ['9:05 – 17:30', { opens: '09:05', closes: '17:30' }],
    ['18:00-24:00', { opens: '18:00', closes: '00:00' }],
    ['24:00-07:00', null],
    ['22:60-07:00', null],
    ['22-7', null],
    ['', null],
  ])('%j as hours', (text, hours) => expect(parseHours(text)).toEqual(hours));

  it.each([
    ['mon-fri', ['mon', 'tue', 'wed', 'thu', 'fri']],
    ['Sun,SAT', ['sat', 'sun']],
    ['fri-mon', ['mon', 'fri', 'sat', 'sun']],
    ['mon-tue-wed', null],
    ['funday', null],
    ['', null],
  ])('%j as days', (text, days) => expect(parseDays(text)).toEqual(days));

  it.each([
    ['Europe/Berlin', true],
    ['UTC', true],
    ['Mars/Olympus', false],
    ['+02:00', false],
  ])('%j as a time zone', (timeZone, isKnown) => {
    const given = { days: ['mon'], opens: '22:00', closes: '07:00', timeZone };
    expect(NightWindow.safeParse(given).success).toBe(isKnown);
  });
});

it('hours of every day begin next today, tomorrow, or run already', () => {
  const at = (day: number, time: string) => new Date(`2026-05-${String(day).padStart(2, '0')}T${time}`).getTime();
  const next = (opens: string, closes: string, time: string) => nextOpening({ opens, closes }, at(4, time));
  expect(next('22:00', '07:00', '12:30')).toBe(at(4, '22:00'));
  for (const time of ['22:00', '23:59', '00:00', '06:59']) expect(next('22:00', '07:00', time)).toBeNull();
  expect(next('22:00', '07:00', '07:00')).toBe(at(4, '22:00'));
  expect(next('01:00', '05:00', '00:30')).toBe(at(4, '01:00'));
  expect(next('01:00', '05:00', '05:00')).toBe(at(5, '01:00'));
  expect(next('22:00', '22:00', '12:00')).toBeNull();
});
