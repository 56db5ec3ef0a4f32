import { messageFor, type Message, type Text } from '../../contract/messages/message.ts';
import { extname } from 'node:path/posix';
import filenamify from 'filenamify';
import { foldHeader } from '../../contract/kinds/index.ts';
import { formatNamed, type OutputFormat } from '../../contract/formats.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { withoutEnd } from '../base/trim-end.ts';
import { foldName, numberedName } from './publish.ts';

/** Longest name without extension: UTF-16 units, and bytes of UTF-8 (255 is the limit of Linux; extension and `_2` need room). */
const MAX_STEM_CHARACTERS = 80;
const MAX_STEM_BYTES = 200;
/** Characters of a text that may enter a name; `filenamify` takes quadratic time for a long one. */
const MAX_LOOKED_AT = 1000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Leading characters that hide a file, make it an option of a command, or cannot be seen. */
const LEADING = /^[.\s\-\u200d]+/u;
const TRAILING = /[.\s\u200d]/u;
/** Reserved on Windows with any extension: `con.txt` is the console too. */
const WINDOWS_RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(\.|$))/i;

/**
 * The text as a file name that all three systems accept, without extension: no separators, control or bidi characters,
 * reserved names, leading dots or dashes, trailing dots or spaces; NFC; never longer than the limits, and never cut
 * inside a character as people see it. When nothing is left, `fallback`.
 */
export function safeName(text: string, fallback = 'untitled'): string {
  const start = text.replace(LEADING, '').slice(0, MAX_LOOKED_AT).toWellFormed();
  const clean = filenamify(start, { replacement: '_', maxLength: Number.MAX_SAFE_INTEGER });
  const cut = trim(cutToLimits(notReserved(trim(clean))));
  // Cutting may have left just a reserved word (and then there is room again).
  return /^_*$/.test(cut) ? fallback : notReserved(cut);
}

function trim(name: string): string {
  return withoutEnd(name.replace(LEADING, ''), TRAILING).normalize('NFC');
}

function notReserved(name: string): string {
  return name.replace(WINDOWS_RESERVED, '$1_');
}

function fits(name: string): boolean {
  return name.length <= MAX_STEM_CHARACTERS && Buffer.byteLength(name) <= MAX_STEM_BYTES;
}

function cutToLimits(name: string): string {
  if (fits(name)) return name;
  let kept = '';
  for (const { segment } of graphemes.segment(name)) {
    if (!fits(kept + segment)) break;
    kept += segment;
  }
  return kept;
}

export interface TakeNaming {
  /** For example `{shot}_t{take}`. Fields: shot, take, n, batch, model, kind, notes, and every other column by its header. */
  readonly template: string;
  readonly shot: ShotSpec;
  readonly batch: string;
  readonly take: number;
}

export interface OutputPlace {
  readonly number: number;
  readonly of: number;
}

type Piece = { readonly literal: string } | { readonly number: number } | { readonly text: string };

/**
 * Safe name, without extension, of one output of a take. The shot's own `fileName` replaces the template. Takes and
 * outputs always differ: `_t{take}` is added from the second take on and `_{n}` with several outputs where the template
 * lacks them, and a name too long is shortened in its texts, not in its numbers.
 */
export function takeStem(naming: TakeNaming, output: OutputPlace = { number: 1, of: 1 }): string {
  const pieces = piecesFor(naming, output);
  return safeName(render(pieces, longestTexts(pieces)), `take_${naming.take}`);
}

function piecesFor(naming: TakeNaming, output: OutputPlace): Piece[] {
  const { shot, take } = naming;
  const template = shot.fileName === undefined ? naming.template : null;
  const pieces = template === null ? [{ text: withoutExtension(shot.fileName ?? '') }] : readTemplate(naming, output);
  const has = (field: string): boolean =>
    template !== null && toFields(template).some((name) => foldHeader(name) === field);
  if (take > 1 && !has('take')) pieces.push({ literal: '_t' }, { number: take });
  if (output.of > 1 && !has('n')) pieces.push({ literal: '_' }, { number: output.number });
  return pieces;
}

/** Characters of a template. One from another machine that is longer is cut. */
const MAX_TEMPLATE = 500;

const FIELD = /\{([^{}]*)\}/g;

function toFields(template: string): string[] {
  return [...template.matchAll(FIELD)].map((match) => match[1] ?? '');
}

export function templateProblem(template: string): Message | null {
  if (template.length > MAX_TEMPLATE) {
    return messageFor('defect.nameTooLong', { length: template.length, most: MAX_TEMPLATE });
  }
  const literals = template.replace(FIELD, '');
  if (/[{}]/.test(literals)) return messageFor('failure.braceAlone', { name: template });
  return toFields(template).some((field) => field.trim() === '')
    ? messageFor('failure.fieldWithoutName', { name: template })
    : null;
}

const SHARED_FIELDS: ReadonlySet<string> = new Set(['take', 'n', 'batch', 'model', 'kind']);

/** A warning about a template that gives many shots the same name; null when its fields tell shots apart. */
export function templateWarning(template: string): Text | null {
  if (toFields(template).some((field) => !SHARED_FIELDS.has(foldHeader(field)))) return null;
  return messageFor('remark.sameNames');
}

function readTemplate(naming: TakeNaming, output: OutputPlace): Piece[] {
  // `split` with a group: literals are at even places, field names at odd ones.
  return naming.template
    .slice(0, MAX_TEMPLATE)
    .split(FIELD)
    .map((part, index) => (index % 2 === 0 ? { literal: part } : fieldValue(part, naming, output)));
}

function fieldValue(field: string, naming: TakeNaming, output: OutputPlace): Piece {
  const { shot } = naming;
  switch (foldHeader(field)) {
    case 'shot':
      return { text: shot.key };
    case 'take':
      return { number: naming.take };
    case 'n':
      return { number: output.number };
    case 'batch':
      return { text: naming.batch };
    case 'model':
      return { text: shot.model };
    case 'kind':
      return { text: shot.kind };
    case 'notes':
      return { text: shot.notes ?? '' };
    default:
      return { text: columnValue(shot, field) };
  }
}

function columnValue(shot: ShotSpec, field: string): string {
  const wanted = foldHeader(field);
  return Object.entries(shot.columns).find(([header]) => foldHeader(header) === wanted)?.[1] ?? '';
}

/** The most characters of each text with which the whole still fits. */
function longestTexts(pieces: readonly Piece[]): number {
  let most = MAX_STEM_CHARACTERS;
  while (most > 0 && !fits(trim(render(pieces, most)))) most -= 1;
  return most;
}

function render(pieces: readonly Piece[], longest: number): string {
  return pieces
    .map((piece) => {
      if ('text' in piece) return firstGraphemes(piece.text, longest);
      return 'literal' in piece ? piece.literal : String(piece.number);
    })
    .join('');
}

function firstGraphemes(text: string, count: number): string {
  // Far more than could ever be kept; spares walking through a prompt of a megabyte.
  const start = text
    .slice(0, MAX_STEM_CHARACTERS * 20)
    .toWellFormed()
    .normalize('NFC');
  return Array.from(graphemes.segment(start), ({ segment }) => segment)
    .slice(0, count)
    .join('');
}

/** `hero.mp4` in the list means the name `hero`: the extension is that of the file that comes back. */
function withoutExtension(fileName: string): string {
  const extension = extname(fileName);
  return formatNamed(extension.slice(1)) === null ? fileName : fileName.slice(0, -extension.length);
}

/** Names distinct from each other and from `taken` in every spelling. Publishing sees the folder and may differ. */
export function outputNames(
  naming: TakeNaming,
  formats: readonly OutputFormat[],
  taken: Iterable<string> = [],
): string[] {
  const folds = new Set(Array.from(taken, foldName));
  return formats.map((format, index) => {
    const stem = takeStem(naming, { number: index + 1, of: formats.length });
    for (let attempt = 1; ; attempt += 1) {
      const name = numberedName(stem, format, attempt);
      if (folds.has(foldName(name))) continue;
      folds.add(foldName(name));
      return name;
    }
  });
}
