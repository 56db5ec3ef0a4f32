import type { Json, JsonObject } from '../../contract/json.ts';
import { isObject } from './answer.ts';
import type { SubmitOutcome } from './outcomes.ts';

/** Fields that may contain the cost. The reference shows only `usage`, without its fields; the others are guesses. */
const FIELDS = ['usage', 'usageMetadata', 'cost'];

/** Characters; a longer value is not a cost. */
const MOST = 2000;

/** Bytes; a larger answer contains a picture in JSON, which the download step reads. */
const MOST_READ = 4 * 1000 ** 2;

type Answered = Extract<SubmitOutcome, { type: 'answered' }>;

/** The cost that an answer reports, in the service's own form; null if it reports none. Pure. */
export function costHintIn(answer: Json | undefined): JsonObject | null {
  if (!isObject(answer)) return null;
  const places = [answer, ...(isObject(answer['data']) ? [answer['data']] : [])];
  for (const place of places) {
    const told = Object.fromEntries(FIELDS.flatMap((field) => (place[field] == null ? [] : [[field, place[field]]])));
    if (Object.keys(told).length > 0 && JSON.stringify(told).length <= MOST) return told as JsonObject;
  }
  return null;
}

/** The same for an answer that is the result. */
export const costHintInResult = ({ body, json }: Pick<Answered, 'body' | 'json'>): JsonObject | null =>
  body.length > MOST_READ ? null : costHintIn(json);
