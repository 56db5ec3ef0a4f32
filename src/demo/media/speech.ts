import type { MediaRequest } from '../task-store.ts';
import { encodeFlac } from './flac.ts';
import { oggOpus } from './ogg-opus.ts';
import { seedOf, type Maker, type OutputKey } from './output.ts';
import frames from './voice-frames.json' with { type: 'json' };
import { syllablesOf, VOICE_RATE, waveOf, type Syllable } from './voice.ts';

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

/** An ID3 tag with one comment, which players skip. */
function tag(note: string): Buffer {
  const text = Buffer.from(`\x03comment\0${note}`);
  const head = (name: string, length: number, rest: number[]) =>
    Buffer.concat([Buffer.from(name, 'latin1'), sevenBits(length), Buffer.from(rest)]);
  const frame = Buffer.concat([head('TXXX', text.length, [0, 0]), text]);
  return Buffer.concat([head('ID3\x04\0\0', frame.length, []), frame]);
}

const sevenBits = (size: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (size >>> shift) & 0x7f));
