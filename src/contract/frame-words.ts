import { frameName, toNotes } from './frame-changes.ts';
import type { FrameNote } from './frame-notes.ts';
import { t } from './messages/words.ts';
import type { Rate } from './rate.ts';
import type { Output } from './take.ts';
import { MAX_NOTE, type Verdict } from './verdict.ts';

/** `at 00:00:02:00: Hand too large`; a drawing without a text is named as one. */
export function frameNoteInWords({ from, to, text }: FrameNote, rate: Rate | undefined): string {
  const note = text === '' ? t('review.drawing') : text;
  const at = frameName(from, rate);
  return to === undefined
    ? t('review.noteAtFrame', { at, note })
    : t('review.noteAtFrames', { from: at, to: frameName(to, rate), note });
}

/** A note and those at the frames of a take, a line each: what asks for a retake. As much of it as a note may have. */
export function wholeNote(
  { verdict, outputs }: { readonly verdict: Verdict; readonly outputs: readonly Output[] },
  note = verdict.note,
): string {
  const rateOf = (file: number): Rate | undefined => outputs.find(({ number }) => number === file)?.facts?.rate;
  const lines = toNotes(verdict).map((each) => frameNoteInWords(each, rateOf(each.output)));
  return [note, ...lines]
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, MAX_NOTE);
}
