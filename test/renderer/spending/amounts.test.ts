import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerTotals, SpentGroup } from '../../../src/contract/ledger.ts';
import {
  chargedInWords,
  toCost,
  dayFor,
  everyNight,
  fromOf,
  groupName,
} from '../../../src/renderer/views/spending/amounts.ts';
import { t } from '../../../src/contract/messages/words.ts';

const nothing = { requests: 0, price: null, unpriced: 0 };
const noTotals: LedgerTotals = { reserved: nothing, settled: nothing, released: nothing, unclear: nothing };
const spent = (name: string, price: number): SpentGroup => ({
  ...{ name, label: null, take: null, batch: null },
  totals: { ...noTotals, settled: { requests: 1, price, unpriced: 0 } },
});

describe('the cost of a group', () => {
  it('sets what may have been charged apart, and leaves out what is being sent or was not accepted', () => {
    const totals = {
      settled: { requests: 3, price: 6, unpriced: 1 },
      unclear: { requests: 2, price: 2, unpriced: 0 },
      reserved: { requests: 1, price: 1, unpriced: 0 },
      released: { requests: 9, price: 9, unpriced: 9 },
    };
    expect(toCost(totals)).toEqual({ charged: 6, maybe: 2, requests: 6 });
  });

  it('is free, unknown or not there yet, as its tile says', () => {
    expect(chargedInWords({ requests: 3, price: 0, unpriced: 0 }, 'USD')).toBe('Free');
    expect(chargedInWords({ requests: 3, price: 0.002, unpriced: 1 }, 'USD')).toBe('0.002 USD');
    expect(chargedInWords({ requests: 3, price: null, unpriced: 3 }, 'USD')).toBe(t('start.unknownPrice'));
    expect(chargedInWords(nothing, 'USD')).toBe('–');
  });

  it('is named as people name it', () => {
    expect(groupName({ ...spent('batch-1', 1), label: 'Day 1' }, 'batch')).toBe('Day 1');
    expect(groupName({ ...spent('job-1', 1), label: '010', take: 2 }, 'take')).toBe('010 · take 2');
    expect(groupName({ ...spent('b 010', 1), label: '010', batch: 'Day 1' }, 'shot')).toBe('010 (Day 1)');
    expect(groupName(spent('2026-05-04', 1), 'night')).toBe('4 May 2026');
    expect(groupName(spent('2026-05', 1), 'month')).toBe('May 2026');
    expect(groupName(spent('', 1), 'batch')).toBe(t('spending.other'));
    expect(groupName({ ...spent('', 1), label: 'main' }, 'account')).toBe('main');
    expect(groupName({ ...spent('0f3a', 1), label: '' }, 'account')).toBe(t('spending.removedAccount'));
  });
});

describe('the nights that are shown', () => {
  const before = process.env['TZ'];
  beforeAll(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });
  afterAll(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });

  it('are those of the calendar, also where nothing was sent and a day has 23 or 25 hours', () => {
    const nights = everyNight([spent('2026-10-27', 2), spent('2026-03-25', 1)], 300);
    expect(nights).toHaveLength(217);
    // The clocks went forward on 29 March, and back on 25 October.
    expect(dayFor('2026-03-30') - dayFor('2026-03-28')).toBe(47 * 3_600_000);
    expect(nights.every(({ at }) => new Date(at).getHours() === 12)).toBe(true);
    expect(nights[0]).toMatchObject({ at: dayFor('2026-03-25'), charged: 1 });
    expect(nights[1]).toMatchObject({ charged: 0, requests: 0 });
    expect(nights.at(-1)).toMatchObject({ at: dayFor('2026-10-27'), charged: 2 });
  });

  it('are the last ones where there are more', () => {
    const nights = everyNight([spent('2020-01-01', 5), spent('2026-05-04', 2)], 7);
    expect(nights.map(({ charged }) => charged)).toEqual([0, 0, 0, 0, 0, 0, 2]);
    expect(everyNight([], 7)).toEqual([]);
  });

  it('begin at a noon so many nights back', () => {
    expect(fromOf('1', dayFor('2026-03-31'))).toBe(dayFor('2026-03-31'));
    expect(fromOf('7', dayFor('2026-03-31'))).toBe(dayFor('2026-03-25'));
    expect(fromOf('30', dayFor('2026-11-01'))).toBe(dayFor('2026-10-03'));
    expect(fromOf('all', dayFor('2026-03-31'))).toBeUndefined();
  });
});
