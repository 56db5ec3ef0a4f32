import type { TakeFilter } from '../../contract/review.ts';
import type { SearchTerm } from '../../contract/take-search.ts';
import { standingSql } from './standing-sql.ts';

export interface SearchSql {
  /** Conditions on a row of `jobs`, each for one term. */
  readonly conditions: readonly string[];
  readonly parameters: Readonly<Record<string, string | number>>;
}

/** By state as review shows takes: saved takes can be viewed, and those in the trash are found only there. */
export function shownSql(standing: NonNullable<TakeFilter['standing']>): string {
  switch (standing) {
    case 'saved':
      return 'jobs.viewable = 1';
    case 'trashed':
      // Few of many, and found by a separate index.
      return 'jobs.seq IN (SELECT seq FROM jobs WHERE project_id = @projectId AND trash IS NOT NULL)';
    default:
      return standingSql[standing];
  }
}

const OF_PROJECT = 'shots.batch_id IN (SELECT id FROM batches WHERE project_id = @projectId)';

export function searchSql(terms: readonly SearchTerm[]): SearchSql {
  const parameters: Record<string, string | number> = {};
  const bindTo =
    (index: number): Bind =>
    (value, part = '') => {
      const name = `search${String(index)}${part}`;
      parameters[name] = value;
      return `@${name}`;
    };
  const words: (WordSql & { isNot: boolean })[] = [];
  const conditions: string[] = [];
  terms.forEach((term, index) => {
    if (term.by === 'words') words.push({ ...wordSql(term.words, bindTo(index)), isNot: term.isNot });
    else conditions.push(unless(term.isNot, conditionOf(term, bindTo(index))));
  });
  return { conditions: words.length === 0 ? conditions : [...conditions, withWords(words)], parameters };
}

const unless = (isNot: boolean, condition: string): string => (isNot ? `NOT (${condition})` : condition);

/** Makes a value a parameter and returns its name; `part` when a term has several. */
type Bind = (value: string | number, part?: string) => string;

function conditionOf(term: Exclude<SearchTerm, { by: 'words' }>, bind: Bind): string {
  switch (term.by) {
    case 'number':
      return `jobs.${term.field} ${term.comparison} ${bind(term.number)}`;
    case 'choice':
      return withChoice(term.field, term.choice);
    case 'column':
      return withColumn(term, bind);
    case 'text':
      return withText(term, bind);
  }
}

/**
 * Shots are searched as their stored JSON, which takes a tenth of the time of parsing it; possible matches are then
 * checked field by field.
 */
const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Ids are long: the end of one is an id from here on, as lists show it, and no word by chance. */
const SHORTEST_ID = 6;

/** Where words are found: in the row of `shots`, or in what each take has for itself. */
interface WordSql {
  readonly inShot: string;
  /** A SELECT of `seq`. */
  readonly ofTakes: string;
}

function wordSql(words: string, bind: Bind): WordSql {
  const like = String.raw`LIKE ${bind(likeOf(['', words, '']))} ESCAPE '\'`;
  const inJson = String.raw`LIKE ${bind(likeOf(['', asJson(words), '']), 'json')} ESCAPE '\'`;
  const isId = String.raw`jobs.id LIKE ${bind(likeOf(['', words]), 'id')} ESCAPE '\'`;
  return {
    inShot: `iif(shots.spec ${inJson} AND (shots.spec ->> '$.prompt' ${like} OR shots.key ${like}
      OR shots.spec ->> '$.notes' ${like} OR shots.spec ->> '$.model' ${like}
      OR EXISTS (SELECT 1 FROM json_each(shots.spec, '$.columns') AS own WHERE own.value ${like})), TRUE, FALSE)`,
    ofTakes: `SELECT jobs.seq FROM outputs CROSS JOIN jobs ON jobs.id = outputs.job_id WHERE outputs.file ${like}
      UNION ALL SELECT jobs.seq FROM verdicts CROSS JOIN jobs ON jobs.id = verdicts.job_id WHERE verdicts.note ${like}
      ${words.length < SHORTEST_ID ? '' : `UNION ALL SELECT jobs.seq FROM jobs WHERE ${isId}`}`,
  };
}

const columnOf = (index: number): string => `word${index}`;

/**
 * The takes that fit all words. Each shot is read once for all of them. What takes have for themselves is looked through
 * for a word only once a take comes that its shot does not answer for.
 */
function withWords(words: readonly (WordSql & { isNot: boolean })[]): string {
  const found = words.map(({ inShot }, index) => `${inShot} AS ${columnOf(index)}`).join(', ');
  const fits = words
    .map(({ isNot, ofTakes }, index) => unless(isNot, `searched.${columnOf(index)} OR own.seq IN (${ofTakes})`))
    .map((condition) => `(${condition})`);
  return `jobs.seq IN (
    WITH searched AS MATERIALIZED (SELECT shots.id, ${found} FROM shots WHERE ${OF_PROJECT})
    SELECT own.seq FROM searched CROSS JOIN jobs AS own ON own.shot_id = searched.id WHERE ${fits.join(' AND ')})`;
}

function withChoice(field: Extract<SearchTerm, { by: 'choice' }>['field'], choice: string): string {
  switch (field) {
    case 'flag':
      return choice === 'none' ? 'jobs.flag IS NULL' : `jobs.flag IS '${choice === 'pick' ? 'pick' : 'reject'}'`;
    case 'state':
      return shownSql(choice as NonNullable<TakeFilter['standing']>);
    case 'has':
      return HAS[choice as keyof typeof HAS];
  }
}

/** What the index of takes with tags answers. */
const HAS_TAGS = `project_id = @projectId AND tags <> '[]'`;

const HAS = {
  rating: 'jobs.rating > 0',
  flag: 'jobs.flag IS NOT NULL',
  tag: `jobs.seq IN (SELECT seq FROM jobs WHERE ${HAS_TAGS})`,
  file: `(jobs.trash IS NOT 'emptied'
    AND EXISTS (SELECT 1 FROM outputs WHERE outputs.job_id = jobs.id AND outputs.file IS NOT NULL))`,
  note: `(EXISTS (SELECT 1 FROM verdicts WHERE verdicts.job_id = jobs.id AND verdicts.note <> '')
    OR jobs.shot_id IN (SELECT id FROM shots
      WHERE spec LIKE '%"notes":"%' AND spec ->> '$.notes' <> '' AND ${OF_PROJECT}))`,
} as const;

function withText({ field, pattern }: Extract<SearchTerm, { by: 'text' }>, bind: Bind): string {
  const like = String.raw`LIKE ${bind(likeOf(pattern))} ESCAPE '\'`;
  switch (field) {
    case 'shot':
      return `jobs.shot_key ${like}`;
    case 'model':
    case 'kind':
      return `jobs.${field} ${like}`;
    case 'tag':
      return withTag(pattern, like, bind);
    case 'batch':
      return `jobs.batch_id IN (SELECT id FROM batches WHERE project_id = @projectId AND name ${like})`;
    case 'id':
      // Lists show the last characters.
      return String.raw`jobs.id LIKE ${bind(likeOf(['', ...pattern]), 'id')} ESCAPE '\'`;
    case 'task':
      return `IFNULL(jobs.task_id, '') ${like}`;
    case 'prompt':
      return `jobs.shot_id IN (SELECT id FROM shots WHERE spec ->> '$.prompt' ${like} AND ${OF_PROJECT})`;
    case 'note':
      return `(jobs.shot_id IN (SELECT id FROM shots WHERE spec ->> '$.notes' ${like} AND ${OF_PROJECT})
        OR jobs.id IN (SELECT job_id FROM verdicts WHERE note ${like}))`;
    case 'file':
      return `EXISTS (SELECT 1 FROM outputs WHERE outputs.job_id = jobs.id AND outputs.file ${like})`;
  }
}

/** No tag contains a quotation mark, so a quoted one is found in the JSON of them all. */
function withTag(pattern: readonly string[], like: string, bind: Bind): string {
  const [first = '', ...others] = pattern.map((part) => asJson(part.normalize('NFC')));
  const quoted =
    others.length === 0 ? [`"${first}"`] : [`"${first}`, ...others.slice(0, -1), `${others.at(-1) ?? ''}"`];
  const json = String.raw`tags LIKE ${bind(likeOf(['', ...quoted, '']), 'json')} ESCAPE '\'`;
  return `jobs.seq IN (SELECT seq FROM jobs WHERE ${HAS_TAGS} AND ${json}
    AND EXISTS (SELECT 1 FROM json_each(tags) AS own WHERE own.value ${like}))`;
}

/** Columns are compared by name without case, as when lists are read. */
function withColumn({ column, pattern }: Extract<SearchTerm, { by: 'column' }>, bind: Bind): string {
  return String.raw`jobs.shot_id IN (SELECT shot_id FROM shot_columns
    WHERE batch_id IN (SELECT id FROM batches WHERE project_id = @projectId) AND name = ${bind(column, 'column')}
      AND value LIKE ${bind(likeOf(pattern))} ESCAPE '\')`;
}

/** Parts with anything between them; `%` and `_` are ordinary characters here. */
const likeOf = (parts: readonly string[]): string =>
  parts.map((part) => part.replace(/[\\%_]/g, String.raw`\$&`)).join('%');
