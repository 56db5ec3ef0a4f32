import { CAPITAL_HEIGHT, glyphOf } from './lettering.ts';

export interface TextStyle {
  /** Pixels from the top of a capital to the baseline. */
  size: number;
  colour: string;
  /** Stroke width as a share of `size`: 0.09 is light, 0.15 is bold. */
  weight: number;
}

const LETTER_GAP = 5;
/** Advance of a character the alphabet does not have, drawn with whatever font the machine offers. */
const FOREIGN_WIDTH = 22;

/** The characters of a text as the alphabet knows them: marks it cannot draw fall off, quotes are straight, blanks are spaces. */
export function plainText(text: string): string {
  return Array.from(text.normalize('NFC'), (character) =>
    glyphOf(character) === undefined ? withoutMarks(character) : character,
  )
    .join('')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trim();
}

function withoutMarks(character: string): string {
  return character
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC');
}

/** Pixels from the left edge of the first character to the right edge of the last. */
export function textWidth(text: string, size: number): number {
  const units = [...text].reduce((sum, character) => sum + advanceOf(character), 0);
  return Math.max(units - LETTER_GAP, 0) * (size / CAPITAL_HEIGHT);
}

/** SVG of one line of text whose baseline starts at (x, baseline), in pixels. */
export function drawText(text: string, x: number, baseline: number, style: TextStyle): string {
  const scale = style.size / CAPITAL_HEIGHT;
  const parts: string[] = [];
  let at = 0; // units
  for (const character of text) {
    const glyph = glyphOf(character);
    if (glyph === undefined) parts.push(foreignCharacter(character, at, style.colour));
    else if (glyph.path !== '') parts.push(`<path transform="translate(${at.toFixed(2)} 0)" d="${glyph.path}"/>`);
    at += advanceOf(character);
  }
  const place = `translate(${x.toFixed(2)} ${(baseline - style.size).toFixed(2)}) scale(${scale.toFixed(5)})`;
  const pen = `fill="none" stroke="${style.colour}" stroke-width="${(style.weight * CAPITAL_HEIGHT).toFixed(2)}"`;
  return `<g transform="${place}" ${pen} stroke-linecap="round" stroke-linejoin="round">${parts.join('')}</g>`;
}

/** Breaks a text into lines no wider than `width` pixels; a word that is too long by itself is broken. */
export function wrapText(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((whole) => breakWord(whole, width, size))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer, size) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function breakWord(word: string, width: number, size: number): string[] {
  if (textWidth(word, size) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && textWidth(piece + character, size) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

function advanceOf(character: string): number {
  return (glyphOf(character)?.width ?? FOREIGN_WIDTH) + LETTER_GAP;
}

function foreignCharacter(character: string, at: number, colour: string): string {
  const code = String(character.codePointAt(0));
  const place = `x="${at.toFixed(2)}" y="${String(CAPITAL_HEIGHT)}" font-size="25" font-family="sans-serif"`;
  return `<text ${place} fill="${colour}" stroke="none">&#${code};</text>`;
}
