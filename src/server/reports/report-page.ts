import { takesOf } from '../../contract/counts.ts';
import { say, sayText, spoken, type Text } from '../../contract/messages/words.ts';
import { shareOf, WARN_AT } from '../../contract/ledger.ts';
import type { FailureGroup, FirstTake, NightReport } from '../../contract/night-report.ts';
import { html, Html } from './html.ts';
import {
  awakeLine,
  datesOf,
  headline,
  lengthOf,
  lostIn,
  priceOfRequests,
  spentIn,
} from '../../contract/night-words.ts';
import { moneyInWords } from '../../contract/money.ts';
import { style } from './style.ts';
import { timeline } from './timeline.ts';

/** So many of each are named: the page prints to two sheets of A4. */
const MOST_FAILURES = 6;
const MOST_ROWS = 7;
/** Longest name, and longest text of a service, in characters. */
const MOST_NAME = 80;
const MOST_TEXT = 400;

/** The page loads nothing and runs nothing, whatever a file name tries. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

export interface ReportPage {
  readonly report: NightReport;
  /** Small pictures as `data:` addresses, by the id of their take. */
  readonly pictures: ReadonlyMap<string, string>;
  /** When it is made, ms. */
  readonly at: number;
}

/** A report as one file that needs nothing else: no script, no address. Pure. */
export function reportPage({ report, pictures, at }: ReportPage): string {
  const { since, until, project, takes } = report;
  const name = project === null ? say('common.allProjects') : short(project.name);
  const dates = datesOf(since, until);
  const picture = timeline(report);
  const time = new Intl.DateTimeFormat(spoken(), { dateStyle: 'long', timeStyle: 'short' }).format(at);
  return html`<!doctype html>
    <html lang="${spoken()}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${say('report.title', { project: name, dates })}</title>
        <style>
          ${inlineStyle}
        </style>
      </head>
      <body>
        <main>
          <header>
            <p class="kicker"><bdi>${name}</bdi> · ${say('report.night', { dates })}</p>
            <h1>${headline(takes)}</h1>
            ${takesOf(takes) > 0 && figures(report)}
          </header>
          ${
            picture &&
            html`<section>
              <h2>${say('report.picture')}</h2>
              ${picture}
            </section>`
          }
          <section class="columns">
            <div>
              <h2>${say('report.next')}</h2>
              ${nextSteps(report)}
            </div>
            <div>
              <h2>${say('report.awake')}</h2>
              ${awake(report)}
            </div>
          </section>
          ${report.failures.length > 0 && failures(report.failures)}
          ${report.firstTakes.length > 0 && strip(report, pictures)}
          ${
            takesOf(takes) > 0 &&
            html`<section class="columns">
              <div>
                <h2>${say('report.waits')}</h2>
                ${waits(report)}
              </div>
              <div>
                <h2>${say('report.money')}</h2>
                ${money(report)}
              </div>
            </section>`
          }
          ${report.batches.length > 1 && batches(report)}
          <footer>${say('report.madeAt', { time })}</footer>
        </main>
      </body>
    </html> `.text;
}

const inlineStyle = new Html(style);

const short = (name: string): string => cut(name, MOST_NAME);
const cut = (text: string, most: number): string => {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
};
const said = (text: Text): string => cut(sayText(text), MOST_TEXT);

function figures(report: NightReport): Html {
  const { takes, spend, requests } = report;
  const total = takesOf(takes);
  const spent = spentIn(spend);
  const lost = lostIn(report).reduce((sum, { ms }) => sum + ms, 0);
  const { estimate, currency } = spend;
  const all: (readonly [label: string, value: string, of: string, tone: string])[] = [
    [say('state.saved'), numberOf(takes.saved), say('report.ofTakes', { total }), 'good'],
    [say('report.figureDecide'), numberOf(takes.unknown), '', takes.unknown > 0 ? 'warn' : ''],
    [say('state.failed'), numberOf(takes.failed), '', takes.failed > 0 ? 'bad' : ''],
    ...(takes.unfinished > 0 ? ([[say('report.figureLeft'), numberOf(takes.unfinished), '', 'warn']] as const) : []),
    ...(takes.cancelled > 0 ? ([[say('state.cancelled'), numberOf(takes.cancelled), '', '']] as const) : []),
    spent === null
      ? [
          say('report.figureSent'),
          numberOf(requests.sent),
          requests.again > 0 ? say('report.figureAgain', { count: requests.again }) : '',
          '',
        ]
      : [
          say('report.figureSpent'),
          priceOfRequests(spent, currency),
          !estimate.price ? '' : say('report.figureSpentOf', { estimate: priceOfRequests(estimate.price, currency) }),
          '',
        ],
    [say('report.figureLost'), lengthOf(lost), '', ''],
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

const numberOf = (count: number): string => new Intl.NumberFormat(spoken()).format(count);

function nextSteps({ next, earlierDecisions }: NightReport): Html {
  const older =
    earlierDecisions > 0 && html`<p class="note">${say('report.earlierDecisions', { count: earlierDecisions })}</p>`;
  if (next.length === 0)
    return html`<p>${say('report.nextNothing')}</p>
      ${older}`;
  return html`<ol class="next">
      ${next.map(
        ({ step, takes }, index) =>
          html`<li><b>${index + 1}</b><span>${say('report.nextStep', { step, takes })}</span></li>`,
      )}
    </ol>
    ${older}`;
}

function awake({ awake: spans }: NightReport): Html {
  if (spans.length === 0) return html`<p><span class="good">✓</span> ${say('report.awakeYes')}</p>`;
  return html`<ul class="rows">
    ${rows(spans, (span) => html`<li><span>${awakeLine(span)}</span></li>`)}
  </ul>`;
}

function waits(report: NightReport): Html {
  const lost = lostIn(report);
  if (lost.length === 0) return html`<p>${say('report.waitsNone')}</p>`;
  return html`<ul class="rows">
    ${rows(
      lost,
      ({ cause, ms, times, waiting }) =>
        html`<li>
          <span>${say('report.cause', { cause })} <small>${say('report.waitTimes', { times, waiting })}</small></span
          ><span class="value">${lengthOf(ms)}</span>
        </li>`,
    )}
  </ul>`;
}

/** The first of some things, and how many are left out. */
function rows<T>(all: readonly T[], row: (each: T) => Html): Html {
  const rest = all.length - MOST_ROWS;
  const more = rest > 0 && html`<li class="note">${say('report.more', { count: rest })}</li>`;
  return html`${all.slice(0, MOST_ROWS).map(row)}${more}`;
}

function failures(all: readonly FailureGroup[]): Html {
  const rest = all.length - MOST_FAILURES;
  return html`<section class="failures">
    <h2>${say('report.failures')}</h2>
    ${all.slice(0, MOST_FAILURES).map(failure)}
    ${rest > 0 && html`<p class="note">${say('report.more', { count: rest })}</p>`}
  </section>`;
}

function failure({ message, remedy, takes, charged, maybe, shots }: FailureGroup): Html {
  const cost = say('report.failureCost', { charged, maybe }).trim();
  const names = { shots: shots.map((shot) => cut(shot, 24)), more: takes - shots.length };
  const which = takes > shots.length ? say('report.shotsMore', names) : say('report.shots', { shots: names.shots });
  return html`<div class="failure">
    <div class="count">${say('common.takes', { count: takes })}</div>
    <div>
      <p dir="auto">${said(message)}</p>
      <p class="remedy">${said(remedy)}</p>
      <small><bdi>${which}</bdi>${cost !== '' && ` · ${cost}`}</small>
    </div>
  </div>`;
}

function money({ spend: { totals, estimate, currency, caps } }: NightReport): Html {
  const { settled, unclear, reserved, released } = totals;
  const unpriced = settled.unpriced + unclear.unpriced + reserved.unpriced;
  const row = (label: string, amount: { readonly requests: number; readonly price: number | null }) =>
    html`<li>
      <span>${label}<small>${say('spending.requests', { count: amount.requests })}</small></span>
      <span class="value">${amount.requests === 0 ? '–' : priceOfRequests(amount.price, currency)}</span>
    </li>`;
  return html`<ul class="rows">
      ${row(say('spending.settled'), settled)} ${reserved.requests > 0 && row(say('spending.reserved'), reserved)}
      ${unclear.requests > 0 && row(say('report.moneyMaybe'), unclear)}
      ${released.requests > 0 && html`<li><span>${say('spending.released')}</span><span class="value">${say('spending.requests', { count: released.requests })}</span></li>`}
      ${(estimate.price ?? 0) > 0 && html`<li><span>${say('report.moneyEstimate')}</span><span class="value">${priceOfRequests(estimate.price, currency)}</span></li>`}
      ${caps.slice(0, 3).map((state) => capRow(state, currency))}
    </ul>
    ${unpriced > 0 && settled.price !== null && html`<p class="note">${say('report.moneyUnpriced', { count: unpriced })}</p>`}`;
}

function capRow(state: NightReport['spend']['caps'][number], currency: string): Html {
  const { scope, cap, spent, name } = state;
  const share = Math.min(1, shareOf(state));
  const tone = share >= 1 ? 'full' : share >= WARN_AT ? 'near' : '';
  const lines = [
    ...(cap.money === null ? [] : [[moneyInWords(spent.money, currency), moneyInWords(cap.money, currency)] as const]),
    ...(cap.takes === null ? [] : [[numberOf(spent.takes), say('common.takes', { count: cap.takes })] as const]),
  ];
  return html`<li>
    <span
      >${say('report.cap', { scope: scope.scope, name: short(name) })}
      <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect class="${tone}" width="${Math.round(share * 100)}" height="1" /></svg
    ></span>
    <span class="value"
      >${lines.map(([of, most]) => html`<span>${say('report.capSpent', { spent: of, most })}</span> `)}</span
    >
  </li>`;
}

function strip({ firstTakes, takes, project }: NightReport, pictures: ReadonlyMap<string, string>): Html {
  const count = say('report.firstTakesOf', { shown: firstTakes.length, total: takes.saved });
  return html`<section class="second">
    <h2>${say('report.firstTakes')} <span class="kicker">${count}</span></h2>
    <div class="strip">${firstTakes.map((take) => firstTake(take, pictures.get(take.takeId), project === null))}</div>
  </section>`;
}

function firstTake({ shot, take, project }: FirstTake, picture: string | undefined, namesProject: boolean): Html {
  const name = say('report.takeName', { shot: short(shot), take: String(take) });
  const shown = picture
    ? html`<img src="${picture}" alt="${name}" />`
    : html`<div class="tile" aria-hidden="true"><bdi>${cut(shot, 24)}</bdi></div>`;
  return html`<figure class="take">
    ${shown}<span><bdi>${namesProject ? `${short(project)} · ${name}` : name}</bdi></span>
  </figure>`;
}

function batches({ batches: all }: NightReport): Html {
  return html`<section>
    <h2>${say('common.batches')}</h2>
    <ul class="rows">
      ${rows(
        all,
        ({ name, takes }) => html`<li><bdi>${short(name)}</bdi><span class="value">${headline(takes)}</span></li>`,
      )}
    </ul>
  </section>`;
}
