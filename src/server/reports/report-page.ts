import { countTakes } from '../../contract/batch.ts';
import { t, sayText, spoken, type Text } from '../../contract/messages/words.ts';
import { toShare, WARN_AT } from '../../contract/ledger.ts';
import type { FailureGroup, FirstTake, NextStep, NightReport } from '../../contract/night-report.ts';
import { toFragment, type WindowPlace } from '../../contract/place.ts';
import { html, Html, type Part, timeline } from './timeline.ts';
import {
  awakeLine,
  datesFor,
  headline,
  toLength,
  lostIn,
  priceOfRequests,
  spentIn,
  moneyInWords,
} from '../../contract/in-words.ts';

const style = `
:root{color-scheme:light dark;--ground:#fafafa;--card:#fff;--text:#141414;--soft:#474747;--line:#dcdcdc;--accent:#a05300;
--good:#17693a;--bad:#b3261e;--warn:#775500;--w0:#d9822b;--w1:#8a63d2;--w2:#2a9d8f;--w3:#c2556b;--tile:#ebebeb}
@media (prefers-color-scheme:dark){:root{--ground:#141414;--card:#1b1b1b;--text:#ececec;--soft:#b4b4b4;--line:#333;
--accent:#f0a13a;--good:#62c483;--bad:#f2776d;--warn:#e5c35c;--w0:#e8a04f;--w1:#ab8bf0;--w2:#4fc3b5;--w3:#e27f93;--tile:#242424}}
@media print{:root{color-scheme:light;--ground:#fff;--card:#f6f6f6;--text:#141414;--soft:#474747;--line:#dcdcdc;--accent:#a05300;
--good:#17693a;--bad:#b3261e;--warn:#775500;--w0:#d9822b;--w1:#8a63d2;--w2:#2a9d8f;--w3:#c2556b;--tile:#e8ebf1}}
*{box-sizing:border-box;margin:0}
body{background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC",
"Microsoft YaHei","Noto Sans CJK SC",sans-serif;font-variant-numeric:tabular-nums;-webkit-print-color-adjust:exact;
print-color-adjust:exact;overflow-wrap:anywhere}
main{max-width:1060px;margin:0 auto;padding:56px 40px 40px}
.kicker{color:var(--soft);font-size:14px;margin-bottom:10px}h2 .kicker{font-weight:400;margin-left:6px}
h1{font-size:44px;line-height:1.12;letter-spacing:-.022em;font-weight:680;text-wrap:balance;max-width:20em}
h2{font-size:17px;font-weight:650;letter-spacing:-.006em;margin-bottom:12px}
section{margin-top:44px}
.figures{display:grid;grid-template-columns:repeat(var(--count),1fr);gap:1px;background:var(--line);
border:1px solid var(--line);border-radius:14px;overflow:hidden;margin-top:32px}
.figure{background:var(--ground);padding:18px 16px;min-width:0}
.figure dt{color:var(--soft);font-size:13px}
.figure dd{font-size:29px;font-weight:640;letter-spacing:-.02em;line-height:1.25;white-space:nowrap}
.figure dd.long{font-size:21px;line-height:36px}
.figure dd.of{color:var(--soft);font-size:13px;font-weight:400;letter-spacing:0;line-height:1.5;min-height:1.5em;white-space:normal}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.night{display:block;width:100%;height:auto}
.night text{font-size:12.5px;fill:var(--soft)}
.night .strong{fill:var(--text);font-weight:600}
.night .time{text-anchor:middle}.night .side{text-anchor:end}
.tick,.base{stroke:var(--line)}.goal{stroke:var(--soft);stroke-dasharray:2 5;opacity:.7}
.area{fill:var(--accent);opacity:.13}.curve{fill:none;stroke:var(--accent);stroke-width:2.5;stroke-linejoin:round}
.end{fill:var(--accent)}.sent{fill:var(--accent);opacity:.5}.rail{fill:var(--card)}
.w0{fill:var(--w0)}.w1{fill:var(--w1)}.w2{fill:var(--w2)}.w3{fill:var(--w3)}
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:44px}
ol,ul{list-style:none;padding:0}
.next li{display:grid;grid-template-columns:28px 1fr;padding:9px 0;border-top:1px solid var(--line)}
.next li:first-child,.rows li:first-child{border-top:0;padding-top:0}
.next b{color:var(--accent);font-weight:650}
.rows li{display:flex;justify-content:space-between;gap:20px;padding:8px 0;border-top:1px solid var(--line)}
.rows small,.failure small{display:block;color:var(--soft);font-size:13px}
.rows .value{max-width:60%;font-weight:600;text-align:right}
.rows .value small{font-weight:400}
.failure{background:var(--card);border-radius:12px;padding:14px 18px;margin-top:10px;display:grid;
grid-template-columns:92px 1fr;gap:18px;break-inside:avoid}
.failure .count{color:var(--bad);font-weight:640}
.failure p{display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}
.failure small{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
.kicker{display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical;overflow:hidden}h2 .kicker{display:inline}
.failure .remedy{font-weight:600;margin-top:2px}
.bar{height:6px;border-radius:3px;background:var(--tile);margin-top:6px;overflow:hidden;display:block;width:100%}
.bar rect{fill:var(--accent)}.bar .near{fill:var(--warn)}.bar .full{fill:var(--bad)}
.note{color:var(--soft);font-size:14px;margin-top:10px}
a{color:inherit;text-underline-offset:3px;text-decoration-color:var(--accent)}
code{color:var(--soft);font:12px/1.5 ui-monospace,Consolas,monospace}h2 code{font-weight:400;margin-left:6px}
.strip{display:grid;grid-template-columns:repeat(6,1fr);gap:14px 12px}
.take{min-width:0;break-inside:avoid}
.take img,.take .tile{display:block;width:100%;aspect-ratio:16/9;object-fit:cover;border-radius:8px;background:var(--tile)}
.take .tile{display:grid;place-items:center;color:var(--soft);font-size:15px;font-weight:600;padding:6px;overflow:hidden;text-align:center}
.take span{display:block;color:var(--soft);font-size:12px;margin-top:4px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
footer{margin-top:52px;padding-top:16px;border-top:1px solid var(--line);color:var(--soft);font-size:13px}
@media (max-width:900px){.figures{grid-template-columns:repeat(3,1fr)}}
@media (max-width:720px){.figures{grid-template-columns:1fr 1fr}main{padding:32px 20px}h1{font-size:32px}.columns{grid-template-columns:1fr}
.strip{grid-template-columns:repeat(3,1fr)}.failure{grid-template-columns:1fr;gap:4px}}
@page{size:A4;margin:13mm}
@media print{code{display:none}body{font-size:10px;line-height:1.4}main{padding:0;max-width:none}h1{font-size:27px}h2{font-size:12px;margin-bottom:7px}
.kicker,.note{font-size:9.5px}section{margin-top:17px;break-inside:avoid}.figures{margin-top:16px;border-radius:8px;
grid-template-columns:repeat(var(--count),1fr)}.figure{padding:9px 10px}.figure dt,.figure dd.of,.rows small,.failure small{font-size:8.5px}
.figure dd{font-size:17px}.figure dd.long{font-size:13px;line-height:21px}.columns{gap:26px;grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
.failure{padding:8px 11px;margin-top:6px;grid-template-columns:56px 1fr;gap:10px;border-radius:7px}.failure p{-webkit-line-clamp:2}.failure small{-webkit-line-clamp:1}
.next li{padding:5px 0;grid-template-columns:18px 1fr}.rows li{padding:4px 0}.strip{gap:7px;grid-template-columns:repeat(6,1fr)}
.take img,.take .tile{border-radius:4px}.take span{font-size:8px;margin-top:2px}.take .tile{font-size:10px}
.second{break-before:page;margin-top:0}h1{-webkit-line-clamp:3}footer{margin-top:16px;padding-top:8px;font-size:8.5px}.failures{break-inside:auto}}
`;

/** So many of each are named: the page prints to two sheets of A4. */
const MAX_FAILURES = 6;
const MAX_ROWS = 7;
/** Longest name, and longest text of a service, in characters. */
const MAX_NAME = 80;
const MAX_TEXT = 400;

/** The page loads nothing and runs nothing, whatever a file name tries. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

export interface ReportPage {
  readonly report: NightReport;
  /** Small pictures as `data:` addresses, by the id of their take. */
  readonly pictures: ReadonlyMap<string, string>;
  readonly at: number;
  /** The window's own host answers with it: it leads into the window. A saved file knows none, and names commands. */
  readonly leadsToWindow?: boolean;
}

type Place = Pick<WindowPlace, 'view' | 'detail'>;

interface Links {
  /** Leads to a place of the project in the window; the plain text where there is none. */
  to(place: Place, text: Part): Part;
  /** The command that shows the same; null where links do. */
  command(command: string): Part;
}

function linksFor({ project }: NightReport, leadsToWindow: boolean): Links {
  if (!leadsToWindow || project === null) {
    return { to: (_place, text) => text, command: (command) => html` <code>${command}</code>` };
  }
  return {
    to({ view, detail }, text) {
      const place = { view, projectId: project.id, detail: view === 'queue' ? { ...detail, of: project.id } : detail };
      return html`<a href="/#${toFragment(place)}">${text}</a>`;
    },
    command: () => null,
  };
}

/** A report as one file that needs nothing else: no script, no address of another site. Pure. */
export function reportPage({ report, pictures, at, leadsToWindow = false }: ReportPage): string {
  const links = linksFor(report, leadsToWindow);
  const { since, until, project, takes } = report;
  const name = project === null ? t('common.allProjects') : short(project.name);
  const account = short(project?.account ?? '');
  const dates = datesFor(since, until);
  const picture = timeline(report);
  const time = new Intl.DateTimeFormat(spoken(), { dateStyle: 'long', timeStyle: 'short' }).format(at);
  return html`<!doctype html>
    <html lang="${spoken()}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${t('report.title', { project: name, dates })}</title>
        <style>
          ${inlineStyle}
        </style>
      </head>
      <body>
        <main>
          <header>
            <p class="kicker">
              <bdi>${name}</bdi>${account !== '' && html` · <bdi>${account}</bdi>`} · ${t('report.night', { dates })}
            </p>
            <h1>${headline(takes)}</h1>
            ${countTakes(takes) > 0 && figures(report)}
          </header>
          ${
            picture &&
            html`<section>
              <h2>${t('report.picture')}</h2>
              ${picture}
            </section>`
          }
          <section class="columns">
            <div>
              <h2>${t('report.next')}</h2>
              ${nextSteps(report, links)}
            </div>
            <div>
              <h2>${t('report.awake')}</h2>
              ${awake(report)}
            </div>
          </section>
          ${report.failures.length > 0 && failures(report.failures, links)}
          ${report.firstTakes.length > 0 && strip(report, pictures)}
          ${
            countTakes(takes) > 0 &&
            html`<section class="columns">
              <div>
                <h2>${t('report.waits')}</h2>
                ${waits(report)}
              </div>
              <div>
                <h2>${t('place.spending')}</h2>
                ${money(report)}
              </div>
            </section>`
          }
          ${report.batches.length > 1 && batches(report, links)}
          <footer>${t('report.madeAt', { time })}</footer>
        </main>
      </body>
    </html> `.text;
}

const inlineStyle = new Html(style);

const short = (name: string): string => cut(name, MAX_NAME);
const cut = (text: string, most: number): string => {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
};
const said = (text: Text): string => cut(sayText(text), MAX_TEXT);

function figures(report: NightReport): Html {
  const { takes, spend, requests } = report;
  const total = countTakes(takes);
  const spent = spentIn(spend);
  const lost = lostIn(report).reduce((sum, { ms }) => sum + ms, 0);
  const { estimate, currency } = spend;
  const all: (readonly [label: string, value: string, of: string, tone: string])[] = [
    [t('state.saved'), toNumber(takes.saved), t('report.ofTakes', { total }), 'good'],
    [t('report.figureDecide'), toNumber(takes.unknown), '', takes.unknown > 0 ? 'warn' : ''],
    [t('state.failed'), toNumber(takes.failed), '', takes.failed > 0 ? 'bad' : ''],
    ...(takes.unfinished > 0 ? ([[t('state.unfinished'), toNumber(takes.unfinished), '', 'warn']] as const) : []),
    ...(takes.cancelled > 0 ? ([[t('state.cancelled'), toNumber(takes.cancelled), '', '']] as const) : []),
    spent === null
      ? [
          t('report.figureSent'),
          toNumber(requests.sent),
          requests.again > 0 ? t('report.figureAgain', { count: requests.again }) : '',
          '',
        ]
      : [
          t('report.figureSpent'),
          priceOfRequests(spent, currency),
          !estimate.price ? '' : t('report.figureSpentOf', { estimate: priceOfRequests(estimate.price, currency) }),
          '',
        ],
    [t('report.waits'), toLength(lost), '', ''],
  ];
  return html`<dl class="figures" style="--count:${all.length}">
    ${all.map(
      ([label, value, of, tone]) =>
        html`<div class="figure">
          <dt>${label}</dt>
          <dd class="${tone}${value.length > 8 ? ' long' : ''}">${value}</dd>
          <dd class="of">${of}</dd>
        </div>`,
    )}
  </dl>`;
}

const toNumber = (count: number): string => new Intl.NumberFormat(spoken()).format(count);

const STEPS: Partial<Record<NextStep, Place>> = {
  set_key: { view: 'settings', detail: {} },
  raise_cap: { view: 'queue', detail: { tab: 'waiting' } },
  decide: { view: 'queue', detail: { tab: 'undecided' } },
  fix_failed: { view: 'queue', detail: { tab: 'failed' } },
  resume: { view: 'queue', detail: { tab: 'waiting' } },
};

function nextSteps({ next, earlierDecisions, since }: NightReport, links: Links): Html {
  const older =
    earlierDecisions > 0 && html`<p class="note">${t('report.earlierDecisions', { count: earlierDecisions })}</p>`;
  const line = ({ step, takes }: NightReport['next'][number]): Part => {
    const text = t('report.nextStep', { step, takes });
    const place: Place | undefined =
      step === 'review' ? { view: 'review', detail: { since: String(since) } } : STEPS[step];
    const command = step === 'decide' && links.command('dailies jobs list --standing unknown');
    return [place ? links.to(place, text) : text, command];
  };
  if (next.length === 0)
    return html`<p>${t('remedy.none')}</p>
      ${older}`;
  return html`<ol class="next">
      ${next.map((step, index) => html`<li><b>${index + 1}</b><span>${line(step)}</span></li>`)}
    </ol>
    ${older}`;
}

function awake({ awake: spans }: NightReport): Html {
  if (spans.length === 0) return html`<p><span class="good">✓</span> ${t('report.awakeYes')}</p>`;
  return html`<ul class="rows">
    ${rows(spans, (span) => html`<li><span>${awakeLine(span)}</span></li>`)}
  </ul>`;
}

function waits(report: NightReport): Html {
  const lost = lostIn(report);
  if (lost.length === 0) return html`<p>${t('report.waitsNone')}</p>`;
  return html`<ul class="rows">
    ${rows(
      lost,
      ({ cause, ms, times, waiting }) =>
        html`<li>
          <span>${t('report.cause', { cause })} <small>${t('report.waitTimes', { times, waiting })}</small></span
          ><span class="value">${toLength(ms)}</span>
        </li>`,
    )}
  </ul>`;
}

function rows<T>(all: readonly T[], row: (each: T) => Html): Html {
  const rest = all.length - MAX_ROWS;
  const more = rest > 0 && html`<li class="note">${t('report.more', { count: rest })}</li>`;
  return html`${all.slice(0, MAX_ROWS).map(row)}${more}`;
}

function failures(all: readonly FailureGroup[], links: Links): Html {
  const rest = all.length - MAX_FAILURES;
  return html`<section class="failures">
    <h2>${t('report.failures')}${links.command('dailies jobs list --standing failed')}</h2>
    ${all.slice(0, MAX_FAILURES).map((group) => failure(group, links))}
    ${rest > 0 && html`<p class="note">${t('report.more', { count: rest })}</p>`}
  </section>`;
}

function failure({ message, remedy, takes, charged, maybe, shots }: FailureGroup, links: Links): Html {
  const count = t('common.takes', { count: takes });
  const cost = t('report.failureCost', { charged, maybe }).trim();
  const named = { shots: shots.map((shot) => cut(shot, 24)), more: Math.max(0, takes - shots.length) };
  return html`<div class="failure">
    <div class="count">${links.to({ view: 'queue', detail: { tab: 'failed' } }, count)}</div>
    <div>
      <p dir="auto">${said(message)}</p>
      <p class="remedy">${said(remedy)}</p>
      <small><bdi>${t('report.shots', named)}</bdi>${cost !== '' && ` · ${cost}`}</small>
    </div>
  </div>`;
}

function money({ spend: { totals, estimate, currency, caps } }: NightReport): Html {
  const { settled, unclear, reserved, released } = totals;
  const unpriced = settled.unpriced + unclear.unpriced + reserved.unpriced;
  const row = (label: string, amount: { readonly requests: number; readonly price: number | null }) =>
    html`<li>
      <span>${label}<small>${t('spending.requests', { count: amount.requests })}</small></span>
      <span class="value">${amount.requests === 0 ? '–' : priceOfRequests(amount.price, currency)}</span>
    </li>`;
  return html`<ul class="rows">
      ${row(t('spending.settled'), settled)} ${reserved.requests > 0 && row(t('spending.reserved'), reserved)}
      ${unclear.requests > 0 && row(t('spending.unclear'), unclear)}
      ${released.requests > 0 && html`<li><span>${t('spending.released')}</span><span class="value">${t('spending.requests', { count: released.requests })}</span></li>`}
      ${(estimate.price ?? 0) > 0 && html`<li><span>${t('report.moneyEstimate')}</span><span class="value">${priceOfRequests(estimate.price, currency)}</span></li>`}
      ${caps.slice(0, 3).map((state) => capRow(state, currency))}
    </ul>
    ${unpriced > 0 && settled.price !== null && html`<p class="note">${t('stats.unpriced', { count: unpriced })}</p>`}`;
}

function capRow(state: NightReport['spend']['caps'][number], currency: string): Html {
  const { scope, cap, spent, name } = state;
  const share = Math.min(1, toShare(state));
  const tone = share >= 1 ? 'full' : share >= WARN_AT ? 'near' : '';
  const lines = [
    ...(cap.money === null ? [] : [[moneyInWords(spent.money, currency), moneyInWords(cap.money, currency)] as const]),
    ...(cap.takes === null ? [] : [[toNumber(spent.takes), t('common.takes', { count: cap.takes })] as const]),
  ];
  return html`<li>
    <span
      >${t('report.cap', { scope: scope.scope, name: short(name) })}
      <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect class="${tone}" width="${Math.round(share * 100)}" height="1" /></svg
    ></span>
    <span class="value"
      >${lines.map(([of, most]) => html`<span>${t('cap.usedMoney', { spent: of, most })}</span> `)}</span
    >
  </li>`;
}

function strip({ firstTakes, takes, project }: NightReport, pictures: ReadonlyMap<string, string>): Html {
  const count = t('report.firstTakesOf', { shown: firstTakes.length, total: takes.saved });
  return html`<section class="second">
    <h2>${t('report.firstTakes')} <span class="kicker">${count}</span></h2>
    <div class="strip">${firstTakes.map((take) => firstTake(take, pictures.get(take.takeId), project === null))}</div>
  </section>`;
}

function firstTake({ shot, take, project }: FirstTake, picture: string | undefined, namesProject: boolean): Html {
  const name = t('review.takeName', { shot: short(shot), take });
  const shown = picture
    ? html`<img src="${picture}" alt="${name}" />`
    : html`<div class="tile" aria-hidden="true"><bdi>${cut(shot, 24)}</bdi></div>`;
  return html`<figure class="take">
    ${shown}<span><bdi>${namesProject ? `${short(project)} · ${name}` : name}</bdi></span>
  </figure>`;
}

function batches({ batches: all }: NightReport, links: Links): Html {
  const row = ({ id, name, takes }: NightReport['batches'][number]) => {
    const named = links.to({ view: 'batch', detail: { batch: id } }, html`<bdi>${short(name)}</bdi>`);
    return html`<li><span>${named}</span><span class="value">${headline(takes)}</span></li>`;
  };
  return html`<section>
    <h2>${t('common.batches')}</h2>
    <ul class="rows">
      ${rows(all, row)}
    </ul>
  </section>`;
}
