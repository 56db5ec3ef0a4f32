/** More than a person reads on one take. */
export const MOST_TAGS = 30;
export const LONGEST_TAG = 50;

/** A comma parts tags where several are written, and a search quotes with the mark. */
const NEVER = /[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069,"]/u;

/** A tag as it is kept: composed Unicode, one space between words. Null where the text cannot be one. Pure. */
export function tagOf(text: string): string | null {
  // Composing a long text takes its time.
  if (text.length > 4 * LONGEST_TAG) return null;
  const tag = text.normalize('NFC').trim().replace(/ +/g, ' ');
  return tag === '' || tag.length > LONGEST_TAG || NEVER.test(tag) ? null : tag;
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
    add: list.slice(0, MOST_TAGS).flatMap((each) => (typeof each === 'string' ? (tagOf(each) ?? []) : [])),
  });
