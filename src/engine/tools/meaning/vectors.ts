import type { Json } from '../../../contract/json.ts';
import { isObject } from '../../api/answer.ts';

/** Vectors are stored with length 1, so that their product is the cosine. */

/** More dimensions than any model has. */
const MOST_DIMENSIONS = 16_384;

/** The vectors of `count` texts in an answer, in the order of the texts; null if any is missing. */
export function readVectors(answer: Json | undefined, count: number): Float32Array[] | null {
  const data = isObject(answer) ? answer['data'] : undefined;
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors = new Map<number, Float32Array>();
  for (const [place, item] of data.entries()) {
    if (!isObject(item)) return null;
    const vector = unitVector(item['embedding']);
    if (!vector) return null;
    vectors.set(typeof item['index'] === 'number' ? item['index'] : place, vector);
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index));
  const isSame = ordered.every((vector) => vector?.length === ordered[0]?.length);
  return isSame ? (ordered as Float32Array[]) : null;
}

function unitVector(numbers: Json | undefined): Float32Array | null {
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > MOST_DIMENSIONS) return null;
  if (!numbers.every((number) => typeof number === 'number' && Number.isFinite(number))) return null;
  const vector = Float32Array.from(numbers as number[]);
  const length = Math.sqrt(cosine(vector, vector));
  return length > 0 && Number.isFinite(length) ? vector.map((number) => number / length) : null;
}

/** For two vectors of length 1 from one model; 0 if they cannot be compared. */
export function cosine(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return 0;
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
