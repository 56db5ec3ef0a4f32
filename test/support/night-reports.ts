import type { NightReport } from '../../src/contract/night-report.ts';

export const HOUR = 3_600_000;
export const since = new Date(2026, 10, 22, 12).getTime();
const evil = `<img src=x onerror=alert(1)>"'&\u202Efdp.exe</style><script>alert(2)</script>`;
const none = { requests: 0, price: null, unpriced: 0 };
export const counts = (saved: number, others: object = {}) => ({
  ...{ saved, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 },
  ...others,
});

export const empty: NightReport = {
  ...{ since, until: since + 24 * HOUR, project: null, takes: counts(0), earlierDecisions: 0 },
  ...{ batches: [], failures: [], decisions: [], requests: { sent: 0, again: 0 } },
  spend: {
    currency: '',
    totals: { reserved: none, settled: none, released: none, unclear: none },
    estimate: { price: null, unpriced: 0 },
    caps: [],
  },
  ...{ waits: [], awake: [], timeline: null, firstTakes: [], next: [] },
};

/** As much of everything as there can be, under names that try to be markup. */
export const hostile: NightReport = {
  ...empty,
  project: { id: 'film', name: evil, account: evil },
  takes: counts(380, { unknown: 2, failed: 18 }),
  batches: ['a', 'b'].map((id) => ({ id, name: evil, project: evil, takes: counts(190, { failed: 9 }) })),
  failures: Array.from({ length: 40 }, (_, index) => ({
    ...{ code: String(index), message: evil.repeat(50), remedy: evil, takes: 9, charged: 1, maybe: 2 },
    shots: [evil, evil],
  })),
  spend: {
    ...empty.spend,
    currency: evil,
    caps: [
      {
        ...{ scope: { scope: 'batch', batchId: 'a' }, cap: { money: 5, takes: 3 }, name: evil },
        spent: { money: 5, micros: 5_000_000, takes: 2, unpriced: 0 },
      },
    ],
  },
  waits: [{ cause: evil, ms: HOUR, times: 2, waiting: 9 }],
  awake: [
    {
      ...{ cause: evil, from: since, until: since + HOUR, waiting: 9, message: evil, isOpen: false, clockBy: null },
    },
  ],
  timeline: {
    ...{ from: since, until: since + 9 * HOUR, saved: [1, 2, 3], sent: [3, 2, 1] },
    spans: [{ cause: evil, from: since, until: since + HOUR }],
  },
  firstTakes: Array.from({ length: 24 }, (_, index) => ({
    ...{ takeId: `take-${String(index)}`, project: evil, batch: evil, shot: evil, take: 1, kind: evil },
  })),
  next: [{ step: 'decide', takes: 2 }],
};
