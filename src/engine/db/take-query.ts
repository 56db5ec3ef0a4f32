import type { TakeFilter } from '../../contract/review.ts';
import { standingSql } from './standing-sql.ts';

/** Which takes, whatever their order. */
export type TakesWanted = Omit<TakeFilter, 'sort'>;

/** `FROM … WHERE …` of the takes that fit, and its parameters. */
export interface TakeQuery {
  readonly from: string;
  readonly parameters: Readonly<Record<string, string | number | null>>;
}

const IN_LIST = ['batches.created_at', 'batches.id', 'jobs.position', 'jobs.shot_key', 'jobs.take'];

/** No two takes are alike in any of these, so that each can be read from either end. */
const ORDERS: Readonly<Record<TakeFilter['sort'], readonly string[]>> = {
  list: IN_LIST,
  newest: ['jobs.updated_at DESC', 'jobs.seq DESC'],
  rating: ['COALESCE(verdicts.rating, 0) DESC', ...IN_LIST],
  shot: ['jobs.shot_key', 'batches.created_at', 'batches.id', 'jobs.take'],
};

/** What follows `ORDER BY`. */
export function takeOrder(sort: TakeFilter['sort'], { fromEnd = false } = {}): string {
  const terms = ORDERS[sort];
  return (fromEnd ? terms.map(reversed) : terms).join(', ');
}

const reversed = (term: string): string => (term.endsWith(' DESC') ? term.slice(0, -' DESC'.length) : `${term} DESC`);

/** Nothing is sorted for a page of these: both indexes have the order of the list. */
const EVERY_TAKE = `batches INDEXED BY batches_in_order
  CROSS JOIN jobs INDEXED BY jobs_in_order ON jobs.batch_id = batches.id`;

/** Nor for a page of these. */
const NEWEST_TAKES = `jobs INDEXED BY jobs_newest CROSS JOIN batches
  ON batches.id = jobs.batch_id AND batches.project_id = jobs.project_id AND jobs.project_id = @projectId`;

const JUDGED_TAKES = `verdicts CROSS JOIN jobs ON jobs.id = verdicts.job_id
  JOIN batches ON batches.id = jobs.batch_id`;

/**
 * Shots are searched as the JSON they are kept as, which takes a tenth of the time of reading it; what may fit is then
 * looked at field by field.
 */
const TAKES_WITH_TEXT = String.raw`(
    SELECT jobs.seq FROM shots CROSS JOIN jobs ON jobs.shot_id = shots.id
    WHERE shots.spec LIKE @json ESCAPE '\' AND shots.batch_id IN (SELECT id FROM batches WHERE project_id = @projectId)
      AND (shots.key LIKE @text ESCAPE '\' OR shots.spec ->> '$.prompt' LIKE @text ESCAPE '\'
        OR shots.spec ->> '$.notes' LIKE @text ESCAPE '\')
    UNION SELECT jobs.seq FROM verdicts CROSS JOIN jobs ON jobs.id = verdicts.job_id WHERE verdicts.note LIKE @text ESCAPE '\'
  ) AS found CROSS JOIN jobs ON jobs.seq = found.seq JOIN batches ON batches.id = jobs.batch_id`;

const WITH_VERDICTS = 'LEFT JOIN verdicts ON verdicts.job_id = jobs.id';

/** The takes that fit. `judged`: of those, the ones that carry a flag. */
export function takeQuery(
  wanted: TakesWanted,
  { sort, judged = false }: { sort?: string; judged?: boolean } = {},
): TakeQuery {
  const needsVerdicts = judged || sort === 'rating' || wanted.flag !== undefined || wanted.rating !== undefined;
  return {
    from: `FROM ${sourceOf(wanted, { sort, judged, needsVerdicts })} WHERE ${conditionsOf(wanted, judged).join(' AND ')}`,
    parameters: {
      projectId: wanted.projectId,
      batchId: wanted.batchId ?? null,
      kind: wanted.kind ?? null,
      model: wanted.model ?? null,
      minRating: wanted.minRating ?? null,
      rating: wanted.rating ?? null,
      flag: wanted.flag ?? null,
      text: wanted.text ? containing(wanted.text) : null,
      json: wanted.text ? containing(JSON.stringify(wanted.text).slice(1, -1)) : null,
    },
  };
}

/** Where to begin, so that the fewest rows are read. */
function sourceOf(
  { text, flag, rating, minRating, standing }: TakesWanted,
  { sort, judged, needsVerdicts }: { sort: string | undefined; judged: boolean; needsVerdicts: boolean },
): string {
  if (text) return `${TAKES_WITH_TEXT} ${WITH_VERDICTS}`;
  const isJudged = judged || flag === 'pick' || flag === 'reject' || (rating ?? 0) > 0 || (minRating ?? 0) > 0;
  if (isJudged) return JUDGED_TAKES;
  const takes = sort === 'newest' && standing === 'saved' ? NEWEST_TAKES : EVERY_TAKE;
  return needsVerdicts ? `${takes} ${WITH_VERDICTS}` : takes;
}

function conditionsOf(wanted: TakesWanted, judged: boolean): string[] {
  const { batchId, kind, standing, model, minRating, rating, flag } = wanted;
  return [
    'batches.project_id = @projectId',
    // With the `+` the id still counts as ordered by the index; without it SQLite sorts.
    ...(batchId === undefined ? [] : ['+batches.id = @batchId']),
    ...(kind === undefined ? [] : ['jobs.kind = @kind']),
    ...(standing === undefined ? [] : [standing === 'saved' ? 'jobs.viewable = 1' : standingSql[standing]]),
    ...(model === undefined ? [] : ['jobs.model = @model']),
    ...(minRating ? ['verdicts.rating >= @minRating'] : []),
    ...(rating === undefined ? [] : ['COALESCE(verdicts.rating, 0) = @rating']),
    ...(flag === undefined ? [] : [flag === 'none' ? 'verdicts.flag IS NULL' : 'verdicts.flag = @flag']),
    ...(judged ? ['verdicts.flag IS NOT NULL'] : []),
  ];
}

/** Contains the text as it is: `%` and `_` are letters here. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
