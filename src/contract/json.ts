import * as z from 'zod';

/** Any JSON value: what may travel in a request body, a recipe file or the database. */
export const Json = z.json();
export type Json = z.infer<typeof Json>;

export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;

/** The JSON value of a text; undefined when it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
