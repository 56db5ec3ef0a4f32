import { say } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { reviewPlace } from '../review-place.svelte.ts';

/** Takes that can be exported together. */
export interface Selects {
  readonly name: string;
  readonly label: string;
  readonly ids: readonly string[];
}

/** The choices for an export: selected, picked, well rated, and all shown takes. Saved takes only. */
export async function readSelects(selected: readonly string[]): Promise<Selects[]> {
  const { projectId, batchId } = reviewPlace.filter;
  const scope = { projectId, ...(batchId !== undefined && { batchId }), standing: 'saved', sort: 'list' } as const;
  const where = { scope: batchId === undefined ? 'project' : 'batch' };
  const saved = new Set(await api.takes.ids(scope));
  return [
    ...(selected.length > 0
      ? [{ name: 'selected', label: say('review.selectsSelected'), ids: selected.filter((id) => saved.has(id)) }]
      : []),
    { name: 'picked', label: say('review.selectsPicked', where), ids: await api.takes.ids({ ...scope, flag: 'pick' }) },
    { name: 'rated', label: say('review.selectsRated', where), ids: await api.takes.ids({ ...scope, minRating: 4 }) },
    {
      name: 'shown',
      label: say('review.selectsShown'),
      ids: (await api.takes.ids(reviewPlace.filter)).filter((id) => saved.has(id)),
    },
  ];
}
