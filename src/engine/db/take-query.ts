import type { Grouping, TakeFilter } from '../../contract/review.ts';
import { type FileNumber, isFileNumber, parseTakeSearch, type SearchTerm } from '../../contract/take-search.ts';
import { joined, sql, Sql } from './connection.ts';
import { standingSql } from './job-sql.ts';

export type TakesWanted = Omit<TakeFilter, 'sort' | 'group'>;

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
const EVERY_TAKE = sql`batches INDEXED BY batches_in_order
  CROSS JOIN jobs INDEXED BY jobs_in_order ON jobs.batch_id = batches.id`;

/** These need no sorting either. */
const NEWEST_TAKES = sql`jobs INDEXED BY jobs_newest`;

/** Nor do these, when the order names the first table. */
const TAKES_BY_RATING = sql`ratings CROSS JOIN batches INDEXED BY batches_in_order
  CROSS JOIN jobs INDEXED BY jobs_by_rating ON jobs.batch_id = batches.id AND jobs.rating = ratings.rating`;

/** The ids of takes of a project that are something which no column says; asked only where a search has it. */
export type Derived = Readonly<Record<'stale', (projectId: string) => Iterable<string>>>;

export function takeQuery(
  wanted: TakesWanted,
  {
    sort = 'list',
    group,
    fromEnd = false,
  }: { sort?: TakeFilter['sort']; group?: Grouping | undefined; fromEnd?: boolean },
  derived: Derived,
) {
  const { from, within, order } = group ? groupedSource(wanted, sort, group) : sourceFor(wanted, sort);
  return {
    from: sql`FROM ${from} WHERE ${joined([...within, ...toConditions(wanted), ...toSearch(wanted, derived)])}`,
    order: new Sql((fromEnd ? order.map(reversed) : order).join(', ')),
  };
}

/** The table or index to start from, so that an index gives the order where it can, within project and batch. */
function sourceFor({ projectId, batchId, standing }: TakesWanted, sort: TakeFilter['sort']) {
  if (standing === 'saved' && sort === 'newest') {
    const inBatch = batchId === undefined ? [] : [sql`jobs.batch_id = ${batchId}`];
    return { from: NEWEST_TAKES, within: [sql`jobs.project_id = ${projectId}`, ...inBatch], order: ORDERS.newest };
  }
  // With the `+` the id still counts as ordered by the index; without it SQLite sorts.
  const inBatch = batchId === undefined ? [] : [sql`+batches.id = ${batchId}`];
  const within = [sql`batches.project_id = ${projectId}`, ...inBatch];
  return standing === 'saved' && sort === 'rating'
    ? { from: TAKES_BY_RATING, within, order: ['ratings.rating DESC', ...IN_LIST] }
    : { from: EVERY_TAKE, within, order: ORDERS[sort] };
}

interface GroupSql {
  readonly order: readonly string[];
  readonly name: string;
  /** What distinguishes the groups, where fewer columns do: sorting by one takes half the time of three. */
  readonly apart?: string;
}

const GROUPS: Readonly<Record<Grouping['by'], GroupSql>> = {
  batch: { order: ['batches.created_at', 'batches.id'], name: 'batches.name' },
  shot: { order: IN_LIST.slice(0, -1), name: 'jobs.shot_key' },
  model: { order: ['jobs.model'], name: 'jobs.model' },
  verdict: {
    order: [`iif(jobs.flag IS 'pick', 0, iif(jobs.flag IS 'alternate', 1, iif(jobs.flag IS NULL, 2, 3)))`],
    name: `IFNULL(jobs.flag, 'none')`,
  },
  tag: {
    order: [`jobs.tags = '[]'`, 'jobs.tags'],
    name: `(SELECT IFNULL(group_concat(value, ', '), '') FROM json_each(jobs.tags))`,
    apart: 'jobs.tags',
  },
  // As the lists have them first, the earliest list before the others; takes without a value come last.
  column: {
    order: ['IFNULL(own.first, 9e999)', 'own.value'],
    name: `IFNULL(own.value, '')`,
    apart: 'own.value',
  },
};

export function groupSql({ by }: Grouping): { name: Sql; apart: Sql; order: Sql } {
  const { name, order, apart = order.join(', ') } = GROUPS[by];
  return { name: new Sql(name), apart: new Sql(apart), order: new Sql(order.join(', ')) };
}

function groupedSource(wanted: TakesWanted, sort: TakeFilter['sort'], group: Grouping) {
  const { within } = sourceFor(wanted, 'list');
  // The limit keeps SQLite from merging the inner query: its rows, one a shot, are then read once and looked up by shot.
  const inLists = sql`shot_columns.name = ${group.by === 'column' ? group.column : null}
    AND shot_columns.batch_id IN (SELECT id FROM batches WHERE project_id = ${wanted.projectId})`;
  const own = sql`LEFT JOIN (SELECT shot_id, shot_columns.value, first FROM shot_columns JOIN (
      SELECT value, MIN(batches.created_at * 1000000 + shots.position) AS first FROM shot_columns
        JOIN batches ON batches.id = shot_columns.batch_id JOIN shots ON shots.id = shot_columns.shot_id
        WHERE ${inLists} GROUP BY value
    ) AS firsts ON firsts.value = shot_columns.value WHERE ${inLists} LIMIT -1
  ) AS own ON own.shot_id = jobs.shot_id`;
  return {
    from: group.by === 'column' ? sql`${EVERY_TAKE} ${own}` : EVERY_TAKE,
    within,
    order: [...GROUPS[group.by].order, ...ORDERS[sort]],
  };
}

function toConditions({ projectId, kind, standing, model, minRating, rating, flag, since }: TakesWanted): Sql[] {
  return [
    ...(kind === undefined ? [] : [sql`jobs.kind = ${kind}`]),
    ...(standing === undefined ? [] : [shownSql(projectId, standing)]),
    ...(model === undefined ? [] : [sql`jobs.model = ${model}`]),
    ...(minRating ? [sql`jobs.rating >= ${minRating}`] : []),
    ...(rating === undefined ? [] : [sql`jobs.rating = ${rating}`]),
    ...(flag === undefined ? [] : [flagSql(flag)]),
    // By their index first: the others are not looked at.
    ...(since === undefined
      ? []
      : [
          sql`jobs.seq IN (SELECT seq FROM jobs INDEXED BY jobs_newest
            WHERE project_id = ${projectId} AND viewable = 1 AND updated_at >= ${since} AND saved_at >= ${since})`,
        ]),
  ];
}

const flagSql = (flag: string): Sql => (flag === 'none' ? sql`jobs.flag IS NULL` : sql`jobs.flag IS ${flag}`);

/** By state as review shows takes: saved takes can be viewed, and those in the trash are found only there. */
function shownSql(projectId: string, standing: NonNullable<TakeFilter['standing']>): Sql {
  switch (standing) {
    case 'saved':
      return sql`jobs.viewable = 1`;
    case 'trashed':
      // Few of many, and found by a separate index.
      return sql`jobs.seq IN (SELECT seq FROM jobs WHERE project_id = ${projectId} AND trash IS NOT NULL)`;
    default:
      return standingSql[standing];
  }
}

/** Conditions on a row of `jobs`, one a term. An unparsable search finds nothing; the parser tells the person why. */
function toSearch({ projectId, text }: TakesWanted, derived: Derived): Sql[] {
  const search = parseTakeSearch(text ?? '');
  if (!search.ok) return [sql`FALSE`];
  const words = search.terms.filter((term) => term.by === 'words');
  const others = search.terms.flatMap((term) =>
    term.by === 'words' ? [] : [unless(term.isNot, toCondition(projectId, term, derived))],
  );
  return words.length === 0 ? others : [...others, withWords(projectId, words)];
}

/** With three digits, as people write 23.976. */
const fileNumbers: Readonly<Record<FileNumber, Sql>> = {
  fps: sql`round(1.0 * (outputs.facts ->> '$.rate.num') / (outputs.facts ->> '$.rate.den'), 3)`,
  frames: sql`outputs.facts ->> '$.frames'`,
  width: sql`outputs.facts ->> '$.width'`,
  height: sql`outputs.facts ->> '$.height'`,
};

const ofAnyFile = (fits: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM outputs WHERE outputs.job_id = jobs.id AND outputs.file IS NOT NULL AND ${fits})`;

const unless = (isNot: boolean, condition: Sql): Sql => (isNot ? sql`NOT (${condition})` : condition);

/** Shots are searched as stored JSON, a tenth of the time of parsing; possible matches are then checked by field. */
const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Ids are long: the end of one is an id from here on, as lists show it, and no word by chance. */
const SHORTEST_ID = 6;

/** Parts with anything between them; `%` and `_` are ordinary characters here. */
function like(...parts: readonly string[]): Sql {
  const pattern = parts.map((part) => part.replace(/[\\%_]/g, String.raw`\$&`)).join('%');
  return sql`LIKE ${pattern} ESCAPE '\\'`;
}

type Term<By extends SearchTerm['by']> = Extract<SearchTerm, { by: By }>;

const batchesFor = (projectId: string): Sql => sql`SELECT id FROM batches WHERE project_id = ${projectId}`;

const inProject = (projectId: string): Sql => sql`shots.batch_id IN (${batchesFor(projectId)})`;

const hasTags = (projectId: string): Sql => sql`project_id = ${projectId} AND tags <> '[]'`;

function toCondition(projectId: string, term: Exclude<SearchTerm, { by: 'words' }>, derived: Derived): Sql {
  switch (term.by) {
    case 'number':
      return isFileNumber(term.field)
        ? ofAnyFile(sql`${fileNumbers[term.field]} ${new Sql(term.comparison)} ${term.number}`)
        : sql`${new Sql(`jobs.${term.field} ${term.comparison}`)} ${term.number}`;
    case 'choice':
      return choiceSql(projectId, term, derived);
    case 'column':
      // Columns are compared by name without case, as when lists are read.
      return sql`jobs.shot_id IN (SELECT shot_id FROM shot_columns
        WHERE batch_id IN (${batchesFor(projectId)}) AND name = ${term.column} AND value ${like(...term.pattern)})`;
    case 'text':
      return textSql(projectId, term);
  }
}

/**
 * The takes that fit all words. Each shot is read once for all of them. What takes have for themselves is looked
 * through for a word only once a take comes that its shot does not answer for.
 */
function withWords(projectId: string, words: readonly Term<'words'>[]): Sql {
  const column = (index: number): Sql => new Sql(`word${String(index)}`);
  const found = words
    .map((term, index) => sql`${inShot(term.words)} AS ${column(index)}`)
    .reduce((all, each) => sql`${all}, ${each}`);
  const fits = words.map(({ isNot, words: text }, index) => {
    const isFound = sql`searched.${column(index)} OR own.seq IN (${ofTakes(text)})`;
    return sql`(${unless(isNot, isFound)})`;
  });
  return sql`jobs.seq IN (
    WITH searched AS MATERIALIZED (SELECT shots.id, ${found} FROM shots WHERE ${inProject(projectId)})
    SELECT own.seq FROM searched CROSS JOIN jobs AS own ON own.shot_id = searched.id WHERE ${joined(fits)})`;
}

function choiceSql(projectId: string, { field, choice }: Term<'choice'>, derived: Derived): Sql {
  if (field === 'flag') return flagSql(choice);
  if (field === 'state') return shownSql(projectId, choice as NonNullable<TakeFilter['standing']>);
  switch (choice) {
    case 'stale':
      return sql`jobs.id IN (SELECT value FROM json_each(${[...derived.stale(projectId)]}))`;
    case 'vfr':
      return ofAnyFile(sql`outputs.facts ->> '$.isVariable'`);
    case 'retake':
      return sql`EXISTS (SELECT 1 FROM take_sources WHERE job_id = jobs.id AND how = 'retake')`;
    case 'marked':
      return sql`jobs.id IN (SELECT job_id FROM verdicts WHERE marks <> '[]')`;
    case 'rating':
      return sql`jobs.rating > 0`;
    case 'flag':
      return sql`jobs.flag IS NOT NULL`;
    case 'tag':
      return sql`jobs.seq IN (SELECT seq FROM jobs WHERE ${hasTags(projectId)})`;
    case 'file':
      return sql`(jobs.trash IS NOT 'emptied'
        AND EXISTS (SELECT 1 FROM outputs WHERE outputs.job_id = jobs.id AND outputs.file IS NOT NULL))`;
    default:
      return sql`(EXISTS (SELECT 1 FROM verdicts WHERE verdicts.job_id = jobs.id
          AND (verdicts.note <> '' OR verdicts.frame_notes <> '[]'))
        OR jobs.shot_id IN (SELECT id FROM shots
          WHERE spec LIKE '%"notes":"%' AND spec ->> '$.notes' <> '' AND ${inProject(projectId)}))`;
  }
}

function textSql(projectId: string, { field, pattern }: Term<'text'>): Sql {
  const fits = like(...pattern);
  switch (field) {
    case 'shot':
      return sql`jobs.shot_key ${fits}`;
    case 'model':
    case 'kind':
      return sql`${new Sql(`jobs.${field}`)} ${fits}`;
    case 'tag':
      return sql`jobs.seq IN (SELECT seq FROM jobs WHERE ${hasTags(projectId)} AND tags ${quoted(pattern)}
        AND EXISTS (SELECT 1 FROM json_each(tags) AS own WHERE own.value ${fits}))`;
    case 'batch':
      return sql`jobs.batch_id IN (${batchesFor(projectId)} AND name ${fits})`;
    case 'id':
      // Lists show the last characters.
      return sql`jobs.id ${like('', ...pattern)}`;
    case 'task':
      return sql`IFNULL(jobs.task_id, '') ${fits}`;
    case 'prompt':
      return sql`jobs.shot_id IN (SELECT id FROM shots WHERE spec ->> '$.prompt' ${fits} AND ${inProject(projectId)})`;
    case 'note':
      return sql`(jobs.shot_id IN (SELECT id FROM shots WHERE spec ->> '$.notes' ${fits} AND ${inProject(projectId)})
        OR jobs.id IN (SELECT job_id FROM verdicts WHERE note ${fits})
        OR jobs.id IN (SELECT verdicts.job_id ${frameNotes(fits)}))`;
    case 'file':
      return ofAnyFile(sql`outputs.file ${fits}`);
  }
}

/** Whether the row of `shots` has words. */
function inShot(words: string): Sql {
  const fits = like('', words, '');
  return sql`iif(shots.spec ${like('', asJson(words), '')} AND (shots.spec ->> '$.prompt' ${fits} OR shots.key ${fits}
    OR shots.spec ->> '$.notes' ${fits} OR shots.spec ->> '$.model' ${fits}
    OR EXISTS (SELECT 1 FROM json_each(shots.spec, '$.columns') AS own WHERE own.value ${fits})), TRUE, FALSE)`;
}

/** A SELECT of `seq` of the takes that have words for themselves. */
function ofTakes(words: string): Sql {
  const fits = like('', words, '');
  const byId =
    words.length < SHORTEST_ID ? sql`` : sql`UNION ALL SELECT jobs.seq FROM jobs WHERE jobs.id ${like('', words)}`;
  return sql`SELECT jobs.seq FROM outputs CROSS JOIN jobs ON jobs.id = outputs.job_id WHERE outputs.file ${fits}
    UNION ALL SELECT jobs.seq FROM verdicts CROSS JOIN jobs ON jobs.id = verdicts.job_id WHERE verdicts.note ${fits}
    UNION ALL SELECT jobs.seq ${frameNotes(fits)} ${byId}`;
}

/** The notes at frames that fit, joined with their takes. */
const frameNotes = (fits: Sql): Sql => sql`FROM verdicts CROSS JOIN json_each(verdicts.frame_notes) AS own
  CROSS JOIN jobs ON jobs.id = verdicts.job_id
  WHERE verdicts.frame_notes <> '[]' AND own.value ->> '$.text' ${fits}`;

/** No tag contains a quotation mark, so a quoted one is found in the JSON of them all. */
function quoted(pattern: readonly string[]): Sql {
  const [first = '', ...others] = pattern.map((part) => asJson(part.normalize('NFC')));
  const parts = others.length === 0 ? [`"${first}"`] : [`"${first}`, ...others.slice(0, -1), `${others.at(-1) ?? ''}"`];
  return like('', ...parts, '');
}
