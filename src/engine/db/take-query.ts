import type { Grouping, TakeFilter } from '../../contract/review.ts';
import { parseTakeSearch } from '../../contract/take-search.ts';
import { searchSql, shownSql, type SearchSql } from './search-sql.ts';

export type TakesWanted = Omit<TakeFilter, 'sort' | 'group'>;

export interface TakeQuery {
  readonly from: string;
  readonly order: string;
  readonly parameters: Readonly<Record<string, string | number | null>>;
}

const IN_LIST = ['batches.created_at', 'batches.id', 'jobs.position', 'jobs.shot_key', 'jobs.take'];

/** Each of these orders is unique for each take, so that it can be read from either end. */
const ORDERS: Readonly<Record<TakeFilter['sort'], readonly string[]>> = {
  list: IN_LIST,
  newest: ['jobs.updated_at DESC', 'jobs.seq DESC'],
  rating: ['jobs.rating DESC', ...IN_LIST],
  shot: ['jobs.shot_key', 'batches.created_at', 'batches.id', 'jobs.take'],
};

const reversed = (term: string): string => (term.endsWith(' DESC') ? term.slice(0, -' DESC'.length) : `${term} DESC`);

/** Needs no sorting for a page: both indexes have the order of the list. */
const EVERY_TAKE = `batches INDEXED BY batches_in_order
  CROSS JOIN jobs INDEXED BY jobs_in_order ON jobs.batch_id = batches.id`;

/** These need no sorting either. */
const NEWEST_TAKES = 'jobs INDEXED BY jobs_newest';

/** Nor do these, when the order names the first table. */
const TAKES_BY_RATING = `ratings CROSS JOIN batches INDEXED BY batches_in_order
  CROSS JOIN jobs INDEXED BY jobs_by_rating ON jobs.batch_id = batches.id AND jobs.rating = ratings.rating`;

export function takeQuery(
  wanted: TakesWanted,
  {
    sort = 'list',
    group,
    fromEnd = false,
  }: { sort?: TakeFilter['sort']; group?: Grouping | undefined; fromEnd?: boolean } = {},
): TakeQuery {
  const { from, within, order } = group ? groupedSource(wanted, sort, group) : sourceOf(wanted, sort);
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
      column: group?.by === 'column' ? group.column : null,
      ...search.parameters,
    },
  };
}

/** The table or index to start from, so that an index gives the order where it can, within project and batch. */
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

interface GroupSql {
  readonly order: readonly string[];
  readonly name: string;
  /**
   * What distinguishes the groups, where fewer columns are enough: sorting by one value takes half the time of three.
   */
  readonly apart?: string;
}

const GROUPS: Readonly<Record<Grouping['by'], GroupSql>> = {
  batch: { order: ['batches.created_at', 'batches.id'], name: 'batches.name' },
  shot: { order: IN_LIST.slice(0, -1), name: 'jobs.shot_key' },
  model: { order: ['jobs.model'], name: 'jobs.model' },
  verdict: {
    order: [`iif(jobs.flag IS 'pick', 0, iif(jobs.flag IS NULL, 1, 2))`],
    name: `IFNULL(jobs.flag, 'none')`,
  },
  tag: { order: [`jobs.tags = '[]'`, 'jobs.tags'], name: 'jobs.tags', apart: 'jobs.tags' },
  // Scene 2 comes before scene 10, and 10A after it; takes without a value come last, after every number.
  column: {
    order: ['IFNULL(CAST(own.value AS INTEGER), 9e999)', 'own.value'],
    name: `IFNULL(own.value, '')`,
    apart: 'own.value',
  },
};

export function groupSql({ by }: Grouping): { name: string; apart: string; order: string } {
  const order = GROUPS[by].order.join(', ');
  return { name: GROUPS[by].name, apart: GROUPS[by].apart ?? order, order };
}

function groupedSource(wanted: TakesWanted, sort: TakeFilter['sort'], group: Grouping) {
  const { within } = sourceOf(wanted, 'list');
  // The limit keeps SQLite from merging the inner query: its rows, one a shot, are then read once and looked up by shot.
  const own = `LEFT JOIN (SELECT shot_id, value FROM shot_columns
    WHERE name = @column AND batch_id IN (SELECT id FROM batches WHERE project_id = @projectId) LIMIT -1
  ) AS own ON own.shot_id = jobs.shot_id`;
  return {
    from: group.by === 'column' ? `${EVERY_TAKE} ${own}` : EVERY_TAKE,
    within,
    order: [...GROUPS[group.by].order, ...ORDERS[sort]],
  };
}

function conditionsOf({ kind, standing, model, minRating, rating, flag }: TakesWanted): string[] {
  return [
    ...(kind === undefined ? [] : ['jobs.kind = @kind']),
    ...(standing === undefined ? [] : [shownSql(standing)]),
    ...(model === undefined ? [] : ['jobs.model = @model']),
    ...(minRating ? ['jobs.rating >= @minRating'] : []),
    ...(rating === undefined ? [] : ['jobs.rating = @rating']),
    ...(flag === undefined ? [] : [flag === 'none' ? 'jobs.flag IS NULL' : 'jobs.flag = @flag']),
  ];
}

/** A search that cannot be parsed finds nothing; the same parser tells the person why. */
function searchOf({ text }: TakesWanted): SearchSql {
  const search = parseTakeSearch(text ?? '');
  return search.ok ? searchSql(search.terms) : { conditions: ['FALSE'], parameters: {} };
}
