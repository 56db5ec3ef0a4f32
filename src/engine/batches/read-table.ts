import Papa from 'papaparse';
import { asProblem, messageFor, type Text, type Message } from '../../contract/messages/message.ts';
import type { Problem, Defect } from '../../contract/shot.ts';
import { MB } from '../../contract/units.ts';
import {
  MAX_BYTES,
  RecordSorter,
  splitIt,
  tooManyColumns,
  tooManyRows,
  unreadableTable,
  withoutStatus,
  type Table,
} from './table.ts';
import { withoutGuard } from './csv-text.ts';
import { createYielder } from '../base/slices.ts';
import { MAX_ROWS } from '../../contract/draft-list.ts';
import { foldHeader } from '../../contract/kinds/index.ts';
import { isKnownHeader } from './columns.ts';
import { toMessage } from '../base/errors.ts';
import { readApart, ReaderEndedError, threadFile } from '../base/reader-process.ts';
import type { EditRequest } from './edit-xlsx.ts';
import type { WorkbookRequest } from './workbook-reader.ts';
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import jschardet from 'jschardet';

export type { Table } from './table.ts';

export interface ReadTableOptions {
  readonly encoding?: string | undefined;
  /** What separates the cells, when the detected one is wrong; empty is as good as absent. */
  readonly delimiter?: string | undefined;
  readonly sheet?: string | undefined;
}

const PIECE_BYTES = 128 * 1024;

const ENCODINGS = ['utf-8', 'utf-16le', 'gbk', 'shift_jis', 'windows-1252'];

const SAMPLE_CHARACTERS = 64 * 1024;

/** A quotation mark that is still open after this much text was never meant to open a cell, and no row is as long. */
const MAX_ROW_CHARACTERS = 4 * 1000 ** 2;

interface TableSource {
  readonly bytes: Uint8Array;
  /** For messages only; the contents say what kind of file it is. */
  readonly name?: string;
}

/** Reads a shot list into text cells; format, encoding and delimiter by its content. Mistakes come back as defects. */
export const readTable = async (source: TableSource, options?: ReadTableOptions): Promise<Table> =>
  withoutStatus(await readRawTable(source, options));

/** The same with the columns of ours that it may have; see `withStatus`. */
export async function readRawTable({ bytes, name }: TableSource, options: ReadTableOptions = {}): Promise<Table> {
  const list = name ?? messageFor('defect.theList');
  if (bytes.length > MAX_BYTES) {
    const problem = messageFor('defect.listTooLarge', { list, most: MAX_BYTES / MB });
    return unreadableTable('csv', asProblem(problem, splitIt));
  }
  if (isZip(bytes)) return readWorkbook({ bytes, list, sheet: options.sheet });
  if (isOldWorkbook(bytes)) {
    return unreadableTable('xlsx', asProblem(messageFor('defect.oldWorkbook', { list }), 'remedy.saveWorkbookAgain'));
  }
  return readText(bytes, list, options);
}

async function readText(bytes: Uint8Array, list: Text, options: ReadTableOptions): Promise<Table> {
  const encoding = options.encoding === undefined ? detectEncoding(bytes) : knownEncoding(options.encoding);
  if (encoding === null) {
    const remedy = messageFor('remedy.writeOneOf', { choices: ENCODINGS });
    return unreadableTable('csv', asProblem('defect.noEncoding', remedy), options.encoding);
  }
  const pieces = withEvenLineBreaks(decodeInPieces(bytes, encoding, PIECE_BYTES));
  const start = takeSample(pieces);
  if (/[\0\uFFFE]/.test(start)) {
    return unreadableTable('csv', asProblem(messageFor('defect.notText', { list }), 'remedy.giveListFile'));
  }
  const announced = /^sep=(.)\n/i.exec(start);
  // Excel's own first line names the delimiter; Excel does not count it as a row, so row numbers start after it.
  const text = announced === null ? start : start.slice(announced[0].length);
  const delimiter = (options.delimiter || announced?.[1]) ?? sniffDelimiter(text);
  return {
    format: 'csv',
    encoding,
    delimiter,
    sheet: null,
    sheets: [],
    ...(await parseRecords(text, pieces, delimiter)),
  };
}

/** One kind of line break, in cells too, so that a list does not depend on the system it was saved on. */
function* withEvenLineBreaks(pieces: Iterable<string>): Generator<string> {
  let heldBack = '';
  for (const piece of pieces) {
    const text = heldBack + piece;
    heldBack = text.endsWith('\r') ? '\r' : '';
    const whole = heldBack === '' ? text : text.slice(0, -1);
    yield whole.includes('\r') ? whole.replace(/\r\n?/g, '\n') : whole;
  }
  if (heldBack !== '') yield '\n';
}

function takeSample(pieces: Iterator<string>): string {
  let sample = '';
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    sample += next.value;
    if (sample.length >= SAMPLE_CHARACTERS) break;
  }
  return sample;
}

async function parseRecords(start: string, pieces: Iterable<string>, delimiter: string) {
  const sorter = new RecordSorter();
  const defects: Defect[] = [];
  const giveWay = createYielder();
  let rest = parsePiece(start, { delimiter, last: false, sorter, defects });
  for (const piece of pieces) {
    await giveWay();
    rest = parsePiece(rest + piece, { delimiter, last: false, sorter, defects });
    if (rest.length > MAX_ROW_CHARACTERS) {
      const endless = listDefect(sorter.nextRow, rest.includes('"') ? openQuote : endlessRow);
      return { ...sorter.records(), defects: [...defects, endless] };
    }
    if (sorter.tooWide !== null) return { ...sorter.records(), defects: [listDefect(sorter.tooWide, tooManyColumns)] };
    if (sorter.rows.length > MAX_ROWS) return { ...sorter.records(), defects: [listDefect(0, tooManyRows)] };
  }
  parsePiece(rest, { delimiter, last: true, sorter, defects });
  if (sorter.tooWide !== null) return { ...sorter.records(), defects: [listDefect(sorter.tooWide, tooManyColumns)] };
  return { ...sorter.records(), defects };
}

interface PieceContext {
  readonly delimiter: string;
  readonly last: boolean;
  readonly sorter: RecordSorter;
  readonly defects: Defect[];
}

function parsePiece(text: string, { delimiter, last, sorter, defects }: PieceContext): string {
  if (text === '') return '';
  const parser = new Papa.Parser({ delimiter, newline: '\n' });
  const { data, errors, meta } = parser.parse(text, 0, !last) as Papa.ParseResult<string[]>;
  const firstRow = sorter.nextRow;
  // The record that is not whole yet is parsed again with the next piece, and then its mistakes count.
  for (const mistake of errors.filter(({ row }) => (row ?? 0) < data.length)) {
    const row = firstRow + (mistake.row ?? 0);
    defects.push(listDefect(row, openQuote));
  }
  for (const record of data) sorter.take(record.map(withoutGuard));
  return last ? '' : text.slice(meta.cursor);
}

const openQuote = asProblem('defect.openQuote', 'remedy.closeQuote');
const endlessRow = asProblem(messageFor('defect.rowTooLong', { most: MAX_ROW_CHARACTERS }), splitIt);

function listDefect(row: number, complaint: Problem): Defect {
  return { severity: 'error', row, column: '', value: '', ...complaint };
}

const delimiters = [',', '\t', ';', '|'] as const;

const COMPARED_RECORDS = 20;

/**
 * Finds the delimiter: the one that makes most headers known, then the one that cuts all records into the same number
 * of cells. Prompts are full of commas and list cells of semicolons, so counting characters would mislead us.
 */
function sniffDelimiter(sample: string): string {
  const scores = delimiters.map((delimiter) => ({ delimiter, ...score(sample, delimiter) }));
  scores.sort((a, b) => b.known - a.known || b.even - a.even || b.cells - a.cells);
  return scores[0]?.delimiter ?? ',';
}

function score(sample: string, delimiter: string): { known: number; even: number; cells: number } {
  const { data } = Papa.parse<string[]>(sample, { delimiter, newline: '\n', preview: COMPARED_RECORDS });
  const records = data.filter((record) => record.some((cell) => cell.trim() !== ''));
  const header = records[0] ?? [];
  const known = new Set(header.filter(isKnownHeader).map(foldHeader)).size;
  const even = header.length > 1 ? records.filter((record) => record.length === header.length).length : 0;
  return { known, even, cells: header.length > 1 ? header.length : 0 };
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 0x03 || bytes[2] === 0x05);
}

/** Workbooks of Excel before 2007, and password-protected newer ones. */
function isOldWorkbook(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0].every((byte, place) => bytes[place] === byte);
}

/** Far longer than a list takes, ms. */
const TIME_LIMIT_MS = 30_000;
const usualLimit = (): AbortSignal => AbortSignal.timeout(TIME_LIMIT_MS);

/** Reads a sheet in a process of its own, bounded in memory and time. The answer is a table, of rows or of a defect. */
export async function readWorkbook(request: WorkbookRequest, limit = usualLimit): Promise<Table> {
  const { list } = request;
  const rows: (readonly string[])[] = [];
  const rowNumbers: number[] = [];
  const take = (piece: Table): void => {
    rows.push(...piece.rows);
    rowNumbers.push(...piece.rowNumbers);
  };
  try {
    const entry = threadFile('workbook-reader', import.meta.url);
    const last = await readApart(entry, request, limit, take);
    take(last);
    return { ...last, rows, rowNumbers };
  } catch (error) {
    return unreadableTable('xlsx', asProblem(problemFor(error, list), 'remedy.saveAsCsv'));
  }
}

/** The same workbook with some cells written, by the same process. Null where that fails. */
export const editWorkbook = (request: EditRequest, limit = usualLimit): Promise<Uint8Array | null> =>
  readApart<Uint8Array>(threadFile('workbook-reader', import.meta.url), request, limit).catch(() => null);

function problemFor(error: unknown, list: Text): Message {
  const isTooMuch = error instanceof ReaderEndedError || error instanceof DOMException;
  if (isTooMuch) return messageFor('defect.workbookTooMuch', { list });
  return messageFor('defect.workbookDamaged', { list, reason: toMessage(error) });
}

const SAMPLE_BYTES = 16 * 1024;

const byteOrderMarks: readonly { readonly bytes: readonly number[]; readonly encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];

/**
 * Encoding of a text: by its byte-order mark, as strict UTF-8, and last by a detector. Only the detector guesses, so the
 * user sees its answer and can choose another.
 */
export function detectEncoding(bytes: Uint8Array): string {
  const marked = byteOrderMarks.find((mark) => mark.bytes.every((byte, place) => bytes[place] === byte));
  if (marked !== undefined) return marked.encoding;
  return isUtf8(bytes) ? 'utf-8' : guessedEncoding(bytes);
}

/** East Asian encodings, whose characters take two bytes; the detector knows them by their byte pairs. */
const twoByteEncodings = ['gb18030', 'gb2312', 'gbk', 'big5', 'cp932', 'shift_jis', 'euc-jp', 'euc-kr', 'cp949'];

const usualNames: ReadonlyMap<string, string> = new Map([
  ['gb2312', 'gbk'],
  ['gb18030', 'gbk'],
  ['cp932', 'shift_jis'],
]);

/** Encoding of most old spreadsheets, and one in which every byte is a character. */
const FALLBACK = 'windows-1252';

/** Below this the detector's word for a one-byte encoding is worth less than the fallback. */
const CONFIDENT = 0.5;

function guessedEncoding(bytes: Uint8Array): string {
  const sample = tellingSample(bytes);
  const guess = jschardet.detect(Buffer.from(sample));
  const name = guess.encoding?.toLowerCase() ?? FALLBACK;
  // In short lists the detector is right about byte pairs, but not sure; Western text has its accents one by one.
  if (twoByteEncodings.includes(name)) return comesInPairs(sample) ? (usualNames.get(name) ?? name) : FALLBACK;
  return guess.confidence > CONFIDENT && iconv.encodingExists(name) ? name : FALLBACK;
}

function comesInPairs(sample: Uint8Array): boolean {
  const foreign = (place: number) => (sample[place] ?? 0) >= 0x80;
  let all = 0;
  let paired = 0;
  for (let place = 0; place < sample.length; place += 1) {
    if (!foreign(place)) continue;
    all += 1;
    if (foreign(place - 1) || foreign(place + 1)) paired += 1;
  }
  return paired * 2 > all;
}

/** The lines that hold bytes beyond ASCII: the others say nothing, and a detector is slow. */
function tellingSample(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < bytes.length && (bytes[from] ?? 0) < 0x80) from += 1;
  from = Math.max(0, from - 256);
  return bytes.subarray(from, from + SAMPLE_BYTES);
}

function knownEncoding(name: string): string | null {
  return iconv.encodingExists(name) ? name.toLowerCase() : null;
}

/** Decodes a text piece by piece. The mark at its start, if any, is left out. */
export function* decodeInPieces(bytes: Uint8Array, encoding: string, pieceBytes: number): Generator<string> {
  // gb18030 reads all of gbk, and the rarer characters that newer systems write under its name.
  const decoder = iconv.getDecoder(encoding === 'gbk' ? 'gb18030' : encoding, { stripBOM: true });
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    yield decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(pieceBytes, bytes.length - from)));
  }
  yield decoder.end() ?? '';
}
