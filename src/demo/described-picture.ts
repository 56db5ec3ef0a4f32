import { createHash } from 'node:crypto';

const SUBJECTS = [
  'A harbour',
  'A street',
  'A forest',
  'A kitchen',
  'A stage',
  'A mountain pass',
  'A portrait',
  'A garden',
];
const LIGHTS = [
  'at dusk',
  'in the morning',
  'under neon',
  'in the rain',
  'by candlelight',
  'at noon',
  'in fog',
  'at night',
];
const MANNERS = [
  'wide shot',
  'close up',
  'from above',
  'soft focus',
  'high contrast',
  'on film',
  'in pastel',
  'long lens',
];

/** The description of a picture: made up, the same words for the same bytes or the same address. */
export function describedPicture(picture: string): string {
  const [one = 0, two = 0, three = 0] = createHash('sha256').update(picture).digest();
  const word = (words: readonly string[], byte: number): string => words[byte % words.length] ?? '';
  return `${word(SUBJECTS, one)} ${word(LIGHTS, two)}, ${word(MANNERS, three)}`;
}
