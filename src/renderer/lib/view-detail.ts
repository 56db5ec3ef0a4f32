import type { TakeFilter, ViewFilter } from '../../contract/review.ts';
import { groupingName } from './grouping.ts';

export function toViewFilter({ projectId: _project, near: _near, ...filter }: TakeFilter): ViewFilter {
  return filter;
}

/** A view as the address of review has it; empty values take a field out. Pure. */
export function toDetail(filter: ViewFilter) {
  const { batchId, kind, standing, model, minRating, rating, flag, text, sort, group } = filter;
  return {
    batch: batchId ?? '',
    kind: kind ?? '',
    standing: standing === undefined ? 'all' : standing === 'saved' ? '' : standing,
    model: model ?? '',
    rating: rating === undefined ? (minRating ? String(minRating) : '') : `just${rating}`,
    flag: flag ?? '',
    text: text ?? '',
    near: '',
    nearBy: '',
    sort: sort === 'list' ? '' : sort,
    group: groupingName(group),
  };
}

/** Whether two views find the same takes in the same order. Pure. */
export const isSameFilter = (one: ViewFilter, other: ViewFilter): boolean =>
  JSON.stringify(toDetail(one)) === JSON.stringify(toDetail(other));
