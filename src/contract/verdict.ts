import * as z from 'zod';
import { changedTags, isSameTag, LONGEST_TAG, MOST_TAGS } from './tags.ts';

export const Verdict = z.object({
  /** 0: not rated. */
  rating: z.int().min(0).max(5),
  flag: z.enum(['pick', 'reject']).nullable(),
  note: z.string().max(10_000),
  /** In their order; absent where there are none. */
  tags: z.array(z.string().max(LONGEST_TAG)).max(MOST_TAGS).optional(),
});
export type Verdict = z.infer<typeof Verdict>;

export const noVerdict: Verdict = { rating: 0, flag: null, note: '' };

const TagList = z.array(z.string().min(1).max(200)).max(MOST_TAGS).optional();

/** A change of a verdict; an absent field stays as it is. Tags are added and removed one by one. */
export const VerdictChange = Verdict.omit({ tags: true }).partial().extend({ addTags: TagList, removeTags: TagList });
export type VerdictChange = z.infer<typeof VerdictChange>;

const marks = ['rating', 'flag', 'note'] as const;
const fields = [...marks, 'tags'] as const;
export type VerdictField = (typeof fields)[number];

export const GivenVerdict = z.object({
  projectId: z.string(),
  takeId: z.string(),
  verdict: Verdict,
  /** What of it is not as it was before. */
  changed: z.array(z.enum(fields)),
  /** The window that gave it; empty where none said so. */
  by: z.string(),
});
export type GivenVerdict = z.infer<typeof GivenVerdict>;

export const tagsOf = ({ tags = [] }: Pick<Verdict, 'tags'>): readonly string[] => tags;

/** What differs between two verdicts. Pure. */
export const changedFields = (before: Verdict, now: Verdict): VerdictField[] =>
  fields.filter((field) =>
    field === 'tags' ? tagsOf(before).join() !== tagsOf(now).join() : before[field] !== now[field],
  );

/** A verdict with a change. Pure. */
export function withChange(now: Verdict, change: VerdictChange): Verdict {
  const { rating = now.rating, flag = now.flag, note = now.note, addTags = [], removeTags = [] } = change;
  return { rating, flag, note, ...tagged(changedTags(tagsOf(now), { add: addTags, remove: removeTags })) };
}

/** Whether anything that a change set is still in force. Pure. */
export function stillHolds(now: Verdict, set: VerdictChange): boolean {
  const { addTags = [], removeTags = [] } = set;
  return (
    marks.some((field) => set[field] !== undefined && set[field] === now[field]) ||
    addTags.some((tag) => has(now, tag)) ||
    removeTags.some((tag) => !has(now, tag))
  );
}

/** A verdict without a change: its fields as they were `before` it, except those that were set again since. Pure. */
export function withoutChange(now: Verdict, set: VerdictChange, before: Verdict): Verdict {
  const back = <Field extends (typeof marks)[number]>(field: Field): Verdict[Field] =>
    set[field] !== undefined && set[field] === now[field] ? before[field] : now[field];
  const { addTags = [], removeTags = [] } = set;
  const tags = changedTags(tagsOf(now), {
    add: tagsOf(before).filter((tag) => removeTags.some((each) => isSameTag(each, tag))),
    remove: addTags.filter((tag) => !has(before, tag)),
  });
  return { rating: back('rating'), flag: back('flag'), note: back('note'), ...tagged(tags) };
}

const has = (verdict: Verdict, tag: string): boolean => tagsOf(verdict).some((each) => isSameTag(each, tag));

const tagged = (tags: string[]): Pick<Verdict, 'tags'> => (tags.length > 0 ? { tags } : {});
