import { counted } from '../../../lib/words.ts';

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The chart in one sentence, for those who do not see it. */
export function throughputInWords(savedPerMinute: readonly number[]): string {
  const total = sum(savedPerMinute);
  if (total === 0) return 'No take was saved in the last hour.';
  const most = Math.max(...savedPerMinute);
  return `${counted(total, 'take')} saved in the last hour, ${savedPerMinute.at(-1) ?? 0} in this minute, at most ${most} a minute.`;
}

/** Of one minute, counted back from now. */
export function minuteInWords(savedPerMinute: readonly number[], index: number): string {
  const ago = savedPerMinute.length - 1 - index;
  const when = ago === 0 ? 'this minute' : `${ago} min ago`;
  return `${savedPerMinute[index] ?? 0} saved ${when}`;
}

/** A round top for the scale that leaves the bars room: never less than 4, or one take would fill it. */
export function topOfScale(savedPerMinute: readonly number[]): number {
  return Math.max(4, Math.ceil(Math.max(0, ...savedPerMinute) * 1.1));
}

export const savedInHour = sum;

/** What becomes of the night's work when nobody is at the computer. Null: this is no program that could keep it awake. */
export function awakeWords(keepsAwake: boolean | null): { readonly word: string; readonly meaning: string } {
  if (keepsAwake === true) return { word: 'Computer kept awake', meaning: 'For as long as takes are made.' };
  if (keepsAwake === false)
    return { word: 'Computer may sleep', meaning: 'Nothing is being made that it would be kept awake for.' };
  return {
    word: 'Not kept awake by Dailies',
    meaning: 'Only the desktop app can do that. Here the queue stands still while the computer sleeps.',
  };
}
