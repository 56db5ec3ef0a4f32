import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UTTERANCES, VOICE_RATE, waveOf, type Utterance } from '../src/demo/media/speech.ts';

/**
 * Writes the sounds that the demo's voice is put together from, encoded frame by frame. They are kept with the sources:
 * the demo then needs no encoder. Needs ffmpeg with libmp3lame and libopus on the PATH.
 */
const voiceFile = resolve(import.meta.dirname, '../resources/demo/voice-frames.json');
/** Frames kept of each sound. The first ones are left out: there the encoder is still getting going. */
const [FIRST, KEPT] = [10, 4];

const OPUS_BYTES = 80;
/** Each frame stands alone: no bit reservoir, no prediction beyond the last frame, a fixed number of bits. */
const codecs: Record<string, { readonly options: string; readonly split: (bytes: Buffer) => Buffer[] }> = {
  mp3: {
    options: '-c:a libmp3lame -b:a 32k -reservoir 0 -write_xing 0 -id3v2_version 0 -f mp3',
    split: (bytes) => everyBytes(bytes, (72 * 32_000) / VOICE_RATE),
  },
  aac: { options: '-c:a aac -b:a 32k -f adts', split: adtsFrames },
  opus: {
    options: '-c:a libopus -application lowdelay -vbr off -b:a 32k -frame_duration 20 -map 0:a -f data',
    split: (bytes) => everyBytes(bytes, OPUS_BYTES),
  },
};

function everyBytes(bytes: Buffer, length: number): Buffer[] {
  return Array.from({ length: Math.floor(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
}

function adtsFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = (bytes.readUInt32BE(at + 3) >>> 13) & 0x1fff;
    frames.push(bytes.subarray(at, at + length));
    at += length;
  }
  return frames;
}

function framesOf(sound: Utterance, codec: string): string[] {
  const { options, split } = codecs[codec] ?? { options: '', split: () => [] };
  const wave = waveOf(sound, VOICE_RATE);
  const arguments_ = `-v error -f f32le -ar ${VOICE_RATE} -ac 1 -i - ${options} -flags +bitexact -`.split(' ');
  const encoded = execFileSync('ffmpeg', arguments_, { input: Buffer.from(wave.buffer) });
  return split(encoded)
    .slice(FIRST, FIRST + KEPT)
    .map((frame) => frame.toString('base64'));
}

const frames = Object.fromEntries(
  Object.keys(codecs).map((codec) => [
    codec,
    Object.fromEntries(UTTERANCES.map((sound) => [sound, framesOf(sound, codec)])),
  ]),
);
writeFileSync(voiceFile, `${JSON.stringify(frames, null, 2)}\n`);
