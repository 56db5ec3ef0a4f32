import type { Json, JsonObject } from '../../contract/json.ts';
import { isObject } from './answer.ts';
import type { SubmitOutcome } from './outcomes.ts';

/** Where an answer may speak of its cost. The reference shows `usage` alone, without its fields; the others are guesses. */
const FIELDS = ['usage', 'usageMetadata', 'cost'];

/** Of what an answer says; longer is no account of a cost, characters. */
const MOST = 2000;

/** A larger answer is a picture inside JSON, which the download step reads; bytes. */
const MOST_READ = 4 * 1000 ** 2;

type Answered = Extract<SubmitOutcome, { type: 'answered' }>;

/** What an answer says of its own cost, as it says it; null when it says nothing. Pure. */
export function costToldIn(answer: Json | undefined): JsonObject | null {
  if (!isObject(answer)) return null;
  const places = [answer, ...(isObject(answer['data']) ? [answer['data']] : [])];
  for (const place of places) {
    const told = Object.fromEntries(FIELDS.flatMap((field) => (place[field] == null ? [] : [[field, place[field]]])));
    if (Object.keys(told).length > 0 && JSON.stringify(told).length <= MOST) return told as JsonObject;
  }
  return null;
}

/** The same of an answer that is the result. */
export const costToldInResult = ({ body, json }: Pick<Answered, 'body' | 'json'>): JsonObject | null =>
  body.length > MOST_READ ? null : costToldIn(json);
