import { randomUUID } from 'node:crypto';
import { readFrameTime, toNotes } from '../../contract/frame-changes.ts';
import { FrameNote, MAX_FRAME_NOTE, type MarksChange } from '../../contract/frame-notes.ts';
import { t } from '../../contract/messages/words.ts';
import type { TakeView } from '../../contract/review.ts';
import { Verdict, type VerdictChange } from '../../contract/verdict.ts';
import { RefusedError } from '../../engine/base/errors.ts';
import { frameProblem } from '../../engine/review/frame-checks.ts';
import { refused } from '../exit.ts';
import { viewDataFolder } from '../look.ts';
import { printOne } from '../output/list.ts';
import { shortText } from '../output/text.ts';
import { takeName } from '../output/words.ts';
import type { Session } from '../session.ts';
import { count, type Given, verb, word } from '../verb.ts';
import { CHOSEN, judge, namedOrFitting } from './chosen-takes.ts';

const OUTPUT = word('--output <n>', 'cli.optOutput', { parse: count });
const MARK = [
  word('--in <frame>', 'cli.optMarkIn'),
  word('--out <frame>', 'cli.optMarkOut'),
  word('--clear', 'cli.optMarkClear', { conflicts: ['in', 'out'] }),
  ...[OUTPUT, ...CHOSEN],
] as const;
const NOTE = [
  word('[TEXT]', 'cli.argNote'),
  word('--at <frame>', 'cli.optNoteAt'),
  word('--to <frame>', 'cli.optNoteTo'),
  word('--remove <n>', 'cli.optNoteRemove', { parse: count, conflicts: ['at', 'to'] }),
  ...[OUTPUT, ...CHOSEN],
] as const;

/** What people set at frames of takes, and their notes. */
export const frameVerbs = [
  verb('takes mark', 'cli.helpTakes.mark', MARK, (session, { in: from, out, clear, output = 1, ...options }) => {
    if (!clear && from === undefined && out === undefined) throw refused('cli.whichMarks');
    return judgeEach(session, options, t(clear ? 'review.verdictUnmarked' : 'review.verdictMarked'), (take) => {
      const marks: MarksChange = {
        output,
        ...(clear && { in: null, out: null }),
        ...(from !== undefined && { in: frameIn(take, output, from) }),
        ...(out !== undefined && { out: frameIn(take, output, out) }),
      };
      return { marks: [marks] };
    });
  }),
  verb('takes note', 'cli.helpTakes.note', NOTE, (session, { text, at, to, remove, output = 1, ...options }) => {
    if (remove !== undefined) {
      if (text !== undefined) throw refused('cli.noteOrRemove');
      return judgeEach(session, options, t('review.verdictNoteRemoved'), (take) => ({
        removeNotes: [noteNumbered(take, remove).id],
      }));
    }
    if (text === undefined) throw refused('cli.noteText');
    if (at === undefined) {
      if (to !== undefined) throw refused('cli.noteToWithoutAt');
      const note = Verdict.shape.note.safeParse(text.trim());
      if (!note.success) throw refused('cli.noteTooLong');
      const words = note.data === '' ? t('cli.noNote') : t('cli.noteIs', { note: shortText(note.data, 200) });
      return judgeEach(session, options, words, () => ({ note: note.data }));
    }
    const note = FrameNote.shape.text.min(1).safeParse(text.trim());
    if (!note.success) throw refused('cli.frameNoteLength', { most: MAX_FRAME_NOTE });
    const id = randomUUID();
    return judgeEach(session, options, t('cli.noteIs', { note: shortText(note.data, 200) }), (take) => {
      const from = frameIn(take, output, at);
      const end = to === undefined ? {} : { to: frameIn(take, output, to) };
      return { addNotes: [{ id, output, from, ...end, text: note.data }] };
    });
  }),
];

/** A frame of a file of a take as a person writes it. Throws UsageError. */
function frameIn(take: TakeView, output: number, text: string): number {
  const rate = take.outputs.find(({ number }) => number === output)?.facts?.rate;
  const frame = readFrameTime(text, rate);
  if (frame === 'needs_rate') throw refused('cli.frameNeedsRate', { take: takeName(take), frame: shortText(text, 40) });
  if (frame === null) throw refused('cli.notFrame', { frame: shortText(text, 40) });
  return frame;
}

function noteNumbered(take: TakeView, number: number): FrameNote {
  const notes = toNotes(take.verdict);
  const note = notes[number - 1];
  if (note) return note;
  throw refused('cli.noSuchNote', { take: takeName(take), number, count: notes.length });
}

/** Sets on each take what `toChange` says of it; nothing where that cannot be set on one of them. */
async function judgeEach(
  session: Session,
  options: Partial<Given<typeof CHOSEN>>,
  words: string,
  toChange: (take: TakeView) => VerdictChange,
): Promise<void> {
  const ids = namedOrFitting(session, options);
  const takes = viewDataFolder(session.dataFolder, ({ review }) => ids.flatMap((id) => review.take(id) ?? []));
  const changes = takes.map((take) => ({ id: take.id, change: checked(take, toChange(take)) }));
  const alike = Map.groupBy(changes, ({ change }) => JSON.stringify(change));
  for (const same of options.dryRun ? [] : alike.values())
    await judge(
      session,
      same.map(({ id }) => id),
      same[0]?.change ?? {},
    );
  const type = options.dryRun ? 'would_judge' : 'judged';
  const line = t('cli.takesJudged', { count: takes.length, change: type, verdict: words });
  printOne(session, { type, ...(alike.size === 1 && changes[0]?.change), takes: takes.length }, line);
}

function checked(take: TakeView, change: VerdictChange): VerdictChange {
  const problem = frameProblem(take, change);
  if (problem) throw new RefusedError('no_such_frames', problem, '');
  return change;
}
