import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import type { CellEdits } from './csv-edit.ts';
import { MAX_PARTS, MAX_UNPACKED, plain, SHEET } from './read-xlsx.ts';

export interface EditRequest {
  readonly bytes: Uint8Array;
  /** Which of its sheets, from 0. */
  readonly place: number;
  readonly edits: CellEdits;
}

type Cells = ReadonlyMap<number, string | number | null>;

/**
 * The same workbook with cells of one sheet written: what it does not write stays, every other part byte for byte. A
 * written cell keeps its style; a new header has that of the last one. Throws where the sheet cannot be found.
 */
export function editXlsx({ bytes, place, edits }: EditRequest): Uint8Array {
  let parts = 0;
  let unpacked = 0;
  const files = unzipSync(bytes, {
    filter: ({ originalSize }) => {
      parts += 1;
      unpacked += originalSize;
      if (parts > MAX_PARTS || unpacked > 2 * MAX_UNPACKED) throw new Error('The workbook is too large.');
      return true;
    },
  });
  const path = sheetPath(files, place);
  const sheet = files[path];
  if (!sheet) throw new Error('The workbook has no such sheet.');
  return zipSync({ ...files, [path]: strToU8(withCells(strFromU8(sheet), edits)) });
}

const ATTRIBUTE = (name: string): RegExp => new RegExp(String.raw`\s${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`);

function attribute(tag: string, name: RegExp): string | undefined {
  const [, double, single] = name.exec(tag) ?? [];
  return double ?? single;
}

const LINKED_BY = ATTRIBUTE(String.raw`\w+:id`);
const [ID, TARGET] = [ATTRIBUTE('Id'), ATTRIBUTE('Target')];

/** The part of a sheet, as the workbook links to it. */
function sheetPath(files: Readonly<Record<string, Uint8Array>>, place: number): string {
  const text = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
  const [tag = ''] = text('xl/workbook.xml').match(SHEET)?.slice(place) ?? [];
  const id = attribute(tag, LINKED_BY);
  const links = text('xl/_rels/workbook.xml.rels').match(/<(?:\w+:)?Relationship\s[^<>]*>/g) ?? [];
  const target = plain(attribute(links.find((link) => attribute(link, ID) === id) ?? '', TARGET) ?? '');
  return target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`;
}

const ROW = /<((?:\w+:)?)row(?=[\s>])([^<>]*[^/<>])?>/g;
const [REFERENCE, STYLE] = [ATTRIBUTE('r'), ATTRIBUTE('s')];

function withCells(sheet: string, edits: EditRequest['edits']): string {
  const pieces: string[] = [];
  let done = 0;
  let number = 0;
  let widest = 0;
  for (const { index, 0: open, 1: prefix = '' } of sheet.matchAll(ROW)) {
    number = Number(attribute(open, REFERENCE) ?? number + 1);
    const cells = edits.get(number);
    if (!cells) continue;
    const from = index + open.length;
    const end = sheet.indexOf(`</${prefix}row>`, from);
    if (end === -1) throw new Error('A row does not end.');
    // The hint of how far a row goes would be wrong.
    pieces.push(sheet.slice(done, index), open.replace(/\sspans\s*=\s*(?:"[^"]*"|'[^']*')/, ''));
    pieces.push(rowWith(sheet.slice(from, end), { prefix, number, cells, isHeader: number === firstRow(edits) }));
    widest = Math.max(widest, ...cells.keys());
    done = end;
  }
  return widerDimension(pieces.join('') + sheet.slice(done), widest);
}

const firstRow = (edits: EditRequest['edits']): number => Math.min(...edits.keys());

const CELL = /<(?:\w+:)?c(?=[\s/>])([^<>]*)>/g;

interface WrittenRow {
  readonly prefix: string;
  readonly number: number;
  readonly cells: Cells;
  readonly isHeader: boolean;
}

/** The content of a row with these cells, each in the place of the one that is there, else in its order. */
function rowWith(content: string, { prefix, number, cells, isHeader }: WrittenRow): string {
  const pieces: string[] = [];
  let done = 0;
  let column = -1;
  let style: string | undefined;
  const left = new Map([...cells].toSorted(([one], [other]) => one - other));
  const write = (index: number, ownStyle: string | undefined): void => {
    const value = left.get(index) ?? null;
    left.delete(index);
    pieces.push(cellXml(prefix, `${columnName(index)}${String(number)}`, value, ownStyle));
  };
  const writeBefore = (limit: number): void => {
    for (const index of [...left.keys()].filter((each) => each < limit)) write(index, isHeader ? style : undefined);
  };
  for (const { index, 0: open } of content.matchAll(CELL)) {
    if (index < done) continue;
    const reference = attribute(open, REFERENCE);
    column = reference === undefined ? column + 1 : columnIndex(reference);
    pieces.push(content.slice(done, index));
    done = index;
    writeBefore(column);
    const own = attribute(open, STYLE);
    if (left.has(column)) {
      const close = `</${prefix}c>`;
      const end = open.endsWith('/>') ? index + open.length : content.indexOf(close, index) + close.length;
      write(column, own);
      done = end;
    } else style = own;
  }
  pieces.push(content.slice(done));
  writeBefore(Number.POSITIVE_INFINITY);
  return pieces.join('');
}

function cellXml(prefix: string, reference: string, value: string | number | null, style: string | undefined): string {
  const open = `<${prefix}c r="${reference}"${style === undefined ? '' : ` s="${style}"`}`;
  if (value === null) return style === undefined ? '' : `${open}/>`;
  if (typeof value === 'number') return `${open}><${prefix}v>${String(value)}</${prefix}v></${prefix}c>`;
  const text = `<${prefix}t xml:space="preserve">${escaped(value)}</${prefix}t>`;
  return `${open} t="inlineStr"><${prefix}is>${text}</${prefix}is></${prefix}c>`;
}

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Without what XML cannot hold. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]/gu, '')
    .replace(/[&<>]/g, (sign) => NAMES[sign] ?? '');

/** `A` for 0, `AA` for 26. */
function columnName(index: number): string {
  const letter = String.fromCodePoint(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

const columnIndex = (reference: string): number =>
  [...(/^[A-Z]*/.exec(reference.toUpperCase())?.[0] ?? '')].reduce(
    (index, letter) => (index + 1) * 26 + (letter.codePointAt(0) ?? 65) - 65,
    -1,
  );

const DIMENSION = /(<(?:\w+:)?dimension\s[^<>]*ref\s*=\s*["'][A-Z]+\d+)(?::([A-Z]+)(\d+))?/;

function widerDimension(sheet: string, widest: number): string {
  return sheet.replace(DIMENSION, (whole, first: string, last?: string, row?: string) => {
    if (last === undefined || row === undefined || columnIndex(last) >= widest) return whole;
    return `${first}:${columnName(widest)}${row}`;
  });
}
