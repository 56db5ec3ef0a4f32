import { TakeFilter, type ViewFilter } from '../../contract/review.ts';
import { groupingName, groupingNamed, takeGroupings } from './grouping.ts';

const { kind: kinds, standing: standings, flag: flags, sort: sorts } = TakeFilter.shape;

/** A filter as the address of review has it; empty values take a field out. Pure. */
export function toDetail(filter: ViewFilter) {
  const { batchId, kind, standing, model, flag, text, sort, group } = filter;
  return {
    batch: batchId ?? '',
    kind: kind ?? '',
    standing: standing === undefined ? 'all' : standing === 'saved' ? '' : standing,
    model: model ?? '',
    rating: ratingName(filter),
    flag: flag ?? '',
    text: text ?? '',
    since: '',
    near: '',
    nearBy: '',
    sort: sort === 'list' ? '' : sort,
    group: groupingName(group),
  };
}

/**
 * The filter that an address of review names, which may be typed by hand: what it cannot mean is left out. Without a
 * standing only saved takes are shown, because those can be viewed. Pure.
 */
export function toFilter(detail: Readonly<Record<string, string>>): Omit<TakeFilter, 'projectId'> {
  const { batch, kind, standing, model, rating = '', flag, text, near, nearBy, sort, group, since = '' } = detail;
  return {
    sort: sorts.safeParse(sort).data ?? 'list',
    ...defined({
      batchId: batch,
      kind: kinds.safeParse(kind).data,
      standing: standing === 'all' ? undefined : (standings.safeParse(standing).data ?? 'saved'),
      model,
      minRating: /^[1-5]$/.test(rating) ? Number(rating) : undefined,
      rating: /^just[0-5]$/.test(rating) ? Number(rating.slice(-1)) : undefined,
      flag: flags.safeParse(flag).data,
      text,
      since: /^\d{1,16}$/.test(since) ? Number(since) : undefined,
      group: groupingNamed(group, takeGroupings),
      near: near !== undefined && nearBy !== undefined ? { text: near, model: nearBy } : undefined,
    }),
  };
}

export function ratingName({ minRating = 0, rating }: Pick<TakeFilter, 'minRating' | 'rating'>): string {
  if (rating !== undefined) return `just${rating}`;
  return minRating === 0 ? '' : String(minRating);
}

/** What a saved view keeps of a filter. */
export function toViewFilter({ projectId: _of, near: _near, since: _since, ...filter }: TakeFilter): ViewFilter {
  return filter;
}

/** Whether two views find the same takes in the same order. Pure. */
export const isSameFilter = (one: ViewFilter, other: ViewFilter): boolean =>
  JSON.stringify(toDetail(one)) === JSON.stringify(toDetail(other));

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
