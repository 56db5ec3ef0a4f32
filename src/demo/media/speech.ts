import type { MediaRequest } from '../task-store.ts';
import { commentBlock, encodeFlac } from './flac.ts';
import { type Maker, type OutputKey, seedOf } from './output.ts';
import frames from '../../../resources/demo/voice-frames.json' with { type: 'json' };

/** Formats of speech (reference: Speech). */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac'] as const;
type SpeechFormat = (typeof SPEECH_FORMATS)[number];

const formatOf = ({ format }: MediaRequest): SpeechFormat => SPEECH_FORMATS.find((known) => known === format) ?? 'mp3';

const contentTypes: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
};

export const voice: Maker = {
  usualMs: 1500,
  outputType: 'audio',
  format: (wanted) => {
    const extension = formatOf(wanted);
    return { extension, contentType: contentTypes[extension] };
  },
  render: (key) => Promise.resolve(renderSpeech(key)),
  // Quick to make as it is.
  renderTiny: (key) => Promise.resolve(renderSpeech(key)),
};

export const VOICE_RATE = 24_000;

/** Length of a frame, milliseconds: 576 and 1024 samples of the voice, and Opus's own. */
const FRAME_MS = { mp3: 24, aac: (1000 * 1024) / VOICE_RATE, opus: 20 };

/** The text of a take, said by the demo's one voice: longer for more words, shorter for more speed. */
function renderSpeech(key: OutputKey): Buffer {
  const { wanted } = key.task;
  const format = formatOf(wanted);
  const syllables = syllablesOf(wanted.prompt, wanted.speed ?? 1);
  const note = `${wanted.style ?? ''} · ${key.task.model} · ${seedOf(key)}`;
  switch (format) {
    case 'flac':
      return encodeFlac(VOICE_RATE, soundOf(syllables), note);
    case 'opus':
      return oggOpus(framesOf(syllables, 'opus'), note);
    case 'mp3':
    case 'aac':
      return Buffer.concat([tag(note), ...framesOf(syllables, format)]);
  }
}

function soundOf(syllables: readonly Syllable[]): Int16Array {
  const waves = syllables.map(({ sound, ms }) => waveOf(sound, Math.round((ms * VOICE_RATE) / 1000)));
  return Int16Array.from(
    waves.flatMap((wave) => [...wave]),
    (level) => Math.round(level * 28_000),
  );
}

function framesOf(syllables: readonly Syllable[], format: keyof typeof FRAME_MS): Buffer[] {
  return syllables.flatMap(({ sound, ms }) => {
    const known = frames[format][sound];
    const count = Math.max(1, Math.round(ms / FRAME_MS[format]));
    return Array.from({ length: count }, (_, index) => Buffer.from(known[index % known.length] ?? '', 'base64'));
  });
}

function tag(note: string): Buffer {
  const text = Buffer.from(`\x03comment\0${note}`);
  const head = (name: string, length: number, rest: number[]) =>
    Buffer.concat([Buffer.from(name, 'latin1'), sevenBits(length), Buffer.from(rest)]);
  const frame = Buffer.concat([head('TXXX', text.length, [0, 0]), text]);
  return Buffer.concat([head('ID3\x04\0\0', frame.length, []), frame]);
}

const sevenBits = (size: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (size >>> shift) & 0x7f));

/** Samples at 48 kHz in one packet of 20 ms, and those that a player leaves out at the start. */
const [PACKET_SAMPLES, PRE_SKIP] = [960, 312];
const PACKETS_A_PAGE = 50;
const FIRST = 0x02;
const LAST = 0x04;

/** An Ogg file of Opus packets of 20 ms each, mono (RFC 7845). */
function oggOpus(packets: readonly Buffer[], note: string): Buffer {
  const head = Buffer.from('OpusHead\x01\x01\0\0\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt16LE(PRE_SKIP, 10);
  head.writeUInt32LE(24_000, 12);
  const pages = [
    page({ packets: [head], number: 0, flags: FIRST, position: 0 }),
    page({ packets: [Buffer.concat([Buffer.from('OpusTags'), commentBlock(note)])], number: 1, flags: 0, position: 0 }),
  ];
  for (let at = 0; at < packets.length; at += PACKETS_A_PAGE) {
    const some = packets.slice(at, at + PACKETS_A_PAGE);
    const end = at + some.length;
    const flags = end === packets.length ? LAST : 0;
    pages.push(page({ packets: some, number: pages.length, flags, position: end * PACKET_SAMPLES }));
  }
  return Buffer.concat(pages);
}

function page(facts: { packets: readonly Buffer[]; number: number; flags: number; position: number }): Buffer {
  const segments = facts.packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / 255) }, () => 255),
    length % 255,
  ]);
  const head = Buffer.alloc(27);
  head.write('OggS', 0, 'latin1');
  head[5] = facts.flags;
  head.writeBigUInt64LE(BigInt(facts.position), 6);
  head.writeUInt32LE(1, 14);
  head.writeUInt32LE(facts.number, 18);
  head[26] = segments.length;
  const whole = Buffer.concat([head, Buffer.from(segments), ...facts.packets]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}

/** CRC-32 as Ogg has it: not reflected, begun at zero. */
function checksum(bytes: Buffer): number {
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  }
  return value >>> 0;
}

/** The sounds of the demo's voice: five vowels, and a pause. */
export const UTTERANCES = ['a', 'e', 'i', 'o', 'u', 'pause'] as const;
export type Utterance = (typeof UTTERANCES)[number];

const PITCH = 125;

/** Where the vowels are loud, hertz: the two lowest formants. */
const FORMANTS: Record<Utterance, readonly [number, number] | null> = {
  a: [730, 1090],
  e: [530, 1840],
  i: [270, 2290],
  o: [570, 840],
  u: [300, 870],
  pause: null,
};

interface Syllable {
  readonly sound: Utterance;
  readonly ms: number;
}

/** Before and after a text. */
const BREATH: Syllable = { sound: 'pause', ms: 250 };

/** A text as the demo says it: its vowels, with a pause after each word. Of a text without vowels, each word is an a. */
function syllablesOf(text: string, speed: number): Syllable[] {
  const said = (sound: Utterance, ms: number): Syllable => ({ sound, ms: ms / speed });
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['…'];
  const spoken = words.flatMap((word) => {
    const vowels = word.normalize('NFD').match(/[aeiou]+/g) ?? ['a'];
    return [...vowels.map((vowel) => said(vowel[0] as Utterance, 140)), said('pause', 70)];
  });
  return [BREATH, ...spoken, BREATH];
}

/** The wave of one utterance: it repeats, so that a piece from anywhere joins any other. */
export function waveOf(sound: Utterance, samples: number): Float32Array {
  const formants = FORMANTS[sound];
  if (formants === null) return new Float32Array(samples);
  const harmonics = Array.from({ length: 28 }, (_, index) => (index + 1) * PITCH);
  const levels = harmonics.map((hertz) => formants.reduce((sum, formant) => sum + resonance(hertz, formant), 0));
  const loudest = levels.reduce((sum, level) => sum + level, 0);
  return Float32Array.from({ length: samples }, (_, sample) => {
    const time = (2 * Math.PI * sample) / VOICE_RATE;
    return harmonics.reduce((sum, hertz, place) => sum + (levels[place] ?? 0) * Math.sin(hertz * time), 0) / loudest;
  });
}

const resonance = (hertz: number, formant: number): number => 1 / (1 + ((hertz - formant) / 90) ** 2);
