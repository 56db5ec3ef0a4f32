import type { TakeFilter } from '../../contract/review.ts';
import { parseTakeSearch } from '../../contract/take-search.ts';
import { searchSql, type SearchSql } from './search-sql.ts';
import { standingSql } from './standing-sql.ts';

/** Which takes, whatever their order. */
export type TakesWanted = Omit<TakeFilter, 'sort'>;

/** The takes that fit, for a SELECT. */
export interface TakeQuery {
  /** `FROM … WHERE …` */
  readonly from: string;
  /** What follows `ORDER BY`. */
  readonly order: string;
  readonly parameters: Readonly<Record<string, string | number | null>>;
}

const IN_LIST = ['batches.created_at', 'batches.id', 'jobs.position', 'jobs.shot_key', 'jobs.take'];

/** No two takes are alike in any of these, so that each can be read from either end. */
const ORDERS: Readonly<Record<TakeFilter['sort'], readonly string[]>> = {
  list: IN_LIST,
  newest: ['jobs.updated_at DESC', 'jobs.seq DESC'],
  rating: ['jobs.rating DESC', ...IN_LIST],
  shot: ['jobs.shot_key', 'batches.created_at', 'batches.id', 'jobs.take'],
};

const reversed = (term: string): string => (term.endsWith(' DESC') ? term.slice(0, -' DESC'.length) : `${term} DESC`);

/** Nothing is sorted for a page of these: both indexes have the order of the list. */
const EVERY_TAKE = `batches INDEXED BY batches_in_order
  CROSS JOIN jobs INDEXED BY jobs_in_order ON jobs.batch_id = batches.id`;

/** Nor for a page of these. */
const NEWEST_TAKES = 'jobs INDEXED BY jobs_newest';

/** Nor for these, where the order names the first table. */
const TAKES_BY_RATING = `ratings CROSS JOIN batches INDEXED BY batches_in_order
  CROSS JOIN jobs INDEXED BY jobs_by_rating ON jobs.batch_id = batches.id AND jobs.rating = ratings.rating`;

/** The takes that fit. `fromEnd`: the last of them first. */
export function takeQuery(
  wanted: TakesWanted,
  { sort = 'list', fromEnd = false }: { sort?: TakeFilter['sort']; fromEnd?: boolean } = {},
): TakeQuery {
  const { from, within, order } = sourceOf(wanted, sort);
  const search = searchOf(wanted);
  return {
    from: `FROM ${from} WHERE ${[...within, ...conditionsOf(wanted), ...search.conditions].join(' AND ')}`,
    order: (fromEnd ? order.map(reversed) : order).join(', '),
    parameters: {
      projectId: wanted.projectId,
      batchId: wanted.batchId ?? null,
      kind: wanted.kind ?? null,
      model: wanted.model ?? null,
      minRating: wanted.minRating ?? null,
      rating: wanted.rating ?? null,
      flag: wanted.flag ?? null,
      ...search.parameters,
    },
  };
}

/** Where to begin, so that nothing is sorted where an index has the order; and how it stays within project and batch. */
function sourceOf({ batchId, standing }: TakesWanted, sort: TakeFilter['sort']) {
  if (standing === 'saved' && sort === 'newest') {
    const inBatch = batchId === undefined ? [] : ['jobs.batch_id = @batchId'];
    return { from: NEWEST_TAKES, within: ['jobs.project_id = @projectId', ...inBatch], order: ORDERS.newest };
  }
  // With the `+` the id still counts as ordered by the index; without it SQLite sorts.
  const within = ['batches.project_id = @projectId', ...(batchId === undefined ? [] : ['+batches.id = @batchId'])];
  return standing === 'saved' && sort === 'rating'
    ? { from: TAKES_BY_RATING, within, order: ['ratings.rating DESC', ...IN_LIST] }
    : { from: EVERY_TAKE, within, order: ORDERS[sort] };
}

function conditionsOf({ kind, standing, model, minRating, rating, flag }: TakesWanted): string[] {
  return [
    ...(kind === undefined ? [] : ['jobs.kind = @kind']),
    ...(standing === undefined ? [] : [standing === 'saved' ? 'jobs.viewable = 1' : standingSql[standing]]),
    ...(model === undefined ? [] : ['jobs.model = @model']),
    ...(minRating ? ['jobs.rating >= @minRating'] : []),
    ...(rating === undefined ? [] : ['jobs.rating = @rating']),
    ...(flag === undefined ? [] : [flag === 'none' ? 'jobs.flag IS NULL' : 'jobs.flag = @flag']),
  ];
}

/** A search that cannot be read finds nothing; the person who typed it is told why by the same parser. */
function searchOf({ text }: TakesWanted): SearchSql {
  const search = parseTakeSearch(text ?? '');
  return search.ok ? searchSql(search.terms) : { conditions: ['FALSE'], parameters: {} };
}
