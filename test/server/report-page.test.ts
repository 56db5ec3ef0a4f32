import { afterEach, describe, expect, it } from 'vitest';
import { setLanguage } from '../../src/contract/messages/words.ts';
import { NightReport } from '../../src/contract/night-report.ts';
import { reportPage } from '../../src/server/reports/report-page.ts';
import { headline, toLength } from '../../src/contract/in-words.ts';
import { counts, empty, HOUR, hostile, since } from '../support/night-reports.ts';

afterEach(() => setLanguage('en'));

describe('the page of a report', () => {
  it.each(['en', 'zh-CN'] as const)(
    'in %s holds no markup of a hostile name, no script and no address',
    async (language) => {
      await setLanguage(language);
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
      // The report of 40 failures is bounded.
      expect(page.match(/class="failure"/g)).toHaveLength(6);
      expect(page.length).toBeLessThan(60_000);
    },
  );

  it('leads into the window from the host of the window, and names commands in a saved file', () => {
    const name = '</a><script>';
    const project = { id: 'film', name, account: null };
    const batches = ['day 1', '"><b>'].map((id) => ({ id, name, project: name, takes: counts(1) }));
    const next = [{ step: 'decide' as const, takes: 1 }];
    const report = { ...hostile, project, batches, next };
    const saved = reportPage({ report, pictures: new Map(), at: since });
    const served = reportPage({ report, pictures: new Map(), at: since, leadsToWindow: true });
    const links = [...served.matchAll(/<a href="([^"]*)">/g)].map(([, address]) => address);
    expect(new Set(links)).toEqual(
      new Set([
        '/#/project/film/queue?tab=undecided&amp;of=film',
        '/#/project/film/queue?tab=failed&amp;of=film',
        '/#/project/film/batch?batch=day%201',
        '/#/project/film/batch?batch=%22%3E%3Cb%3E',
      ]),
    );
    expect(served).not.toMatch(/<script|<code|<b>"/);
    expect(saved).not.toMatch(/<a /);
    expect(saved).toContain('<code>dailies jobs list --standing unknown</code>');
    expect(saved).toContain('<code>dailies jobs list --standing failed</code>');
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
    expect([40_000, 8 * 60_000, HOUR, 2.5 * HOUR].map(toLength)).toEqual(['40 s', '8 min', '1 h', '2 h 30 min']);
  });
});
