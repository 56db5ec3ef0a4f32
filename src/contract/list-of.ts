import * as z from 'zod';

/**
 * A list of at most `most` items, for files, answers and calls of strangers: what is wrong with the first wrong item is
 * told, and the rest are not looked at. Zod's own list collects the issues of all items, which can take a hundred times
 * the memory of the list.
 */
export function listOf<Item extends z.ZodType>(item: Item, most: number): z.ZodType<z.output<Item>[], z.input<Item>[]> {
  const list = z
    .array(z.unknown())
    .max(most)
    .transform((items, context) => {
      const all: z.output<Item>[] = [];
      for (const [index, each] of items.entries()) {
        const read = item.safeParse(each);
        if (!read.success) {
          const [issue] = read.error.issues;
          const path = [index, ...(issue?.path ?? [])];
          context.issues.push({ code: 'custom', input: each, path, message: issue?.message ?? '' });
          return z.NEVER;
        }
        all.push(read.data);
      }
      return all;
    });
  return list as unknown as z.ZodType<z.output<Item>[], z.input<Item>[]>;
}
