import { seedOf, type OutputKey } from './output.ts';
import { ACCENTS, sceneOf } from './scene.ts';
import { drawText, plainText, textWidth, wrapText } from './text-layout.ts';

export interface Slate {
  /** Pixels. */
  width: number;
  height: number;
  headline: string;
  label: string;
  caption: string;
  /** Names the take. */
  seed: string;
}

/** Where things are on a slate, in pixels, and its accent. */
export interface SlateGeometry {
  unit: number;
  margin: number;
  accent: string;
  footBaseline: number;
}

const INK = '#f4f4f2';
const QUIET_INK = '#c9c9c6';
const MOST_LINES = 2;
const MOST_CHARACTERS = 600;

export function takeSlate(key: OutputKey): Slate {
  const { task, index, revision } = key;
  const { wanted } = task;
  const facts = [
    wanted.seconds > 0 ? `${String(wanted.seconds)} s` : `${String(wanted.width)} × ${String(wanted.height)}`,
    ...(wanted.outputs > 1 ? [`${String(index + 1)} of ${String(wanted.outputs)}`] : []),
    ...(revision > 0 ? [`revision ${String(revision + 1)}`] : []),
    // Enough of the id to distinguish the takes on a screen.
    `task ${task.id.slice(-6)}`,
  ];
  return {
    width: wanted.width,
    height: wanted.height,
    headline: wanted.prompt === '' ? 'Untitled shot' : wanted.prompt,
    label: task.model,
    caption: facts.join(' · '),
    seed: seedOf(key),
  };
}

export function slateGeometry({ width, height, headline, seed }: Slate): SlateGeometry {
  const unit = Math.min(width, height) / 100;
  return {
    unit,
    margin: unit * 4,
    accent: ACCENTS[sceneOf(headline, seed).time],
    footBaseline: height - unit * 4,
  };
}

/** An SVG of the slate, clear but for its lower edge: the model and the facts in one line, the shot's words under them. */
export function slateSvg(slate: Slate): string {
  const { width, height } = slate;
  const { unit, margin, accent, footBaseline } = slateGeometry(slate);
  const [size, small] = [unit * 2.6, unit * 2.1];
  const room = width - 2 * margin - unit * 14;
  const lines = linesOf(plainText(slate.headline.slice(0, MOST_CHARACTERS)), room, size);
  const facts = fitted(`${slate.label} · ${slate.caption}`, room, small);
  const top = footBaseline - lines.length * size * LINE_PITCH - small;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}">`,
    '<defs><linearGradient id="edge" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-opacity="0"/><stop offset="1" stop-opacity=".8"/></linearGradient></defs>',
    `<rect y="${px(top - unit * 9)}" width="${String(width)}" height="${px(height - top + unit * 9)}" fill="url(#edge)"/>`,
    `<rect x="${px(margin)}" y="${px(top - small)}" width="${px(unit * 0.5)}" height="${px(footBaseline - top + small)}" fill="${accent}"/>`,
    drawText(facts, margin + unit * 2, top, { size: small, colour: QUIET_INK }),
    ...lines.map((line, place) =>
      drawText(line, margin + unit * 2, footBaseline - (lines.length - 1 - place) * size * LINE_PITCH, {
        size,
        colour: INK,
      }),
    ),
    '</svg>',
  ].join('');
}

const LINE_PITCH = 1.7;

function linesOf(text: string, width: number, size: number): string[] {
  const all = wrapText(text, width, size);
  const shown = all.slice(0, MOST_LINES).map((line) => fitted(line, width, size));
  const last = shown.pop() ?? '';
  return [...shown, all.length > MOST_LINES ? fitted(`${last}…`, width, size) : last];
}

function fitted(text: string, width: number, size: number): string {
  const plain = plainText(text);
  if (textWidth(plain, size) <= width) return plain;
  let shorter = plain;
  while (shorter !== '' && textWidth(`${shorter}…`, size) > width) shorter = shorter.slice(0, -1);
  return `${shorter.trimEnd()}…`;
}

function px(value: number): string {
  return value.toFixed(2);
}
