import { t } from '../../contract/messages/words.ts';
import { countTakes } from '../../contract/batch.ts';
import type { NightReport } from '../../contract/night-report.ts';
import { lostIn, timeInWords } from '../../contract/in-words.ts';

const WIDTH = 960;
const LEFT = 200;
const RIGHT = 10;
const TOP = 12;
const CURVE = 190;
const SENT = 30;
const LANE = 22;
const GAP = 14;
const MAX_LANES = 4;

const MINUTE = 60_000;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((minutes) => minutes * MINUTE);
const MAX_TICKS = 8;

/** The night as a picture: takes saved so far, requests, and a lane for each of the longest waits. Pure. */
export function timeline({ timeline: night, takes, waits }: NightReport): Html | null {
  if (night === null) return null;
  const { from, until, saved, sent, spans } = night;
  const x = (at: number): number => round(LEFT + ((at - from) / (until - from)) * (WIDTH - LEFT - RIGHT));
  const sum = saved.reduce((all, count) => all + count, 0);
  const most = Math.max(1, countTakes(takes));
  const bottom = TOP + CURVE;
  const y = (count: number): number => round(bottom - (count / most) * CURVE);
  const sentTop = bottom + GAP;
  const lanes = lostIn({ waits }).slice(0, MAX_LANES);
  const lanesTop = sentTop + SENT + GAP;
  const axis = lanesTop + lanes.length * LANE;
  const height = axis + 24;

  let reached = 0;
  const bucket = (until - from) / saved.length;
  const points = saved.map((count, index) => {
    reached += count;
    return `${x(from + (index + 1) * bucket)},${y(reached)}`;
  });
  const curve = `${x(from)},${y(0)} ${points.join(' ')}`;
  const busiest = Math.max(1, ...sent);
  const barWidth = round(Math.max(1, (WIDTH - LEFT - RIGHT) / sent.length - 1.5));
  const label = t('report.pictureAlt', { saved: sum, from: timeInWords(from), until: timeInWords(until) });

  return html`<svg class="night" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
    ${ticks(from, until).map(
      (at) =>
        html`<line class="tick" x1="${x(at)}" x2="${x(at)}" y1="${TOP}" y2="${axis}" />
          <text class="time" x="${x(at)}" y="${axis + 17}">${timeInWords(at)}</text>`,
    )}
    <line class="goal" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(most)}" y2="${y(most)}" />
    <line class="base" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${bottom}" y2="${bottom}" />
    <text class="side" x="${LEFT - 14}" y="${y(most) + 4}">${most}</text>
    <text class="side" x="${LEFT - 14}" y="${bottom + 4}">0</text>
    <text class="lane strong" x="0" y="${round(bottom - CURVE / 2)}">${t('report.pictureSaved')}</text>
    <polygon class="area" points="${curve} ${x(until)},${bottom} ${x(from)},${bottom}" />
    <polyline class="curve" points="${curve}" />
    <circle class="end" cx="${x(until)}" cy="${y(sum)}" r="4" />
    <text class="lane" x="0" y="${sentTop + SENT - 8}">${t('report.figureSent')}</text>
    ${sent.map((count, index) => {
      const tall = round((count / busiest) * SENT);
      return (
        count > 0 &&
        html`<rect
          class="sent"
          x="${x(from + index * bucket)}"
          y="${sentTop + SENT - tall}"
          width="${barWidth}"
          height="${tall}"
          rx="1"
        />`
      );
    })}
    ${lanes.map(({ cause }, lane) => {
      const top = lanesTop + lane * LANE;
      return html`<text class="lane" x="0" y="${top + 14}">${t('report.cause', { cause })}</text>
        <rect class="rail" x="${LEFT}" y="${top + 4}" width="${WIDTH - LEFT - RIGHT}" height="12" rx="3" />
        ${spans
          .filter((span) => span.cause === cause)
          .map(
            (span) =>
              html`<rect
                class="wait w${lane}"
                x="${x(span.from)}"
                y="${top + 4}"
                width="${round(Math.max(3, x(span.until) - x(span.from)))}"
                height="12"
                rx="3"
              />`,
          )}`;
    })}
  </svg>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function ticks(from: number, until: number): number[] {
  const step = STEPS.find((each) => (until - from) / each <= MAX_TICKS) ?? (until - from) / MAX_TICKS;
  const offset = new Date(from).getTimezoneOffset() * MINUTE;
  const first = Math.ceil((from - offset) / step) * step + offset;
  const all: number[] = [];
  for (let at = first; at <= until; at += step) all.push(at);
  return all;
}

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Html | string | number | null | false | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What turns the direction of text around it, or is not shown: a name may not reach beyond itself. */
const CONTROLS = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

const escaped = (text: string): string =>
  text.replace(CONTROLS, ' ').replace(/[&<>"']/g, (each) => ESCAPES[each] ?? '');

export function html(markup: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(markup.reduce((text, each, index) => `${text}${toText(parts[index - 1] ?? null)}${each}`));
}

function toText(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'number') return String(part);
  return typeof part === 'string' ? escaped(part) : part.map(toText).join('');
}
