import type { Json, JsonObject } from '../../contract/json.ts';
import { media, type Medium } from '../../contract/formats.ts';
import { doneRecords } from '../api/wire-schemas.ts';

/** A place for a result URL: keys from the top, `*` for each item of a list. */
export type Place = readonly string[];

/** Reference, "Videos", rule 5, and the `output` list of the task record as well as its `output.url`. */
export const singlePlaces: readonly Place[] = [
  ['data', 'video_url'],
  ['video_url'],
  ['url'],
  ['result_url'],
  ['output', 'url'],
  ['output', '*', 'url'],
  ['output', '*'],
  ['metadata', 'url'],
];

/** Where answers with several results put them. Read before the single places, which would show only the first. */
export const listPlaces: readonly Place[] = [
  ['output', '*', 'url'],
  ['output', '*'],
  ['data', '*', 'url'],
  ['data', '*'],
  ['data', 'data', '*', 'url'],
  ['data', 'output', '*', 'url'],
  ['result', 'data', '*', 'url'],
];

/** Places the reference shows for other records; read last, so that they never outrank the documented order. */
export const latePlaces: readonly Place[] = [
  ['data', 'result_url'],
  ['data', 'url'],
  ['result', 'url'],
  ['result', '*', 'url'],
  ['result', '*'],
  ['result'],
];

/** Steps of a task each may show a result; only that of the last one is final. */
const chainPlace: Place = ['task_chain', '*', 'result_url'];

/** Every place, for what has no order of its own. */
export const anyPlaces: readonly Place[] = [...listPlaces, ...singlePlaces, ...latePlaces];

/**
 * Result URLs of an answer. Of the `output` items only those of the wanted type are read where the types say so:
 * a video task may list its cover picture too.
 */
export function resultUrls(answer: JsonObject, medium: Medium, places: readonly Place[]): string[] {
  // Several records: each has its own result, in a place of its own.
  const records = doneRecords(answer);
  if (records.length > 0) return [...new Set(records.flatMap((record) => resultUrls(record, medium, places)))];
  const { output } = answer;
  if (!Array.isArray(output)) return urlsAtFirst(answer, places);
  return urlsAtFirst({ ...answer, output: ofMedium(output, medium) }, places);
}

/** The items that say they are of the wanted type; all of them when none does. */
export function ofMedium(items: readonly Json[], medium: Medium): Json[] {
  const wanted = items.filter((item) => valuesAt(item, ['type']).includes(media[medium].type));
  return wanted.length > 0 ? wanted : [...items];
}

/**
 * URLs at the first place that has any. One place only: the same result often appears at several places under
 * differently signed addresses, and would be saved twice.
 */
function urlsAtFirst(answer: JsonObject, places: readonly Place[]): string[] {
  for (const place of places) {
    const urls = valuesAt(answer, place).filter(isUrl);
    if (urls.length > 0) return [...new Set(urls)];
  }
  return valuesAt(answer, chainPlace).filter(isUrl).slice(-1);
}

function isUrl(value: Json): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value);
}

export function valuesAt(value: Json | undefined, place: Place): Json[] {
  const [key, ...rest] = place;
  if (value === undefined) return [];
  if (key === undefined) return [value];
  if (key === '*') return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return valuesAt(value[key], rest);
}
