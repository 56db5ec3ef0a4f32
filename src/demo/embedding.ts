import { createHash } from 'node:crypto';

/** A direction from a text alone: each word and run of three letters pushes it, so texts that share some are near. */
export function embeddingFor(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of words) {
    // Short words are in every text, in most scripts.
    push(vector, word, /^[a-z]{1,3}$/.test(word) ? 0.2 : 1);
    for (let at = 0; at + 3 <= word.length; at += 1) push(vector, word.slice(at, at + 3), 0.4);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.fill(1 / Math.sqrt(dimensions)) : vector.map((value) => value / length);
}

function push(vector: Float32Array, feature: string, weight: number): void {
  const hash = createHash('sha256').update(feature).digest();
  const at = hash.readUInt32LE(0) % vector.length;
  vector[at] = (vector[at] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? weight : -weight);
}
