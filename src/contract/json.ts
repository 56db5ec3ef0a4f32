import * as z from 'zod';

/**
 * How deep arrays and objects may be nested. SQLite reads 1,000 levels and a call stack some thousands; no request of the
 * service has ten.
 */
export const MAX_JSON_DEPTH = 64;

/** Any JSON value: what may travel in a request body, a recipe file or the database. */
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

/** The text is JSON, nested deeper than {@link MAX_JSON_DEPTH}. */
export class JsonTooDeepError extends SyntaxError {}

/** Throws SyntaxError for a text that is not JSON, or {@link JsonTooDeepError}. */
export function parseBoundedJson(text: string, revive?: Parameters<typeof JSON.parse>[1]): unknown {
  const value: unknown = JSON.parse(text, revive);
  if (isTooDeep(value)) throw new JsonTooDeepError('json_too_deep');
  return value;
}
