import { createHash } from 'node:crypto';
import { type Maker, oneOf, type OutputKey, padding, seedFor, prepared } from './output.ts';

const speechTypes = { mp3: 'audio/mpeg', opus: 'audio/ogg', aac: 'audio/aac', flac: 'audio/flac' };
type SpeechFormat = keyof typeof speechTypes;
export const SPEECH_FORMATS = Object.keys(speechTypes) as SpeechFormat[];

const toFormat = ({ format }: OutputKey['task']['wanted']): SpeechFormat =>
  SPEECH_FORMATS.find((known) => known === format) ?? 'mp3';

export const voice: Maker = {
  usualMs: 1500,
  outputType: 'audio',
  format: (wanted) => ({ extension: toFormat(wanted), contentType: speechTypes[toFormat(wanted)] }),
  render: (key) => Promise.resolve(speechFor(key)),
  renderTiny: (key) => Promise.resolve(speechFor(key)),
};

const VOICES = 4;
/** In the comments of the prepared files; each take has its own name there. */
const NAMELESS = 'x'.repeat(64);

function speechFor(key: OutputKey): Buffer {
  const format = toFormat(key.task.wanted);
  const sound = prepared(`voice-${String(oneOf(VOICES, seedFor(key)))}.${format}`);
  if (format === 'mp3' || format === 'aac') return Buffer.concat([tag(padding(key, 0)), sound]);
  const named = Buffer.from(sound);
  const at = named.indexOf(NAMELESS);
  named.write(createHash('sha256').update(padding(key, 0)).digest('hex'), at);
  if (format === 'opus') sumUp(named.subarray(named.lastIndexOf('OggS', at), named.indexOf('OggS', at)));
  return named;
}

/** CRC-32 of a page as Ogg has it: not reflected, begun at zero. */
function sumUp(page: Buffer): void {
  page.writeUInt32LE(0, 22);
  let value = 0;
  for (const byte of page) {
    value ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  }
  page.writeUInt32LE(value >>> 0, 22);
}

/** An ID3 tag that holds some bytes for nobody but its owner. */
function tag(content: Buffer): Buffer {
  const owned = Buffer.concat([Buffer.from('dailies demo\0'), content]);
  const head = (name: string, length: number, rest: number[]) =>
    Buffer.concat([Buffer.from(name, 'latin1'), sevenBits(length), Buffer.from(rest)]);
  const frame = Buffer.concat([head('PRIV', owned.length, [0, 0]), owned]);
  return Buffer.concat([head('ID3\x04\0\0', frame.length, []), frame]);
}

const sevenBits = (size: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (size >>> shift) & 0x7f));

/** Each prepared tune has three parts of eight seconds, in MP3 frames that all have one length. */
const [TUNES, PARTS, PART_SECONDS] = [6, 3, 8];
const FRAME = { bytes: 288, seconds: 0.024 };
const TINY_FRAMES = 5;

export const tune: Maker = {
  usualMs: 3000,
  outputType: 'audio',
  format: () => ({ extension: 'mp3', contentType: 'audio/mpeg' }),
  render: (key) => {
    const seed = seedFor(key);
    // What continues a piece has its prompt, and so its tune.
    const whole = prepared(`tune-${String(oneOf(TUNES, key.task.wanted.prompt))}.mp3`);
    const first = toBytes((oneOf(PARTS, `${seed} part`) - 1) * PART_SECONDS);
    const round = Buffer.concat([whole.subarray(first), whole.subarray(0, first)]);
    return Promise.resolve(
      Buffer.concat([tag(padding(key, 0)), Buffer.alloc(toBytes(key.task.wanted.seconds), round)]),
    );
  },
  renderTiny: (key, leastBytes) => {
    const sound = prepared('tune-1.mp3').subarray(0, TINY_FRAMES * FRAME.bytes);
    return Promise.resolve(Buffer.concat([tag(padding(key, leastBytes - sound.length)), sound]));
  },
};

const toBytes = (seconds: number): number => Math.round(seconds / FRAME.seconds) * FRAME.bytes;
