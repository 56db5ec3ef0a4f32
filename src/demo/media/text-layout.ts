import inter from '../../../resources/demo/letters.json' with { type: 'json' };

/** Written by `npm run letters`. */
const letters: Readonly<Record<string, string>> = inter.letters;

export interface TextStyle {
  /** Pixels from the top of a capital to the baseline. */
  size: number;
  colour: string;
}

/** The share of `size` for a character without an outline; a font of the machine draws it. */
const FOREIGN_WIDTH = 1.35;

/** The characters of a text as the alphabet knows them: marks it cannot draw fall off, quotes are straight, blanks are spaces. */
export function plainText(text: string): string {
  return Array.from(text.normalize('NFC'), (character) =>
    outlineOf(character) === undefined ? withoutMarks(character) : character,
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
  return [...text].reduce((sum, character) => sum + advanceOf(character), 0) * size;
}

/** SVG of one line of text whose baseline starts at (x, baseline), in pixels. */
export function drawText(text: string, x: number, baseline: number, { size, colour }: TextStyle): string {
  const parts: string[] = [];
  let at = 0;
  for (const character of text) {
    const place = (at * inter.capitalHeight).toFixed(0);
    const path = outlineOf(character)?.path;
    if (path === undefined) parts.push(foreignCharacter(character, place));
    else if (path !== '') parts.push(`<path transform="translate(${place} 0)" d="${path}"/>`);
    at += advanceOf(character);
  }
  const transform = `translate(${x.toFixed(2)} ${baseline.toFixed(2)}) scale(${(size / inter.capitalHeight).toFixed(6)})`;
  return `<g transform="${transform}" fill="${colour}">${parts.join('')}</g>`;
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

function outlineOf(character: string): { width: number; path: string } | undefined {
  const outline = Object.hasOwn(letters, character) ? letters[character] : undefined;
  if (outline === undefined) return undefined;
  const end = outline.indexOf(' ');
  return { width: Number(outline.slice(0, end)), path: outline.slice(end + 1) };
}

/** As a share of the height of a capital. */
function advanceOf(character: string): number {
  const outline = outlineOf(character);
  return outline === undefined ? FOREIGN_WIDTH : outline.width / inter.capitalHeight;
}

function foreignCharacter(character: string, place: string): string {
  const size = (inter.capitalHeight * 1.25).toFixed(0);
  return `<text x="${place}" y="0" font-size="${size}" font-family="sans-serif">&#${String(character.codePointAt(0))};</text>`;
}
