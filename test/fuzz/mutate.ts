import type { Json } from '../../src/contract/json.ts';

type Random = () => number;

const pick = <Item>(items: readonly Item[], random: Random): Item => items[Math.floor(random() * items.length)] as Item;
const below = (most: number, random: Random): number => Math.floor(random() * most);

/** The longest input, bytes: parsers are to be reached often, and larger ones have tests of their own. */
const LONGEST = 256 * 1024;

/** One or several changes to a sample. */
export function damaged(samples: readonly Buffer[], random: Random, isJson: boolean): Buffer {
  let bytes = pick(samples, random);
  // What a schema lets through gets further than what it refuses.
  if (isJson && random() < 0.6) return withOtherValue(withOtherValue(bytes, random, ofSameType), random, ofSameType);
  for (let changes = 1 + below(5, random); changes > 0; changes -= 1) {
    if (isJson && random() < 0.7) bytes = withOtherValue(bytes, random);
    else bytes = pick(changesOfBytes, random)(bytes, random, samples);
  }
  return bytes.subarray(0, LONGEST);
}

const NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
const TEXTS = [
  '',
  '"',
  '\\',
  '\n',
  '\0',
  '\u202E',
  '../',
  '999999999999999999999',
  '1e999',
  'NaN',
  '<',
  '&#1;',
  '{',
  '[',
];

type Change = (bytes: Buffer, random: Random, samples: readonly Buffer[]) => Buffer;

const changesOfBytes: readonly Change[] = [
  // A bit.
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    const at = below(copy.length, random);
    if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << below(8, random));
    return copy;
  },
  // A number of one, two or four bytes.
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    const length = pick([1, 2, 4], random);
    if (copy.length < length) return copy;
    const number = pick(NUMBERS, random) % 256 ** length;
    const at = below(copy.length - length + 1, random);
    if (random() < 0.5) copy.writeUIntBE(number, at, length);
    else copy.writeUIntLE(number, at, length);
    return copy;
  },
  // The end is missing.
  (bytes, random) => bytes.subarray(0, below(bytes.length, random)),
  // A section is missing.
  (bytes, random) => {
    const [from, to] = section(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  // A section is there several times.
  (bytes, random) => {
    const [from, to] = section(bytes, random);
    const times = Math.min(pick([2, 10, 1000], random), Math.ceil(LONGEST / (to - from + 1)));
    const repeated = Array.from({ length: times }, () => bytes.subarray(from, to));
    return Buffer.concat([bytes.subarray(0, from), ...repeated, bytes.subarray(to)]);
  },
  // The rest is that of another sample.
  (bytes, random, samples) => {
    const other = pick(samples, random);
    return Buffer.concat([bytes.subarray(0, below(bytes.length, random)), other.subarray(below(other.length, random))]);
  },
  // A text is put into it.
  (bytes, random) => {
    const at = below(bytes.length + 1, random);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(pick(TEXTS, random)), bytes.subarray(at)]);
  },
  // A decimal number is another one.
  (bytes, random) => {
    const text = bytes.toString('latin1');
    const found = [...text.matchAll(/\d+/g)];
    if (found.length === 0) return bytes;
    const { index, 0: digits } = pick(found, random);
    const number = pick(['-1', '0', '4294967295', '1e308', '99999999999999999999'], random);
    return Buffer.from(text.slice(0, index) + number + text.slice(index + digits.length), 'latin1');
  },
];

function section(bytes: Buffer, random: Random): [from: number, to: number] {
  const from = below(bytes.length, random);
  return [from, Math.min(bytes.length, from + 1 + below(random() < 0.5 ? 16 : bytes.length, random))];
}

/** One value anywhere in a JSON text is another one; a text that is none stays as it is. */
function withOtherValue(bytes: Buffer, random: Random, otherFor = ofAnyType): Buffer {
  let json: Json;
  try {
    json = JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    return bytes;
  }
  const places: { holder: Record<string, Json>; name: string }[] = [];
  const collect = (holder: Json, depth: number): void => {
    if (typeof holder !== 'object' || holder === null || depth > 20) return;
    for (const [name, value] of Object.entries(holder)) {
      places.push({ holder: holder as Record<string, Json>, name });
      collect(value, depth + 1);
    }
  };
  collect(json, 0);
  if (places.length === 0) return bytes;
  const { holder, name } = pick(places, random);
  const other = pick(places, random);
  holder[name] = otherFor(holder[name] ?? null, other.holder[other.name] ?? null, random);
  if (random() < 0.05) Reflect.deleteProperty(holder, name);
  return Buffer.from(JSON.stringify(json));
}

type OtherValue = (value: Json, elsewhere: Json, random: Random) => Json;

const ofAnyType: OtherValue = (value, elsewhere, random) =>
  pick<() => Json>(
    [
      () => null,
      () => true,
      () => pick(NUMBERS, random),
      () => pick(TEXTS, random),
      () => 'x'.repeat(pick([300, 5000, 50_000], random)),
      () => [],
      () => ({}),
      () => JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as Json,
      () => Array.from({ length: 500 }, () => value),
      () => structuredClone(elsewhere),
    ],
    random,
  )();

const ODD_NUMBERS = [-1, 0, 1, 2, 0.5, 99, 1e15, 8.64e15, 8.65e15, 2 ** 31, 2 ** 53, 1e308];
const ODD_TEXTS = [
  ' ',
  '.',
  'a/b',
  'a\\b',
  'CON',
  'é'.repeat(255),
  '\uD800',
  '\u0000',
  '\u202E',
  '{take}',
  '=1',
  '-1',
  '1e9',
];

const ofSameType: OtherValue = (value, elsewhere, random) => {
  if (typeof value === 'number') return pick([...ODD_NUMBERS, value], random);
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string' && random() < 0.3 && typeof elsewhere === 'string') return elsewhere;
  if (typeof value === 'string') return pick([...TEXTS, ...ODD_TEXTS, `${value}x`, value.repeat(20)], random);
  if (Array.isArray(value)) return pick([[], [...value, ...value], value.slice(1)], random);
  return value;
};
