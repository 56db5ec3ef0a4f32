import type { Json, JsonObject } from '../../contract/json.ts';

const JSON_SUFFIX = /:json$/i;

/**
 * Fields of the `param.NAME` columns: sent as NAME with the text of the cell, untouched. `param.NAME:json` sends
 * the JSON value instead, for fields that are numbers, booleans or structures.
 */
export function extraFields(extra: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(extra)
      // By name, so that moving a column about in the list does not change the bytes.
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]): [string, Json] => [extraFieldName(name), extraFieldValue(name, text)]),
  );
}

/** `seed:json` sends the field `seed`. */
export function extraFieldName(name: string): string {
  return name.replace(JSON_SUFFIX, '');
}

/** Throws SyntaxError when a `:json` column does not hold JSON; checking the list has excluded that. */
export function extraFieldValue(name: string, text: string): Json {
  if (!JSON_SUFFIX.test(name)) return text;
  // Spreadsheet programs write TRUE where JSON wants true.
  return JSON.parse(/^\s*(true|false)\s*$/i.test(text) ? text.toLowerCase() : text) as Json;
}

/** Leaves out what the shot does not name, keeping the order: the same shot gives the same bytes. */
export function presentFields(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, Json] => field[1] !== undefined));
}
