import Database from 'better-sqlite3';

/** What a statement may be given: objects and lists become JSON, a missing value NULL, a boolean 1 or 0. */
type Bound = string | number | bigint | boolean | null | undefined | object;

/** A part of a statement, with what is bound in it. */
export class Sql {
  readonly text: string;
  readonly bound: readonly Bound[];

  constructor(text: string, bound: readonly Bound[] = []) {
    this.text = text;
    this.bound = bound;
  }

  toString(): string {
    return this.text;
  }
}

/** SQL in which other SQL takes its place as it is, and each other value is bound. */
export function sql(texts: TemplateStringsArray, ...values: Bound[]): Sql {
  let [text = ''] = texts;
  const bound: Bound[] = [];
  for (const [index, value] of values.entries()) {
    if (value instanceof Sql) bound.push(...value.bound);
    else bound.push(value);
    text += (value instanceof Sql ? value.text : '?') + (texts[index + 1] ?? '');
  }
  return new Sql(text, bound);
}

/** All of these conditions. */
export const joined = (conditions: readonly Sql[]): Sql =>
  conditions.reduce((all, condition) => sql`${all} AND ${condition}`, sql`TRUE`);

/** Columns that say yes or no. */
const BOOLEAN = /^((is|was|has|may)[A-Z]|(copied|hidden|importing|verified)$)/;

/** More than there are in this program; searches have ever new ones. */
const MOST_STATEMENTS = 400;

interface Prepared {
  readonly statement: Database.Statement;
  /** The names that columns get in rows, with what was a 1 or 0 in SQL; null where rows stay as they are. */
  readonly names: readonly (readonly [column: string, name: string, isBoolean: boolean])[] | null;
}

/** A template of `sql`, or a text with its parameters: several bound by place, an object of its own by name. */
type Query = string | TemplateStringsArray;

/**
 * A connection that prepares each statement once. Rows have their columns in camel case (`task_id` as `taskId`), with
 * booleans where `BOOLEAN` says so.
 */
export class Connection extends Database {
  readonly #rows = new Map<string, Prepared>();
  readonly #values = new Map<string, Database.Statement>();

  /** The first row; null where there is none. */
  one<Row>(query: Query, ...parameters: Bound[]): Row | null {
    const { text, bound } = bind(query, parameters);
    const { statement, names } = this.#prepared(text);
    const row = statement.get(...bound);
    return row === undefined ? null : (renamed(row, names) as Row);
  }

  all<Row>(query: Query, ...parameters: Bound[]): Row[] {
    const { text, bound } = bind(query, parameters);
    const { statement, names } = this.#prepared(text);
    const rows = statement.all(...bound);
    return (names === null ? rows : rows.map((row) => renamed(row, names))) as Row[];
  }

  /** The first column of the first row; null where there is none. */
  value<Value>(query: Query, ...parameters: Bound[]): Value | null {
    const { text, bound } = bind(query, parameters);
    return (this.#plucked(text).get(...bound) as Value | undefined) ?? null;
  }

  /** The same for a number: 0 where there is none. */
  count(query: Query, ...parameters: Bound[]): number {
    return this.value<number>(query, ...parameters) ?? 0;
  }

  /** The first column of each row. */
  values<Value>(query: Query, ...parameters: Bound[]): Value[] {
    const { text, bound } = bind(query, parameters);
    return this.#plucked(text).all(...bound) as Value[];
  }

  /** Whether there is a row. */
  has(query: Query, ...parameters: Bound[]): boolean {
    const { text, bound } = bind(query, parameters);
    return this.#plucked(text).get(...bound) !== undefined;
  }

  /** Returns how many rows it changed. */
  run(query: Query, ...parameters: Bound[]): number {
    const { text, bound } = bind(query, parameters);
    return this.#prepared(text).statement.run(...bound).changes;
  }

  /** Returns the number of the row that it adds. */
  insert(query: Query, ...parameters: Bound[]): number {
    const { text, bound } = bind(query, parameters);
    return Number(this.#prepared(text).statement.run(...bound).lastInsertRowid);
  }

  /** All of it or, when it throws, nothing. */
  inOneCommit<Result>(work: () => Result): Result {
    return this.transaction(work).immediate();
  }

  #prepared(sql: string): Prepared {
    return remembered(this.#rows, sql, () => {
      const statement = this.prepare(sql);
      return { statement, names: statement.reader ? namesOf(statement.columns()) : null };
    });
  }

  #plucked(sql: string): Database.Statement {
    return remembered(this.#values, sql, () => this.prepare(sql).pluck());
  }
}

function remembered<Kept>(known: Map<string, Kept>, sql: string, make: () => Kept): Kept {
  const before = known.get(sql);
  if (before !== undefined) return before;
  const [oldest] = known.keys();
  if (known.size >= MOST_STATEMENTS && oldest !== undefined) known.delete(oldest);
  const made = make();
  known.set(sql, made);
  return made;
}

function namesOf(columns: readonly Database.ColumnDefinition[]): Prepared['names'] {
  const names = columns.map(({ name: column }) => {
    const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [column, name, BOOLEAN.test(name)] as const;
  });
  return names.some(([column, name, isBoolean]) => column !== name || isBoolean) ? names : null;
}

function renamed(row: unknown, names: Prepared['names']): unknown {
  if (names === null) return row;
  const columns = row as Readonly<Record<string, unknown>>;
  const named: Record<string, unknown> = {};
  for (const [column, name, isBoolean] of names) {
    named[name] = isBoolean ? columns[column] === 1 : columns[column];
  }
  return named;
}

function bind(query: Query, parameters: readonly Bound[]): { readonly text: string; readonly bound: unknown[] } {
  if (typeof query !== 'string') {
    const { text, bound } = sql(query, ...parameters);
    return { text, bound: bound.map(toColumn) };
  }
  const [first] = parameters;
  if (parameters.length !== 1 || !isRecord(first)) return { text: query, bound: parameters.map(toColumn) };
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(first)) named[name] = toColumn(value);
  return { text: query, bound: [named] };
}

const isRecord = (value: Bound): value is Record<string, Bound> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

function toColumn(value: Bound): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value ?? null;
  return JSON.stringify(value);
}

/**
 * Two connections to one file. `facts` syncs every commit to disk (`synchronous=FULL`): intents, task ids, results.
 * `hints` does not: next poll times, learned rates; losing the last of them costs a poll, never money. Both are
 * used from one thread and never hold a transaction across an await, so they cannot wait for each other.
 *
 * SQLite looks at a parameter in `LIMIT ?`, and in `= ?` beside an ORDER BY or a MIN, and then plans the statement again
 * at each use, which takes ten times as long as to run it. A plus before the parameter keeps it from that.
 */
export interface EngineDatabase {
  readonly facts: Connection;
  readonly hints: Connection;
  close(): void;
}

/** Statements about one thing. What a method of a store writes belongs in the commit of its caller, if there is one. */
export abstract class Store {
  protected readonly facts: Connection;
  protected readonly hints: Connection;

  constructor({ facts, hints }: Pick<EngineDatabase, 'facts' | 'hints'>) {
    this.facts = facts;
    this.hints = hints;
  }

  /** All of it or, when it throws, nothing. */
  inOneCommit<Result>(work: () => Result): Result {
    return this.facts.inOneCommit(work);
  }
}

/** A row without its empty columns, for a type whose fields are missing where nothing is known. */
export function withoutNulls<Row extends object>(row: Row): WithoutNulls<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>;
}

type WithoutNulls<Row> = {
  [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name];
} & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: Exclude<Row[Name], null>;
};
