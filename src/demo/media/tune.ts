import { setImmediate as nextTurn } from 'node:timers/promises';
import { padding, seedOf, type Maker, type OutputKey, seededRandom } from './output.ts';
import { encodeWav } from './wav.ts';

const SAMPLES_PER_SECOND = 44_100;
const SCALES: readonly (readonly number[])[] = [
  [0, 2, 4, 7, 9],
  [0, 3, 5, 7, 10],
  [0, 2, 3, 7, 9],
  [0, 2, 5, 7, 11],
];
const CHORD_STEPS = [0, 3, 1, 4];

const TINY_SAMPLES = 800;
const TINY_SOUND = {
  samplesPerSecond: 8000,
  channels: [Float32Array.from({ length: TINY_SAMPLES }, (_, index) => 0.3 * Math.sin(index / 3))],
};

export const tune: Maker = {
  usualMs: 3000,
  outputType: 'audio',
  format: () => ({ extension: 'wav', contentType: 'audio/wav' }),
  render: renderTune,
  renderTiny: (key, leastBytes) => Promise.resolve(encodeWav(TINY_SOUND, padding(key, leastBytes - TINY_SAMPLES * 2))),
};

interface Note {
  /** Seconds. */
  start: number;
  length: number;
  /** Semitones above A of 55 Hz. */
  pitch: number;
  level: number;
  /** -1 left, 1 right. */
  pan: number;
  voice: 'pluck' | 'bass' | 'pad';
}

/** A short WAV whose tempo, key, scale and drums follow from the prompt and whose melody follows from the take. */
async function renderTune(key: OutputKey): Promise<Buffer> {
  const { wanted } = key.task;
  const seconds = wanted.seconds;
  const left = new Float32Array(seconds * SAMPLES_PER_SECOND);
  const right = new Float32Array(left.length);
  const theme = `${wanted.prompt}|${wanted.style ?? ''}`;
  for (const note of composeTune(theme, seedOf(key), seconds)) {
    playNote(note, left, right);
    await nextTurn();
  }
  for (const hit of composeDrums(theme, seconds)) playHit(hit, left, right);
  fadeEnds(left);
  fadeEnds(right);
  const note = Buffer.from(`${wanted.title ?? wanted.prompt} · ${key.task.model} · ${seedOf(key)}`);
  return encodeWav({ samplesPerSecond: SAMPLES_PER_SECOND, channels: [left, right] }, note);
}

/** Seconds of a beat: as the words say, `84 bpm`, else as fast as chance has it. */
function beatOf(theme: string): number {
  const said = Number(/\b(\d{2,3}) ?bpm\b/i.exec(theme)?.[1]);
  return 60 / (said >= 40 && said <= 240 ? said : 78 + Math.floor(seededRandom(`${theme} tempo`)() * 70));
}

interface Hit {
  /** Seconds. */
  start: number;
  drum: 'kick' | 'snare' | 'hat';
  level: number;
}

const WITHOUT_DRUMS = /\b(?:solo|ambient|cello|music box|lullaby|no drums|no melody|choir|a cappella|slow)\b/i;

/** Bars of four beats: a kick on the first and third, a snare on the others, hats between; nothing where words forbid it. */
function composeDrums(theme: string, seconds: number): Hit[] {
  if (WITHOUT_DRUMS.test(theme)) return [];
  const beat = beatOf(theme);
  const hits: Hit[] = [];
  for (let half = 0; half * (beat / 2) < seconds - beat; half++) {
    const start = half * (beat / 2);
    const isOnBeat = half % 2 === 0;
    if (isOnBeat) hits.push({ start, drum: half % 4 === 0 ? 'kick' : 'snare', level: half % 4 === 0 ? 0.3 : 0.16 });
    hits.push({ start, drum: 'hat', level: isOnBeat ? 0.04 : 0.06 });
  }
  return hits;
}

/** The notes of a tune, in order of their start. */
function composeTune(theme: string, take: string, seconds: number): Note[] {
  const character = seededRandom(theme);
  const scale = SCALES[Math.floor(character() * SCALES.length)] ?? [0, 2, 4, 7, 9];
  const root = 12 + Math.floor(character() * 12);
  const beat = beatOf(theme);
  const melody = seededRandom(`${theme}|${take}`);
  const notes: Note[] = [];
  let step = scale.length + Math.floor(melody() * 3);
  for (let index = 0; index * (beat / 2) < seconds - beat; index++) {
    const start = index * (beat / 2);
    const chord = CHORD_STEPS[Math.floor(index / 8) % CHORD_STEPS.length] ?? 0;
    if (index % 8 === 0) {
      for (const third of [0, 2, 4]) {
        const pitch = root + 12 + scalePitch(scale, chord + third);
        notes.push({ start, length: beat * 4, pitch, level: 0.07, pan: (third - 2) / 3, voice: 'pad' });
      }
    }
    if (index % 4 === 0) {
      notes.push({
        start,
        length: beat * 1.6,
        pitch: root + scalePitch(scale, chord),
        level: 0.26,
        pan: 0,
        voice: 'bass',
      });
    }
    step = Math.min(Math.max(step + Math.floor(melody() * 5) - 2, 2), 3 * scale.length);
    const isHeard = index % 2 === 0 || melody() < 0.55;
    const pan = melody() - 0.5;
    if (isHeard) {
      notes.push({
        start,
        length: beat * 1.3,
        pitch: root + 12 + scalePitch(scale, step),
        level: 0.2,
        pan,
        voice: 'pluck',
      });
    }
  }
  return notes;
}

function scalePitch(scale: readonly number[], step: number): number {
  return (scale[step % scale.length] ?? 0) + 12 * Math.floor(step / scale.length);
}

/** Shares of the harmonics of each voice, from the ground tone up, and how fast it dies away. */
const VOICES: Record<Note['voice'], { harmonics: readonly number[]; decayPerSecond: number; attack: number }> = {
  pluck: { harmonics: [1, 0.42, 0.2, 0.08], decayPerSecond: 4.2, attack: 0.006 },
  bass: { harmonics: [1, 0.5, 0.12], decayPerSecond: 2.4, attack: 0.012 },
  pad: { harmonics: [1, 0.25, 0.12], decayPerSecond: 0.5, attack: 0.25 },
};

function playNote(note: Note, left: Float32Array, right: Float32Array): void {
  const { harmonics, decayPerSecond, attack } = VOICES[note.voice];
  const turn = (2 * Math.PI * 55 * 2 ** (note.pitch / 12)) / SAMPLES_PER_SECOND;
  const first = Math.floor(note.start * SAMPLES_PER_SECOND);
  const count = Math.min(Math.floor(note.length * SAMPLES_PER_SECOND), left.length - first);
  const release = 0.04 * SAMPLES_PER_SECOND;
  for (let sample = 0; sample < count; sample++) {
    const time = sample / SAMPLES_PER_SECOND;
    const envelope =
      Math.min(time / attack, 1) * Math.exp(-decayPerSecond * time) * Math.min((count - sample) / release, 1);
    let tone = 0;
    for (const [place, share] of harmonics.entries()) tone += share * Math.sin(turn * (place + 1) * sample);
    const level = tone * envelope * note.level;
    left[first + sample] = (left[first + sample] ?? 0) + level * (1 - note.pan) * 0.7;
    right[first + sample] = (right[first + sample] ?? 0) + level * (1 + note.pan) * 0.7;
  }
}

/** Length of each drum in seconds, and how fast it fades. */
const DRUMS: Record<Hit['drum'], { length: number; decayPerSecond: number }> = {
  kick: { length: 0.3, decayPerSecond: 14 },
  snare: { length: 0.22, decayPerSecond: 22 },
  hat: { length: 0.06, decayPerSecond: 70 },
};

function playHit({ start, drum, level }: Hit, left: Float32Array, right: Float32Array): void {
  const { length, decayPerSecond } = DRUMS[drum];
  const first = Math.floor(start * SAMPLES_PER_SECOND);
  const count = Math.min(Math.floor(length * SAMPLES_PER_SECOND), left.length - first);
  let noise = 0x2545f491;
  let before = 0;
  for (let sample = 0; sample < count; sample++) {
    const time = sample / SAMPLES_PER_SECOND;
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) | 0;
    const hiss = noise / 2_147_483_648;
    // The skin of a kick falls from 130 to 45 Hz; the difference of two samples of noise keeps the high part of it.
    const skin = Math.sin(2 * Math.PI * (45 * time + (85 / 30) * (1 - Math.exp(-30 * time))));
    const tone =
      drum === 'kick'
        ? skin
        : drum === 'snare'
          ? 0.75 * hiss + 0.4 * Math.sin(2 * Math.PI * 185 * time)
          : hiss - before;
    before = hiss;
    const value = tone * level * Math.exp(-decayPerSecond * time);
    left[first + sample] = (left[first + sample] ?? 0) + value;
    right[first + sample] = (right[first + sample] ?? 0) + value;
  }
}

function fadeEnds(channel: Float32Array): void {
  const fade = Math.floor(0.4 * SAMPLES_PER_SECOND);
  for (let sample = 0; sample < fade; sample++) {
    const place = channel.length - 1 - sample;
    channel[place] = (channel[place] ?? 0) * (sample / fade);
  }
}
