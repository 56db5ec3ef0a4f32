import * as z from 'zod';
import { TakeFilter } from './review.ts';

export const ViewFilter = TakeFilter.omit({ projectId: true, near: true });
export type ViewFilter = z.infer<typeof ViewFilter>;

/** A search of takes with its filters, order and groups, under a name. */
export const SavedView = z.object({ id: z.string(), projectId: z.string(), name: z.string(), filter: ViewFilter });
export type SavedView = z.infer<typeof SavedView>;

/** In one project. */
export const MOST_VIEWS = 100;
export const LONGEST_VIEW_NAME = 80;

/** A name as it is kept; null where the text cannot be one. Pure. */
export function viewNameOf(text: string): string | null {
  // Composing a long text takes its time.
  if (text.length > 4 * LONGEST_VIEW_NAME) return null;
  const name = text.normalize('NFC').trim().replace(/ +/g, ' ');
  const isName =
    name !== '' && name.length <= LONGEST_VIEW_NAME && !/[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069]/u.test(name);
  return isName ? name : null;
}

/** Letters of either case are one name. Pure. */
export const viewNamed = <View extends { readonly name: string }>(
  views: readonly View[],
  name: string,
): View | undefined => views.find((view) => view.name.toLowerCase() === name.toLowerCase());
