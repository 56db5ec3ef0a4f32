import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as z from 'zod';
import { countJsonValues, JsonTooDeepError, JsonTooLongError, parseBoundedJson } from '../../contract/json.ts';
import { createYielder } from '../base/slices.ts';
import { checkJson, MAX_VALUES, problemIn, readJson, type JsonRead } from './json-files.ts';
import type { Place } from './place.ts';
import { FileTooLargeError, openFile, type OpenFile } from './project-files.ts';

/*
 * Long lists are kept in files with one item a line, after the facts about the list. Such a file is written and read line
 * by line, so that neither its whole text is in memory nor anything else waits for it. It has the same bounds both ways:
 * what was written can be read again.
 */

/** The most that a file of lines holds. A file comes from anyone, and what it becomes must fit into memory. */
export interface LineBounds {
  readonly bytes: number;
  readonly lineBytes: number;
  readonly lines: number;
  /** In all lines together, counted as by `countJsonValues`. */
  readonly values: number;
}

export interface LineForm {
  /** The end of the facts, which opens the list in `field`. */
  readonly opening: string;
  readonly field: string;
  readonly indent: string;
  readonly ending: string;
  readonly bounds: LineBounds;
}

const CHUNK = 1000 ** 2;
const ITEMS_AT_ONCE = 500;

class LineCount {
  readonly #bounds: LineBounds;
  #bytes = 0;
  #lines = 0;
  #values = 0;

  constructor(bounds: LineBounds) {
    this.#bounds = bounds;
  }

  /** Throws FileTooLargeError for a line that is one too many. */
  add(line: string, lineBytes = Buffer.byteLength(line)): void {
    const { bytes, lineBytes: longest, lines, values } = this.#bounds;
    this.#bytes += lineBytes + 1;
    this.#lines += 1;
    if (lineBytes > longest || this.#bytes > bytes || this.#lines > lines) throw new FileTooLargeError();
    try {
      this.#values += countJsonValues(line, values - this.#values);
    } catch (error) {
      // A line that is nested too deep is not read at all.
      if (error instanceof JsonTooLongError) throw new FileTooLargeError();
    }
  }
}

/**
 * The text of a file with these items. Throws FileTooLargeError where the file could not be read again.
 *
 * @param facts a JSON object up to `form.opening`
 */
export async function* textInLines(
  { bounds, indent, ending }: LineForm,
  facts: string,
  items: readonly unknown[],
): AsyncGenerator<string> {
  const count = new LineCount(bounds);
  count.add(facts);
  yield facts;
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const lines = items.slice(start, start + ITEMS_AT_ONCE).map((item) => `${indent}${JSON.stringify(item)}`);
    for (const line of lines) count.add(line);
    yield `${start === 0 ? '' : ','}\n${lines.join(',\n')}`;
    await nextTurn();
  }
  yield ending;
}

/** Reads a file of facts and items, as a whole if it is laid out otherwise. Tells of the first wrong line. */
export async function readInLines<List>(place: Place, form: LineForm, schema: z.ZodType<List>, item: z.ZodType) {
  return (await readLines(place, form, schema, item)) ?? readJson(place, schema, form.bounds.lineBytes);
}

async function readLines<List>(
  place: Place,
  { opening, field, ending, bounds }: LineForm,
  schema: z.ZodType<List>,
  item: z.ZodType,
): Promise<JsonRead<List> | null> {
  let head = '';
  let read: JsonRead<List> | null = null;
  const items: unknown[] = [];
  let end = '';
  const file = await openFile(place, 'read').catch(() => null);
  if (!file) return null;
  try {
    await eachLine(file, bounds, (line) => {
      if (read === null) {
        head += `${line}\n`;
        if (head.length > bounds.lineBytes) throw new FileTooLargeError();
        if (line.endsWith(opening)) read = checkJson(place, parseBoundedJson(`${head}]}`), schema);
        return read === null || 'value' in read;
      }
      if (end !== '' || /^ *\]/.test(line)) {
        end += `\n${line}`;
        return end.length <= ending.length;
      }
      const json = parseBoundedJson(line.endsWith(',') ? line.slice(0, -1) : line, { maxValues: MAX_VALUES });
      const next = checkJson(place, json, item, [items.length]);
      if ('value' in next) items.push(next.value);
      else read = next;
      return 'value' in next;
    });
  } catch (error) {
    return isBound(error) ? problemIn(place, error) : null;
  } finally {
    await file.handle.close();
  }
  // Set within the loop, which the compiler does not see.
  const found = read as JsonRead<List> | null;
  if (!found || 'problem' in found) return found;
  return `${end}\n` === ending ? { value: { ...found.value, [field]: items } } : null;
}

const isBound = (error: unknown): boolean =>
  error instanceof FileTooLargeError || error instanceof JsonTooDeepError || error instanceof JsonTooLongError;

/** Hands on each whole line, without line feed, until `take` is false. Returns the bytes. Throws FileTooLargeError. */
export async function eachLine(
  { handle, bytes }: OpenFile,
  bounds: LineBounds,
  take: (line: string) => boolean,
): Promise<number> {
  if (bytes > bounds.bytes) throw new FileTooLargeError();
  const count = new LineCount(bounds);
  const giveWay = createYielder();
  const chunk = Buffer.allocUnsafe(CHUNK);
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, at);
    at += bytesRead;
    const read = chunk.subarray(0, bytesRead);
    let from = 0;
    for (let end = read.indexOf('\n'); end !== -1; end = read.indexOf('\n', from)) {
      const line = Buffer.concat([...begun, read.subarray(from, end)]);
      from = end + 1;
      [begun, begunBytes] = [[], 0];
      const text = line.toString('utf8');
      count.add(text, line.length);
      if (!take(text)) return at - bytesRead + from;
      const turn = giveWay();
      if (turn) await turn;
    }
    begun.push(Buffer.from(read.subarray(from)));
    begunBytes += bytesRead - from;
    if (begunBytes > bounds.lineBytes || at > bounds.bytes) throw new FileTooLargeError();
    if (bytesRead === 0) return at - begunBytes;
  }
}
