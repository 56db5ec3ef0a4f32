import { afterEach, describe, expect, it } from 'vitest';
import { speak } from '../../src/contract/messages/words.ts';
import { NightReport } from '../../src/contract/night-report.ts';
import { reportPage } from '../../src/server/reports/report-page.ts';
import { headline, lengthOf } from '../../src/contract/night-words.ts';

const HOUR = 3_600_000;
const since = new Date(2026, 10, 22, 12).getTime();
const evil = `<img src=x onerror=alert(1)>"'&\u202Efdp.exe</style><script>alert(2)</script>`;
const none = { requests: 0, price: null, unpriced: 0 };
const counts = (saved: number, others: object = {}) => ({
  ...{ saved, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 },
  ...others,
});

const empty: NightReport = {
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

const hostile: NightReport = {
  ...empty,
  project: { id: 'film', name: evil },
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

afterEach(() => speak('en'));

describe('the page of a report', () => {
  it.each(['en', 'zh-CN'] as const)('in %s holds no markup of a hostile name, no script and no address', (language) => {
    speak(language);
    expect(NightReport.parse(hostile)).toEqual(hostile);
    const pictures = new Map([['take-0', 'data:image/webp;base64,AAAA']]);
    const page = reportPage({ report: hostile, pictures, at: since });
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp; fdp.exe&lt;/style&gt;');
    expect(page).not.toMatch(/<script|<img src=x|\u202E|https?:|url\(|@import|javascript:/i);
    expect(page.match(/<img /g)).toHaveLength(1);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(page.replaceAll('&#39;', "'")).toContain(
      `content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"`,
    );
    expect(page).toContain(`<html lang="${language}">`);
    // What is told of 40 failures is bounded.
    expect(page.match(/class="failure"/g)).toHaveLength(6);
    expect(page.length).toBeLessThan(60_000);
  });

  it('of an empty night says so, and nothing else of takes', () => {
    const page = reportPage({ report: empty, pictures: new Map(), at: since });
    expect(page).toContain('Nothing was queued this night.');
    expect(page).not.toMatch(/class="(figures|strip|night)"/);
  });
});

describe('the headline', () => {
  it.each([
    [counts(380, { unknown: 2, failed: 18 }), '380 of 400 takes saved. 2 need a decision.'],
    [counts(3, { failed: 1 }), '3 of 4 takes saved. 1 failed.'],
    [counts(1, { unfinished: 1 }), '1 of 2 takes saved. 1 is not finished.'],
    [counts(400), 'All 400 takes saved.'],
    [counts(1, { cancelled: 1 }), '1 of 2 takes saved.'],
  ])('names what is most urgent', (takes, words) => {
    expect(headline(takes)).toBe(words);
  });

  it('and lengths are in the units that fit', () => {
    expect([40_000, 8 * 60_000, HOUR, 2.5 * HOUR].map(lengthOf)).toEqual(['40 s', '8 min', '1 h', '2 h 30 min']);
  });
});
