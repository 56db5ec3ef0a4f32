import { FrameNote, Marks, type MarksChange, MAX_FRAME_NOTES, MAX_NOTES_LENGTH } from './frame-notes.ts';
import { nearestFrame, parseTimecode, type Rate, timecode } from './rate.ts';

/* How marks and frame notes of a take change, and what they say about a frame. All pure. */

const MAX_MARKED = 100;

type MarkName = 'in' | 'out';
const MARKS = ['in', 'out'] as const;

/** What a verdict has of them. */
export const toMarks = ({ marks = [] }: { readonly marks?: readonly Marks[] | undefined }): readonly Marks[] => marks;
export const toNotes = ({ notes = [] }: { readonly notes?: readonly FrameNote[] | undefined }): readonly FrameNote[] =>
  notes;

/** The marks of one output; none of them set where it has none. */
export const marksOf = (marks: readonly Marks[], output: number): Pick<Marks, 'in' | 'out'> =>
  marks.find((each) => each.output === output) ?? {};

/** In the order of their outputs, none empty. An out that does not come after its in is left out. */
export function changedMarks(marks: readonly Marks[], changes: readonly MarksChange[]): Marks[] {
  const byOutput = new Map(marks.map((each) => [each.output, each]));
  for (const change of changes) {
    const { output } = change;
    const now = byOutput.get(output);
    const after = (name: MarkName): number | undefined =>
      change[name] === undefined ? now?.[name] : (change[name] ?? undefined);
    const [from, to] = [after('in'), after('out')];
    const isRange = to !== undefined && to > (from ?? 0);
    byOutput.set(output, { output, ...(from !== undefined && { in: from }), ...(isRange && { out: to }) });
  }
  return [...byOutput.values()]
    .filter((each) => each.in !== undefined || each.out !== undefined)
    .toSorted((one, other) => one.output - other.output);
}

/** Whether any mark that was set is still as it was set. */
export const marksHold = (marks: readonly Marks[], set: readonly MarksChange[]): boolean =>
  set.some((change) => MARKS.some((name) => holds(marks, change, name)));

/** Marks that were set are as `before` again, but for those that were set again since. */
export function withoutMarks(marks: readonly Marks[], set: readonly MarksChange[], before: readonly Marks[]): Marks[] {
  const back = (change: MarksChange): MarksChange => {
    const was = marksOf(before, change.output);
    const one = (name: MarkName) => holds(marks, change, name) && { [name]: was[name] ?? null };
    return { output: change.output, ...one('in'), ...one('out') };
  };
  return changedMarks(marks, set.map(back));
}

const holds = (marks: readonly Marks[], change: MarksChange, name: MarkName): boolean =>
  change[name] !== undefined && (marksOf(marks, change.output)[name] ?? null) === change[name];

interface NotesChange {
  readonly add?: readonly FrameNote[];
  /** Ids. */
  readonly remove?: readonly string[];
}

/** In the order of their frames. One that is added with the id of a present one takes its place. */
export function changedNotes(notes: readonly FrameNote[], { add = [], remove = [] }: NotesChange): FrameNote[] {
  const byId = new Map([...notes, ...add].map((note) => [note.id, note]));
  for (const id of remove) byId.delete(id);
  return [...byId.values()].toSorted(
    (one, other) => one.output - other.output || one.from - other.from || (one.id < other.id ? -1 : 1),
  );
}

export function notesHold(notes: readonly FrameNote[], { add = [], remove = [] }: NotesChange): boolean {
  const byId = new Map(notes.map((note) => [note.id, note]));
  return add.some((note) => isSameNote(byId.get(note.id), note)) || remove.some((id) => !byId.has(id));
}

/** As `before` the change, but for notes that were edited, removed or written again since. */
export function withoutNotes(
  notes: readonly FrameNote[],
  { add = [], remove = [] }: NotesChange,
  before: readonly FrameNote[],
): FrameNote[] {
  const was = new Map(before.map((note) => [note.id, note]));
  const now = new Map(notes.map((note) => [note.id, note]));
  const held = [
    ...add.filter((note) => isSameNote(now.get(note.id), note)).map(({ id }) => id),
    ...remove.filter((id) => !now.has(id)),
  ];
  return changedNotes(notes, {
    add: held.flatMap((id) => was.get(id) ?? []),
    remove: held.filter((id) => !was.has(id)),
  });
}

const noteKey = ({ id, output, from, to, text, strokes, by }: FrameNote): string =>
  JSON.stringify([id, output, from, to, text, strokes, by]);
const isSameNote = (one: FrameNote | undefined, other: FrameNote): boolean =>
  one !== undefined && noteKey(one) === noteKey(other);

export const areSameNotes = (one: readonly FrameNote[], other: readonly FrameNote[]): boolean =>
  one.map(noteKey).join() === other.map(noteKey).join();

export const areSameMarks = (one: readonly Marks[], other: readonly Marks[]): boolean =>
  marksKey(one) === marksKey(other);
const marksKey = (marks: readonly Marks[]): string =>
  JSON.stringify(marks.map((each) => [each.output, each.in, each.out]));

/** What of a stranger's list can be marks. */
export const readMarks = (list: readonly unknown[]): Marks[] =>
  changedMarks(
    [],
    list.slice(0, MAX_MARKED).flatMap((each) => Marks.safeParse(each).data ?? []),
  );

/** What of a stranger's list can be frame notes, as many as a take may have. */
export function readNotes(list: readonly unknown[]): FrameNote[] {
  const read = list.slice(0, MAX_FRAME_NOTES).flatMap((each) => FrameNote.safeParse(each).data ?? []);
  let left = MAX_NOTES_LENGTH;
  const fitting = read.filter((note) => isRange(note) && (left -= JSON.stringify(note).length) >= 0);
  return changedNotes([], { add: fitting });
}

const isRange = ({ from, to }: FrameNote): boolean => to === undefined || to > from;

/** Whether a note is about a frame. */
export const isAt = ({ from, to = from + 1 }: FrameNote, frame: number): boolean => frame >= from && frame < to;

/** `12f`, `2.5s` or `00:00:02:12`; seconds and timecode need the rate. Null for what is none of these. */
export function readFrameTime(text: string, rate: Rate | undefined): number | 'needs_rate' | null {
  const [, frames, seconds] = /^(?:(\d{1,8})f|(\d{1,6}(?:\.\d{1,6})?)s)$/i.exec(text.trim()) ?? [];
  if (frames !== undefined) return Number(frames);
  if (!rate) return seconds !== undefined || /^\d{1,2}(:\d\d){2}[:;.]\d{2,3}$/.test(text.trim()) ? 'needs_rate' : null;
  return seconds === undefined
    ? (parseTimecode(text.trim(), rate)?.frame ?? null)
    : nearestFrame(Number(seconds), rate);
}

/** A frame for people: timecode where the rate is known, else `48f`. */
export const frameName = (frame: number, rate: Rate | undefined): string =>
  rate ? timecode(frame, rate) : `${String(frame)}f`;
