import letters from '../../../resources/demo/letters.json' with { type: 'json' };
import { seedFor, type OutputKey } from './output.ts';
import { ACCENTS, sceneFor } from './scene.ts';

export interface Slate {
  /** Pixels. */
  width: number;
  height: number;
  headline: string;
  label: string;
  caption: string;
  seed: string;
}

const INK = '#f4f4f2';
const QUIET_INK = '#c9c9c6';
const MAX_LINES = 2;
const MAX_CHARACTERS = 600;
const LINE_PITCH = 1.7;

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
    seed: seedFor(key),
  };
}

/** An SVG of the slate, clear but for its lower edge: the model and the facts in one line, the shot's words under them. */
export function slateSvg({ width, height, headline, label, caption, seed }: Slate): string {
  const unit = Math.min(width, height) / 100;
  const [size, small, margin] = [unit * 2.6, unit * 2.1, unit * 4];
  const room = width - 2 * margin - unit * 14;
  const lines = linesFor(headline.slice(0, MAX_CHARACTERS), room, size, MAX_LINES);
  const foot = height - margin;
  const top = foot - lines.length * size * LINE_PITCH - small;
  const left = margin + unit * 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}">`,
    '<defs><linearGradient id="edge" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-opacity="0"/><stop offset="1" stop-opacity=".8"/></linearGradient></defs>',
    `<rect y="${px(top - unit * 9)}" width="${String(width)}" height="${px(height - top + unit * 9)}" fill="url(#edge)"/>`,
    `<rect x="${px(margin)}" y="${px(top - small)}" width="${px(unit * 0.5)}" height="${px(foot - top + small)}" fill="${ACCENTS[sceneFor(headline, seed).time]}"/>`,
    ...linesFor(`${label} · ${caption}`, room, small, 1).map((line) => drawn(line, left, top, small, QUIET_INK)),
    ...lines.map((line, place) => drawn(line, left, foot - (lines.length - 1 - place) * size * LINE_PITCH, size, INK)),
    '</svg>',
  ].join('');
}

const px = (value: number): string => value.toFixed(2);

/** The first lines of a text that are no wider than `room` pixels; the last one says whether there is more. */
function linesFor(text: string, room: number, size: number, most: number): string[] {
  const lines: string[] = [];
  let rest = [...plainText(text)];
  while (rest.length > 0 && lines.length < most) {
    const fits = rest.findIndex((_, at) => widthFor(rest.slice(0, at + 1), size) > room);
    if (fits === -1) return [...lines, rest.join('')];
    const isLast = lines.length === most - 1;
    const blank = rest.lastIndexOf(' ', fits);
    const end = isLast ? fits - 1 : blank > 0 ? blank : Math.max(fits, 1);
    lines.push(rest.slice(0, Math.max(end, 1)).join('').trimEnd() + (isLast ? '…' : ''));
    rest = rest.slice(rest[end] === ' ' ? end + 1 : end);
  }
  return lines;
}

/** Outlines by character, each after its width. Written by `npm run letters`. */
const outlines: Readonly<Record<string, string>> = letters.letters;
const { capitalHeight } = letters;

function toOutline(character: string): { width: number; path: string } | undefined {
  const outline = Object.hasOwn(outlines, character) ? outlines[character] : undefined;
  if (outline === undefined) return undefined;
  const end = outline.indexOf(' ');
  return { width: Number(outline.slice(0, end)), path: outline.slice(end + 1) };
}

/** Of a character without an outline: a font of the machine draws it. */
const FOREIGN_WIDTH = 1.35 * capitalHeight;

const toAdvance = (character: string): number => toOutline(character)?.width ?? FOREIGN_WIDTH;

/** Pixels, at a height of capitals of `size` pixels. */
const widthFor = (characters: readonly string[], size: number): number =>
  (characters.reduce((sum, character) => sum + toAdvance(character), 0) * size) / capitalHeight;

/** The characters of a text as the alphabet knows them: marks it cannot draw fall off, quotes are straight, blanks are spaces. */
function plainText(text: string): string {
  const known = Array.from(text.normalize('NFC'), (character) =>
    toOutline(character)
      ? character
      : character
          .normalize('NFD')
          .replace(/\p{Mn}/gu, '')
          .normalize('NFC'),
  );
  return known.join('').replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/\s+/gu, ' ').replace(/\p{C}/gu, '').trim();
}

/** SVG of one line of text whose baseline starts at (x, baseline), in pixels. */
function drawn(line: string, x: number, baseline: number, size: number, colour: string): string {
  let at = 0;
  const parts = Array.from(line, (character) => {
    const place = at.toFixed(0);
    at += toAdvance(character);
    const path = toOutline(character)?.path;
    if (path !== undefined) return `<path transform="translate(${place} 0)" d="${path}"/>`;
    const points = String(character.codePointAt(0));
    return `<text x="${place}" y="0" font-size="${(capitalHeight * 1.25).toFixed(0)}" font-family="sans-serif">&#${points};</text>`;
  });
  const transform = `translate(${px(x)} ${px(baseline)}) scale(${(size / capitalHeight).toFixed(6)})`;
  return `<g transform="${transform}" fill="${colour}">${parts.join('')}</g>`;
}
