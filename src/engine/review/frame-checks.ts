import { formats } from '../../contract/formats.ts';
import { marksOf, toMarks } from '../../contract/frame-changes.ts';
import { MAX_FRAME_NOTES, MAX_NOTES_LENGTH } from '../../contract/frame-notes.ts';
import { messageFor, type Message } from '../../contract/messages/message.ts';
import type { TakeView } from '../../contract/review.ts';
import { type Verdict, type VerdictChange, withChange } from '../../contract/verdict.ts';

type Marked = Pick<TakeView, 'shot' | 'take' | 'outputs' | 'verdict'>;

interface Range {
  readonly output: number;
  readonly from?: number | null | undefined;
  readonly to?: number | null | undefined;
}

/** Why a take cannot have the marks or frame notes of a change; null where it can. Pure. */
export function frameProblem(take: Marked, change: VerdictChange): Message | null {
  const { marks = [], addNotes = [] } = change;
  const before = toMarks(take.verdict);
  const ranges = marks
    .filter((each) => (each.in ?? each.out ?? null) !== null)
    .map(({ output, in: from, out: to }): Range => ({ output, ...wholeRange(marksOf(before, output), from, to) }));
  for (const range of [...ranges, ...addNotes]) {
    const problem = rangeProblem(take, range);
    if (problem) return problem;
  }
  return addNotes.length === 0 ? null : crowdProblem(take, withChange(take.verdict, change));
}

/** A mark that is set beside one that the take has. */
const wholeRange = (
  now: { readonly in?: number | undefined; readonly out?: number | undefined },
  from: Range['from'],
  to: Range['to'],
): Omit<Range, 'output'> => ({ from: from === undefined ? now.in : from, to: to === undefined ? now.out : to });

function rangeProblem({ shot, take, outputs }: Marked, { output: number, from, to }: Range): Message | null {
  const facts = { shot, take: String(take) };
  const output = outputs.find((each) => each.number === number);
  if (!output) return messageFor('failure.takeWithoutFile', { ...facts, number: String(number) });
  const { format, facts: { frames } = {} } = output;
  if (formats[format].medium !== 'moving') return messageFor('failure.takeNotFilm', { ...facts, format });
  if (typeof to === 'number' && to <= (from ?? 0)) {
    return messageFor('failure.outBeforeIn', { ...facts, in: String(from ?? 0), out: String(to) });
  }
  const last = Math.max(from ?? 0, (to ?? 0) - 1);
  return frames === undefined || last < frames
    ? null
    : messageFor('failure.frameBeyondFilm', { ...facts, frame: String(last), frames });
}

function crowdProblem({ shot, take }: Marked, { notes = [] }: Verdict): Message | null {
  const facts = { shot, take: String(take) };
  if (notes.length > MAX_FRAME_NOTES) {
    return messageFor('failure.tooManyFrameNotes', { ...facts, most: MAX_FRAME_NOTES });
  }
  return JSON.stringify(notes).length > MAX_NOTES_LENGTH ? messageFor('failure.drawingsTooLarge', facts) : null;
}
