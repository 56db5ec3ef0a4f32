import type { settings } from '../../../lib/state/settings.svelte.ts';
import type { Estimate, MadeAlready, StartPlan, StartMode } from '../../../../contract/batch.ts';
import { costInWords } from '../../../lib/cost.ts';
import { bytesForPeople } from '../../../../contract/units.ts';
import { counted } from '../../../lib/words.ts';

const oneDecimal = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `118.5 s` of video that a plan asks for; null when no line says. */
export function secondsOf(plan: Estimate): number | null {
  const known = plan.lines.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]));
  return known.length === 0 ? null : known.reduce((sum, seconds) => sum + seconds, 0);
}

export function secondsInWords(seconds: number): string {
  if (seconds < 120) return `${oneDecimal.format(seconds)} s`;
  return seconds < 7200 ? `${oneDecimal.format(seconds / 60)} min` : `${oneDecimal.format(seconds / 3600)} h`;
}

/** `3 takes, 15 s, 7.50 EUR`: what is asked for, in a line. */
export function estimateInWords(estimate: Estimate): string {
  const seconds = secondsOf(estimate);
  const takesWithVideo = estimate.lines.reduce((sum, line) => sum + (line.videoInput ? line.takes : 0), 0);
  const videoInput = takesWithVideo === 0 ? [] : [`${takesWithVideo} with video input, billed differently`];
  const length = seconds === null ? [] : [secondsInWords(seconds)];
  return [counted(estimate.newTakes, 'take'), ...length, costInWords(estimate), ...videoInput].join(', ');
}

/** Shots named in a sentence at most. */
const MOST_NAMED = 3;

/** Takes that failed and that starting the list does not send again: `009 failed`; null when there is none. */
export function failedInWords({ failed }: StartPlan): string | null {
  if (failed.length === 0) return null;
  const shots = [...new Set(failed)];
  const named = shots.slice(0, MOST_NAMED).join(', ');
  return shots.length > MOST_NAMED
    ? `${counted(failed.length, 'take')} failed, of ${named} and others`
    : `${counted(failed.length, 'take')} failed: ${named}`;
}

/** Why there is nothing to start. Short: it stands below the button. */
export const nothingNewInWords = ({ failed }: StartPlan): string =>
  failed.length === 0 ? 'All its takes are there.' : 'It asks for no new takes.';

/** What has to be uploaded first; null when nothing. */
export function uploadsInWords({ uploads }: StartPlan): string | null {
  if (uploads.length === 0) return null;
  const bytes = uploads.reduce((sum, upload) => sum + upload.bytes, 0);
  return `${counted(uploads.length, 'upload')} (${bytesForPeople(bytes)})`;
}

/** What is different from the batch of that name: `3 new, 2 changed, 19 unchanged, 1 left out`. */
export function differencesInWords({ added, changed, unchanged, removed }: StartPlan): string {
  const parts = [
    [added.length, 'new'],
    [changed.length, 'changed'],
    [unchanged, 'unchanged'],
    [removed.length, 'left out'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString('en')} ${word}`)
    .join(', ');
}

/** The list goes into a batch that exists. */
export const isImportAgain = ({ changed, unchanged, removed }: StartPlan): boolean =>
  changed.length + unchanged + removed.length > 0;

/** Where most of the list was made already. */
export const madeAlreadyInWords = ({ shots, ofShots, there }: MadeAlready): string =>
  `${shots.toLocaleString('en')} of ${counted(ofShots, 'shot')} ${shots === 1 ? 'is' : 'are'} in “${there.name}” already.`;

export const leftOutInWords = ({ leftOut }: StartMode): string =>
  `Added to it, the list leaves out ${counted(leftOut, 'shot')} that it has now.`;

/** A way to start the list, by what it makes: `Add to “Keeper”: 4 new takes, 2.00 USD`. */
export function startModeInWords(way: StartMode): string {
  const cost = way.newTakes === 0 ? '' : `, ${costInWords(way)}`;
  return `${way.isNew ? 'New batch' : 'Add to'} “${way.name}”: ${counted(way.newTakes, 'new take')}${cost}`;
}

type Known = Pick<NonNullable<typeof settings.state>, 'settings' | 'key'>;

/** Where takes go to, before they are started: null while it is not known. */
export function destinationInWords(known: Known | null, isSample: boolean): string | null {
  if (isSample) return 'They are sent to the demo service of this computer and cost nothing.';
  if (known === null) return null;
  const { baseUrl } = known.settings;
  return `They are sent to ${baseUrl === '' ? 'the service' : baseUrl} as soon as the queue lets them; each is a generation that is paid for.`;
}

/** What has to be set before any of them can be sent; null when nothing is missing. */
export function missingInWords(known: Known | null, isSample: boolean): string | null {
  if (known === null || isSample) return null;
  const hasAddress = known.settings.baseUrl !== '';
  const hasKey = known.key.present && known.key.keptFor === undefined;
  if (hasAddress && hasKey) return null;
  const what = hasAddress ? 'the key' : hasKey ? 'the address' : 'address and key';
  return `In Settings, ${what} of the service ${!hasAddress && !hasKey ? 'are' : 'is'} missing. The takes can be started; they wait until then.`;
}
