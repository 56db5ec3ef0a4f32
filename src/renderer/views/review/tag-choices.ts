import { tagsOf, type TakeView, type UsedTag, type VerdictChange } from '../../../contract/review.ts';
import { changedTags, isSameTag, toTag } from '../../../contract/verdict.ts';

export interface OfferedTag {
  readonly tag: string;
  readonly on: 'all' | 'some' | 'none';
}

/** Tags of the takes first, then others of their project. `of`: how many takes; an unread one may have any. Pure. */
export function offeredTags(
  takes: readonly Pick<TakeView, 'verdict'>[],
  used: readonly UsedTag[],
  of = takes.length,
): OfferedTag[] {
  const own = changedTags([], { add: takes.flatMap(({ verdict }) => tagsOf(verdict)) });
  const others = used.map(({ tag }) => tag).filter((tag) => !own.some((each) => isSameTag(each, tag)));
  const having = (tag: string): number =>
    takes.filter(({ verdict }) => tagsOf(verdict).some((each) => isSameTag(each, tag))).length;
  return [
    ...own.map((tag): OfferedTag => ({ tag, on: having(tag) === of ? 'all' : 'some' })),
    ...others.map((tag): OfferedTag => ({ tag, on: takes.length < of ? 'some' : 'none' })),
  ];
}

/** Tags of a text, parted by commas of either script. `bad`: the first that cannot be one. Pure. */
export function typedTags(text: string): { readonly tags: readonly string[]; readonly bad?: string } {
  const parts = text.split(/[,，、]/).filter((part) => part.trim() !== '');
  const bad = parts.find((part) => toTag(part) === null);
  const tags = parts.flatMap((part) => toTag(part) ?? []);
  return bad === undefined ? { tags } : { tags, bad: bad.trim() };
}

/** The change of tags; null without one. `pressed`: tags, and whether the takes should have them. Pure. */
export function tagChange(
  offered: readonly OfferedTag[],
  pressed: Readonly<Record<string, boolean>>,
  typed: readonly string[],
): VerdictChange | null {
  const pressedTags = (isOn: boolean, already: OfferedTag['on']): string[] =>
    offered.filter(({ tag, on }) => pressed[tag] === isOn && on !== already).map(({ tag }) => tag);
  const addTags = changedTags([], { add: [...pressedTags(true, 'all'), ...typed] });
  const removeTags = pressedTags(false, 'none').filter((tag) => !addTags.some((each) => isSameTag(each, tag)));
  if (addTags.length + removeTags.length === 0) return null;
  return { ...(addTags.length > 0 && { addTags }), ...(removeTags.length > 0 && { removeTags }) };
}
