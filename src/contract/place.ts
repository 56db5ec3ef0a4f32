import * as z from 'zod';

export const ViewName = z.enum(['projects', 'batch', 'queue', 'review', 'library', 'research', 'spending', 'settings']);
export type ViewName = z.infer<typeof ViewName>;

/** More than any view has. */
const MAX_DETAILS = 20;

export const WindowPlace = z.object({
  view: ViewName,
  /** Project the view is about; null in views that need none. */
  projectId: z.string().max(100).nullable(),
  /** Further state of the view: a batch, a draft, a take. */
  detail: z
    .record(z.string().max(100), z.string().max(1000))
    .refine((detail) => Object.keys(detail).length <= MAX_DETAILS),
});
export type WindowPlace = z.infer<typeof WindowPlace>;

/** A place as the fragment of the window's address has it, without `#`. Pure. */
export function toFragment({ view, projectId, detail }: WindowPlace): string {
  const query = Object.entries(detail)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&');
  const path = projectId === null ? `/${view}` : `/project/${encodeURIComponent(projectId)}/${view}`;
  return query === '' ? path : `${path}?${query}`;
}
