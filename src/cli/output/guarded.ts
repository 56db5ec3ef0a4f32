import type { Output } from '../shell.ts';
import { withoutControls } from './text.ts';

/** A colour or weight of `Style`, after its escape character. */
const STYLE = /^\[\d{1,2}m/;

/**
 * An output whose `write` lets nothing through that a terminal would obey but line feeds and, at a terminal, colours.
 * Texts from elsewhere are made plain where they are put into words; this is for the one that was forgotten.
 */
export function guarded(output: Output): Output {
  const write = (text: string): unknown => output.write(printable(text, output.isTTY === true));
  const control = (sequence: string): unknown => output.write(sequence);
  // The width is asked for at each look: a window of the terminal may change its size.
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
