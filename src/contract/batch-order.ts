import * as z from 'zod';

/** How the batches of a project are listed: newest first, by name, or as a person arranged them. */
export const BatchOrder = z.enum(['date', 'name', 'hand']);
export type BatchOrder = z.infer<typeof BatchOrder>;

interface Ordered {
  readonly name: string;
  readonly createdAt: number;
  /** Where a person put it among the others; null where none did. */
  readonly place: number | null;
}

/** Batches in an order. One without a place is newer than those with one, so it comes first. Pure. */
export function batchesInOrder<Batch extends Ordered>(batches: readonly Batch[], order: BatchOrder): Batch[] {
  const newestFirst = batches.toSorted((one, other) => other.createdAt - one.createdAt);
  if (order === 'date') return newestFirst;
  if (order === 'name') {
    // The same for every language and host: Chinese by Pinyin, numbers by their value.
    const { compare } = new Intl.Collator('zh-CN', { numeric: true });
    return newestFirst.sort((one, other) => compare(one.name, other.name));
  }
  return newestFirst.sort((one, other) => (one.place ?? -1) - (other.place ?? -1));
}
