import { describe, expect, it } from 'vitest';
import {
  picksPerTake,
  pricePerPickedSecond,
  pricePerTake,
  successRate,
  type TakeStatistics,
} from '../../src/contract/ledger.ts';
import type { RequestOfTake } from '../../src/engine/db/ledger-store.ts';
import { periodFor, quantile, statisticsCsv, createPeriodTally } from '../../src/engine/queries/statistics.ts';

const at = (day: string, time = '12:00'): number => new Date(`${day}T${time}`).getTime();
const request = (change: Partial<RequestOfTake> = {}): RequestOfTake => {
  const sentAt = change.at ?? at('2026-05-06');
  return {
    ...{ line: 1, at: sentAt, ledger: 'settled', model: 'vgen', micros: 2_000_000, kind: 'video', seconds: 5 },
    ...{ isNewest: true, state: 'saved', paused: null, savedAt: sentAt + 60_000, flag: null },
    ...change,
  };
};
function tallied(...requests: RequestOfTake[]) {
  const tally = createPeriodTally('week');
  for (const each of requests) tally.add(each);
  return tally.statistics('EUR');
}
const figures = (row: TakeStatistics) => [
  ...[successRate(row), pricePerTake(row), picksPerTake(row), pricePerPickedSecond(row)],
];

describe('the statistics of takes', () => {
  it('add up what requests came to, by model and by week', () => {
    const { all, models, periods, rows } = tallied(
      request({ flag: 'pick' }),
      request({ savedAt: at('2026-05-06') + 180_000 }),
      request({ state: 'remote_failed', ledger: 'unclear' }),
      request({ state: 'polling' }),
      request({ model: 'still', kind: 'image', seconds: null, micros: 500_000, flag: 'pick', at: at('2026-05-11') }),
    );
    expect(all).toMatchObject({ requests: 5, saved: 3, failed: 1, open: 1, picked: 2, charged: 6.5, unpriced: 0 });
    expect(all).toMatchObject({ medianMs: 60_000, p90Ms: 180_000, pickedSeconds: 5, picksWithoutSeconds: 0 });
    expect(models.map(({ model, saved }) => [model, saved])).toEqual([
      ['still', 1],
      ['vgen', 2],
    ]);
    expect(periods.map(({ period, requests }) => [period, requests])).toEqual([
      ['2026-05-04', 4],
      ['2026-05-11', 1],
    ]);
    expect(rows).toHaveLength(2);
    // Three films were paid for, 6 in all, and five seconds of one are in the cut; the still is no film.
    expect(figures(all)).toEqual([0.75, 6.5 / 3, 2 / 3, 6 / 5]);
  });

  it('count a take by its newest request, and an earlier one as failed', () => {
    const { all } = tallied(request({ isNewest: false }), request());
    expect(all).toMatchObject({ requests: 2, saved: 1, failed: 1, charged: 4 });
    expect(pricePerTake(all)).toBe(4);
  });

  it('measure no take whose time is not known', () => {
    const { all } = tallied(request(), request({ savedAt: null }), request({ savedAt: at('2026-05-05') }));
    expect(all).toMatchObject({ saved: 3, medianMs: 60_000, p90Ms: 60_000 });
  });

  it('say nothing where there is no base', () => {
    expect(figures(tallied().all)).toEqual([null, null, null, null]);
    expect(tallied().all).toMatchObject({ medianMs: null, p90Ms: null, charged: null });
    const unpriced = tallied(request({ flag: 'pick' }), request({ micros: null, flag: 'pick' })).all;
    expect(figures(unpriced)).toEqual([1, null, 1, null]);
    const noLength = tallied(request({ flag: 'pick' }), request({ seconds: null, flag: 'pick' })).all;
    expect(figures(noLength)).toEqual([1, 2, 1, null]);
    expect(figures(tallied(request()).all)).toEqual([1, 2, 0, null]);
  });

  it('are a table for a spreadsheet, with nothing where there is no base', () => {
    const [head, row, end] = statisticsCsv(tallied(request({ model: '=1+1', micros: null }))).split('\r\n');
    expect(head).toContain('period,model,requests');
    expect(row).toBe(`2026-05-04,"'=1+1",1,1,0,0,1.000,60.0,60.0,,,1,,0,0.000,0,0,`);
    expect(end).toBe('');
  });

  it('begin a week on Monday and a month on its first day', () => {
    expect(periodFor(at('2026-05-10', '23:59'), 'week')).toBe('2026-05-04');
    expect(periodFor(at('2026-05-11', '00:00'), 'week')).toBe('2026-05-11');
    expect(periodFor(at('2026-03-01', '00:00'), 'week')).toBe('2026-02-23');
    expect(periodFor(at('2026-05-31'), 'month')).toBe('2026-05-01');
    expect(periodFor(at('2026-05-31'), 'day')).toBe('2026-05-31');
  });

  it('have the median that is one of the values', () => {
    expect(quantile(Float64Array.from([1, 2, 3, 4]), 0.5)).toBe(2);
    expect(quantile(Float64Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 0.9)).toBe(9);
    expect(quantile(new Float64Array(), 0.5)).toBeNull();
  });
});
