import { seedOf, type OutputKey, seededRandom } from './output.ts';
import { drawText, plainText, textWidth, wrapText } from './text-layout.ts';

/** What a picture says and how large it is. */
export interface Slate {
  /** Pixels. */
  width: number;
  height: number;
  headline: string;
  /** A short line above the headline. */
  label: string;
  /** A short line at the foot. */
  caption: string;
  /** Two slates with different seeds differ in colour and figure. */
  seed: string;
}

/** Where things are on a slate, in pixels, and its accent. */
export interface SlateGeometry {
  unit: number;
  margin: number;
  accent: string;
  /** Circle of the figure behind the text. */
  figure: { x: number; y: number; radius: number };
  footBaseline: number;
}

const INK = '#f1f1f1';
const QUIET_INK = '#9c9c9c';
const MOST_LINES = 10;

/** Clear of each other, all readable on dark grey. */
const ACCENTS = ['#e8a33d', '#5aa9e6', '#7fc97f', '#e06c75', '#b48ede', '#4fc1b0', '#d98c5f', '#c9c46a'];

/** The slate of one output: what the shot asks for, which model, how long, and the short id of its task. */
export function takeSlate(key: OutputKey): Slate {
  const { task, index, revision } = key;
  const { wanted } = task;
  const facts = [
    wanted.seconds > 0 ? `${String(wanted.seconds)} s` : `${String(wanted.width)} × ${String(wanted.height)}`,
    ...(wanted.outputs > 1 ? [`${String(index + 1)} of ${String(wanted.outputs)}`] : []),
    ...(revision > 0 ? [`revision ${String(revision + 1)}`] : []),
    // Enough of the id to tell the takes on a screen apart.
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

export function slateGeometry(slate: Slate): SlateGeometry {
  const random = seededRandom(slate.seed);
  const unit = Math.min(slate.width, slate.height) / 100;
  const accent = ACCENTS[Math.floor(random() * ACCENTS.length)] ?? INK;
  const figure = {
    x: slate.width * (0.7 + 0.16 * random()),
    y: slate.height * (0.3 + 0.3 * random()),
    radius: unit * (26 + 16 * random()),
  };
  return { unit, margin: unit * 8, accent, figure, footBaseline: slate.height - unit * 8 };
}

/** An SVG of the slate: dark neutral ground, a figure in the accent, the shot's words large, the facts small. */
export function slateSvg(slate: Slate): string {
  const { width, height } = slate;
  const { unit, margin, accent, figure, footBaseline } = slateGeometry(slate);
  const label = fitted(slate.label, width - 2 * margin - unit * 6, unit * 3.2);
  const caption = fitted(slate.caption, width - 2 * margin - unit * 30, unit * 2.9);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}">`,
    ground(accent),
    `<rect width="${String(width)}" height="${String(height)}" fill="url(#ground)"/>`,
    figureSvg(figure, accent, unit),
    `<rect x="${px(margin)}" y="${px(margin)}" width="${px(unit * 1.2)}" height="${px(unit * 3.4)}" rx="${px(unit * 0.6)}" fill="${accent}"/>`,
    drawText(label, margin + unit * 3.6, margin + unit * 3.3, { size: unit * 3.2, colour: QUIET_INK }),
    headlineSvg(slate, unit, margin, footBaseline),
    drawText(caption, margin, footBaseline, { size: unit * 2.9, colour: QUIET_INK }),
    '</svg>',
  ].join('');
}

function ground(accent: string): string {
  return (
    '<defs><linearGradient id="ground" x1="0" y1="0" x2="0" y2="1">' +
    '<stop offset="0" stop-color="#2a2a2a"/><stop offset="1" stop-color="#161616"/></linearGradient>' +
    '<radialGradient id="glow"><stop offset="0" stop-color="' +
    `${accent}" stop-opacity=".34"/><stop offset=".72" stop-color="${accent}" stop-opacity=".10"/>` +
    `<stop offset="1" stop-color="${accent}" stop-opacity="0"/></radialGradient></defs>`
  );
}

function figureSvg(figure: SlateGeometry['figure'], accent: string, unit: number): string {
  const circle = (radius: number, attributes: string): string =>
    `<circle cx="${px(figure.x)}" cy="${px(figure.y)}" r="${px(radius)}" ${attributes}/>`;
  const ring = (radius: number, opacity: number): string =>
    circle(
      radius,
      `fill="none" stroke="${accent}" stroke-opacity="${String(opacity)}" stroke-width="${px(unit * 0.35)}"`,
    );
  return [
    circle(figure.radius * 1.5, 'fill="url(#glow)"'),
    ring(figure.radius * 0.62, 0.28),
    ring(figure.radius, 0.42),
    ring(figure.radius * 1.38, 0.18),
  ].join('');
}

/** The largest lettering that shows the whole headline in the space there is. */
function headlineSvg(slate: Slate, unit: number, margin: number, footBaseline: number): string {
  const text = plainText(slate.headline);
  const width = slate.width - 2 * margin;
  const top = margin + unit * 10;
  const room = footBaseline - unit * 9 - top;
  const fits = (size: number): boolean => {
    const lines = wrapText(text, width, size);
    return lines.length <= MOST_LINES && lines.length * size * LINE_PITCH <= room;
  };
  const size = HEADLINE_SIZES.map((share) => share * unit).find(fits) ?? SMALLEST_HEADLINE * unit;
  const fitting = Math.max(1, Math.floor(room / (size * LINE_PITCH)));
  const all = wrapText(text, width, size);
  const lines = all.length <= fitting ? all : [...all.slice(0, fitting - 1), `${all[fitting - 1] ?? ''}…`];
  const block = lines.length * size * LINE_PITCH;
  const first = top + (room - block) / 2 + size * 1.2;
  return lines
    .map((line, place) =>
      drawText(fitted(line, width, size), margin, first + place * size * LINE_PITCH, {
        size,
        colour: INK,
      }),
    )
    .join('');
}

const LINE_PITCH = 1.75;
const HEADLINE_SIZES = [10, 9, 8, 7.2, 6.4, 5.7, 5];
const SMALLEST_HEADLINE = 4.4;

/** A line cut with an ellipsis where it would leave its space. */
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
