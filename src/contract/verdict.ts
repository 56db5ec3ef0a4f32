import * as z from 'zod';
import {
  areSameMarks,
  areSameNotes,
  changedMarks,
  changedNotes,
  marksHold,
  notesHold,
  readMarks,
  readNotes,
  toMarks,
  toNotes,
  withoutMarks,
  withoutNotes,
} from './frame-changes.ts';
import { FrameNote, Marks, MarksChange, MAX_FRAME_NOTES } from './frame-notes.ts';

/** More than a person reads on one take. */
export const MAX_TAGS = 30;
export const MAX_TAG_LENGTH = 50;
export const MAX_NOTE = 10_000;

/** A comma parts tags where several are written, and a search quotes with the mark. */
const NEVER = /[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069,"]/u;

/** A tag as it is kept: composed Unicode, one space between words. Null where the text cannot be one. Pure. */
export function toTag(text: string): string | null {
  // Composing a long text takes its time.
  if (text.length > 4 * MAX_TAG_LENGTH) return null;
  const tag = text.normalize('NFC').trim().replace(/ +/g, ' ');
  return tag === '' || tag.length > MAX_TAG_LENGTH || NEVER.test(tag) ? null : tag;
}

/** Letters of either case are one tag. Pure. */
export const isSameTag = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Tags in their order, each once, without those to `remove`; a present one keeps its spelling. Pure. */
export function changedTags(
  tags: readonly string[],
  { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): string[] {
  const byName = new Map<string, string>();
  for (const tag of [...tags, ...add]) if (!byName.has(tag.toLowerCase())) byName.set(tag.toLowerCase(), tag);
  for (const tag of remove) byName.delete(tag.toLowerCase());
  return [...byName.entries()].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, tag]) => tag);
}

/** What of a stranger's list can be tags. Pure. */
export const readTags = (list: readonly unknown[]): string[] =>
  changedTags([], {
    add: list.slice(0, MAX_TAGS).flatMap((each) => (typeof each === 'string' ? (toTag(each) ?? []) : [])),
  });

export const Flag = z.enum(['pick', 'alternate', 'reject']);
export type Flag = z.infer<typeof Flag>;

export const Verdict = z.object({
  /** 0: not rated. */
  rating: z.int().min(0).max(5),
  /** At most one take of a shot is its pick; the one before it is an alternate. */
  flag: Flag.nullable(),
  note: z.string().max(MAX_NOTE),
  /** In their order; absent where there are none. */
  tags: z.array(z.string().max(MAX_TAG_LENGTH)).max(MAX_TAGS).optional(),
  /** In the order of their outputs; absent where there are none. */
  marks: z.array(Marks).max(100).optional(),
  /** In the order of their frames; absent where there are none. */
  notes: z.array(FrameNote).max(MAX_FRAME_NOTES).optional(),
});
export type Verdict = z.infer<typeof Verdict>;

const listIn = <Read>(read: (list: readonly unknown[]) => Read) =>
  z.array(z.unknown()).transform(read).optional().catch(undefined);

/** As others wrote it: tags, marks and frame notes that cannot be any are left out, since the take is worth more. */
export const VerdictOfOthers = Verdict.extend({
  tags: listIn(readTags),
  marks: listIn(readMarks),
  notes: listIn(readNotes),
});

export const noVerdict: Verdict = { rating: 0, flag: null, note: '' };

const TagList = z.array(z.string().min(1).max(200)).max(MAX_TAGS).optional();

/**
 * A change of a verdict; an absent field stays as it is. Tags and frame notes are added and removed one by one; a note
 * with the id of a present one takes its place.
 */
export const VerdictChange = Verdict.omit({ tags: true, marks: true, notes: true })
  .partial()
  .extend({
    addTags: TagList,
    removeTags: TagList,
    marks: z.array(MarksChange).max(100).optional(),
    addNotes: z.array(FrameNote).max(MAX_FRAME_NOTES).optional(),
    removeNotes: z.array(FrameNote.shape.id).max(MAX_FRAME_NOTES).optional(),
  });
export type VerdictChange = z.infer<typeof VerdictChange>;

const single = ['rating', 'flag', 'note'] as const;
const fields = [...single, 'tags', 'marks', 'notes'] as const;
export type VerdictField = (typeof fields)[number];

export const GivenVerdict = z.object({
  projectId: z.string(),
  takeId: z.string(),
  verdict: Verdict,
  changed: z.array(z.enum(fields)),
  /** The window that gave it; empty where none said so. */
  by: z.string(),
});
export type GivenVerdict = z.infer<typeof GivenVerdict>;

export const toTags = ({ tags = [] }: Pick<Verdict, 'tags'>): readonly string[] => tags;

const isSameField = (one: Verdict, other: Verdict, field: VerdictField): boolean => {
  switch (field) {
    case 'tags':
      return toTags(one).join() === toTags(other).join();
    case 'marks':
      return areSameMarks(toMarks(one), toMarks(other));
    case 'notes':
      return areSameNotes(toNotes(one), toNotes(other));
    default:
      return one[field] === other[field];
  }
};

export const changedFields = (before: Verdict, now: Verdict): VerdictField[] =>
  fields.filter((field) => !isSameField(before, now, field));

export function withChange(now: Verdict, change: VerdictChange): Verdict {
  const { rating = now.rating, flag = now.flag, note = now.note } = change;
  return withLists(
    { rating, flag, note },
    {
      tags: changedTags(toTags(now), tagsIn(change)),
      marks: changedMarks(toMarks(now), change.marks ?? []),
      notes: changedNotes(toNotes(now), notesIn(change)),
    },
  );
}

/** Whether anything that a change set is still in force. Pure. */
export function stillHolds(now: Verdict, set: VerdictChange): boolean {
  const { add, remove } = tagsIn(set);
  return (
    single.some((field) => set[field] !== undefined && set[field] === now[field]) ||
    add.some((tag) => has(now, tag)) ||
    remove.some((tag) => !has(now, tag)) ||
    marksHold(toMarks(now), set.marks ?? []) ||
    notesHold(toNotes(now), notesIn(set))
  );
}

/** A verdict without a change: its fields as they were `before` it, except those that were set again since. Pure. */
export function withoutChange(now: Verdict, set: VerdictChange, before: Verdict): Verdict {
  const back = <Field extends (typeof single)[number]>(field: Field): Verdict[Field] =>
    set[field] !== undefined && set[field] === now[field] ? before[field] : now[field];
  const { add, remove } = tagsIn(set);
  return withLists(
    { rating: back('rating'), flag: back('flag'), note: back('note') },
    {
      tags: changedTags(toTags(now), {
        add: toTags(before).filter((tag) => remove.some((each) => isSameTag(each, tag))),
        remove: add.filter((tag) => !has(before, tag)),
      }),
      marks: withoutMarks(toMarks(now), set.marks ?? [], toMarks(before)),
      notes: withoutNotes(toNotes(now), notesIn(set), toNotes(before)),
    },
  );
}

const tagsIn = ({ addTags = [], removeTags = [] }: VerdictChange) => ({ add: addTags, remove: removeTags });
const notesIn = ({ addNotes = [], removeNotes = [] }: VerdictChange) => ({ add: addNotes, remove: removeNotes });

const has = (verdict: Verdict, tag: string): boolean => toTags(verdict).some((each) => isSameTag(each, tag));

/** Its lists where they are not empty. */
export const withLists = (
  verdict: Pick<Verdict, (typeof single)[number]>,
  { tags = [], marks = [], notes = [] }: Pick<Verdict, 'tags' | 'marks' | 'notes'>,
): Verdict => ({
  ...verdict,
  ...(tags.length > 0 && { tags }),
  ...(marks.length > 0 && { marks }),
  ...(notes.length > 0 && { notes }),
});
