import { sayText, type Text } from '../../contract/messages/words.ts';
import type { Shell, Output } from '../shell.ts';
import { stripVTControlCharacters, styleText } from 'node:util';

/** What a terminal obeys or hides: control characters, line separators, text direction, characters without width. */
const CONTROLS = /[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Text from lists and servers, safe for one line: no escapes, control or invisible direction characters. */
export function plainText(text: Text): string {
  return withoutControls(stripVTControlCharacters(sayText(text)).replace(/[\t\r\n\u2028\u2029]+/g, ' ')).trim();
}

/** One JSON object as one line, without characters that control a terminal. */
export function jsonLine(value: object): string {
  // Of the control characters, JSON.stringify escapes only those below U+0020.
  return `${escaped(JSON.stringify(value))}\n`;
}

export const escaped = (json: string): string => json.replace(CONTROLS, escapedCharacter);

function escapedCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, place) => character.charCodeAt(place));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** A label of the window as part of a line: `Batch` as `batch`, `ID` as it is. */
export const withSmallLetter = (label: string): string =>
  label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

export function shortText(text: string, length: number): string {
  const characters = [...plainText(text)];
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}…`;
}

/** `0:07`, `12:40`, `3:05:09`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const rest = String(seconds % 60).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

/** Time of day in the local time zone, `02:14:05`. Swedish writes times as ISO 8601 does. */
export const timeOfDay = (at: number): string => new Date(at).toLocaleTimeString('sv');

/** `2026-11-22 02:14:05` in the local time zone. */
export const dateAndTime = (at: number): string => new Date(at).toLocaleString('sv');

const graphemes = new Intl.Segmenter();
const WIDE =
  /^(?:[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation})/u;

/** Columns a terminal needs for a text: wide East Asian characters and emoji take two. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

export interface Column {
  readonly title: string;
  readonly align?: 'right';
}

export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const lines = [columns.map((column) => column.title), ...rows];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, displayWidth(line[index] ?? '')), 0),
  );
  return lines.map((line) =>
    columns
      .map((column, index) => padded(line[index] ?? '', widths[index] ?? 0, column.align))
      .join('  ')
      .trimEnd(),
  );
}

export function padded(text: string, width: number, align?: Column['align']): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? space + text : text + space;
}

export type Style = ReturnType<typeof styleFor>;

export function styleFor(output: Output, env: Shell['env']) {
  const coloured = output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const as = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text;
  return { good: as('green'), bad: as('red'), warn: as('yellow'), strong: as('bold'), faint: as('dim') };
}

const STYLE = /^\[\d{1,2}m/;

/** An output without all that a terminal obeys, but line feeds and colours: it catches texts that nobody cleaned. */
export function guarded(output: Output): Output {
  const write = (text: string): unknown => output.write(printable(text, output.isTTY === true));
  const control = (sequence: string): unknown => output.write(sequence);
  // Read each time: the terminal's window may be resized.
  return Object.create(output, { write: { value: write }, control: { value: control } }) as Output;
}

function printable(text: string, hasColours: boolean): string {
  const [start = '', ...escaped] = text.split('\u001B');
  const rest = escaped.map((part) => {
    const style = hasColours ? (STYLE.exec(part)?.[0] ?? null) : null;
    return style === null
      ? linesWithoutControls(part)
      : `\u001B${style}${linesWithoutControls(part.slice(style.length))}`;
  });
  return linesWithoutControls(start) + rest.join('');
}

const linesWithoutControls = (text: string): string => text.split('\n').map(withoutControls).join('\n');
