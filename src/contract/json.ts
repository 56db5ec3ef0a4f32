import * as z from 'zod';

/** How deep arrays and objects may nest: SQLite reads 1,000 levels; no request of the service has ten. */
export const MAX_JSON_DEPTH = 64;

export type Json = z.infer<ReturnType<typeof z.json>>;
export const Json = z
  .unknown()
  .refine((value) => !isTooDeep(value), { abort: true, error: 'json_too_deep' })
  .pipe(z.json()) as unknown as z.ZodType<Json, Json>;

export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;

/** Whether a value is nested deeper than {@link MAX_JSON_DEPTH}. Takes no stack and no more time than reading it. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH) return true;
    const next: unknown[] = [];
    for (const each of level)
      if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) next.push(inner);
    level = next;
  }
  return false;
}

/** The JSON value of a text; undefined when it is not JSON, or nested deeper than {@link MAX_JSON_DEPTH}. */
export function parsedJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/** The text is JSON that is nested deeper than {@link MAX_JSON_DEPTH}. */
export class JsonTooDeepError extends SyntaxError {}

/** The text is JSON of more values than a reader takes. */
export class JsonTooLongError extends SyntaxError {
  readonly most: number;

  constructor(most: number) {
    super('json_too_long');
    this.most = most;
  }
}

/** Far more values than an answer of the service or an edit of a list has. Each takes up to 60 bytes of memory. */
export const MAX_JSON_VALUES = 1_000_000;

export interface JsonBounds {
  /** At most so many values, counted as by {@link countJsonValues}. */
  readonly maxValues?: number;
  readonly revive?: Parameters<typeof JSON.parse>[1] | undefined;
}

/** Throws SyntaxError, or, before anything is made of it, {@link JsonTooDeepError} or {@link JsonTooLongError}. */
export function parseBoundedJson(text: string, { maxValues = MAX_JSON_VALUES, revive }: JsonBounds = {}): unknown {
  countJsonValues(text, maxValues);
  return JSON.parse(text, revive) as unknown;
}

/**
 * The number of lists, objects and commas in a JSON text, which is at least half the number of its values. Throws
 * {@link JsonTooDeepError}, and {@link JsonTooLongError} above `most`. Takes no memory.
 */
export function countJsonValues(text: string, most = MAX_JSON_VALUES): number {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        values += 1;
        if (depth > MAX_JSON_DEPTH) throw new JsonTooDeepError('json_too_deep');
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
    }
    if (values > most) throw new JsonTooLongError(most);
  }
  return values;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Where the string that begins at `start` ends; the end of the text if it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/**
 * A list of at most `most` items, for files, answers and calls of strangers: what is wrong with the first wrong item is
 * told, and the rest are not looked at. Zod's own list collects the issues of all items, which can take a hundred times
 * the memory of the list.
 */
export function listOf<Item extends z.ZodType>(item: Item, most: number): z.ZodType<z.output<Item>[], z.input<Item>[]> {
  const list = z
    .array(z.unknown())
    .max(most)
    .transform((items, context) => {
      const all: z.output<Item>[] = [];
      for (const [index, each] of items.entries()) {
        const read = item.safeParse(each);
        if (!read.success) {
          const [issue] = read.error.issues;
          const path = [index, ...(issue?.path ?? [])];
          context.issues.push({ code: 'custom', input: each, path, message: issue?.message ?? '' });
          return z.NEVER;
        }
        all.push(read.data);
      }
      return all;
    });
  return list as unknown as z.ZodType<z.output<Item>[], z.input<Item>[]>;
}
