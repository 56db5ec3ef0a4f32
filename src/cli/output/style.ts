import { styleText } from 'node:util';
import type { Shell, Output } from '../shell.ts';

type Format = Parameters<typeof styleText>[0];

/** Colours and weights, or nothing at all. */
export interface Style {
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  strong(text: string): string;
  faint(text: string): string;
}

/** Colour where the output is a terminal and nobody said NO_COLOR. */
export function styleFor(output: Output, env: Shell['env']): Style {
  const coloured = output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const as = (format: Format) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text;
  return { good: as('green'), bad: as('red'), warn: as('yellow'), strong: as('bold'), faint: as('dim') };
}
