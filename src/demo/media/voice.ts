/** The sounds of the demo's voice: five vowels, and a pause. */
export const UTTERANCES = ['a', 'e', 'i', 'o', 'u', 'pause'] as const;
export type Utterance = (typeof UTTERANCES)[number];

export const VOICE_RATE = 24_000;
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

/** One sound of an utterance and how long it lasts. */
export interface Syllable {
  readonly sound: Utterance;
  readonly ms: number;
}

/** Before and after a text. */
const BREATH: Syllable = { sound: 'pause', ms: 250 };

/** A text as the demo says it: its vowels, with a pause after each word. Of a text without vowels, each word is an a. */
export function syllablesOf(text: string, speed: number): Syllable[] {
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
