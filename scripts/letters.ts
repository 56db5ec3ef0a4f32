import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, type Font } from 'opentype.js';

/**
 * Writes the outlines of the letters that the demo's pictures are lettered with, from Inter (SIL Open Font License 1.1).
 * They are kept with the sources: the demo then needs neither a font of the machine nor a reader of fonts.
 */
const fontFolder = resolve(import.meta.dirname, '../node_modules/@fontsource/inter/files');
export const lettersFile = resolve(import.meta.dirname, '../resources/demo/letters.json');
const CAPITAL_HEIGHT = 500;
const RANGES = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x2013, 0x2014],
  [0x2018, 0x201d],
  [0x2026, 0x2026],
] as const;

/** Width and SVG path of each letter as one text, where a capital is `capitalHeight` units high and the baseline is at 0. */
export function outlineLetters(): string {
  const fonts = ['latin', 'latin-ext'].map((part) => readFont(`inter-${part}-500-normal.woff`));
  const letters: Record<string, string> = {};
  for (const [first, last] of RANGES) {
    for (let code = first; code <= last; code += 1) {
      const letter = String.fromCodePoint(code);
      const font = fonts.find((each) => each.charToGlyphIndex(letter) !== 0);
      if (font) letters[letter] = outline(font, letter);
    }
  }
  return `${JSON.stringify({ capitalHeight: CAPITAL_HEIGHT, letters }, null, 2)}\n`;
}

function readFont(file: string): Font {
  const bytes = readFileSync(join(fontFolder, file));
  return parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

function outline(font: Font, letter: string): string {
  const size = (CAPITAL_HEIGHT * font.unitsPerEm) / Number(font.tables['os2']?.['sCapHeight']);
  return `${Math.round(font.getAdvanceWidth(letter, size))} ${font.getPath(letter, 0, 0, size).toPathData(0)}`;
}

if (import.meta.main) writeFileSync(lettersFile, outlineLetters());
