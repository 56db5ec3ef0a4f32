import Database from 'better-sqlite3';

/** What a statement may be given: objects and lists become JSON, a missing value NULL, a boolean 1 or 0. */
type Bound = string | number | bigint | boolean | null | undefined | object;

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

export const joined = (conditions: readonly Sql[]): Sql =>
  conditions.reduce((all, condition) => sql`${all} AND ${condition}`, sql`TRUE`);

const BOOLEAN = /^((is|was|has|may)[A-Z]|(copied|hidden|importing|verified)$)/;
/** Columns of JSON. An expression over one has no column, so it is read as JSON only under such a name. */
const JSON_TEXT =
  /^(asked|cells|days|extras|facts|failure|files|filter|frame_notes|marks|params|request|samples|spec|tags)$/;

/** More than there are in this program; searches have ever new ones. */
const MAX_STATEMENTS = 800;

interface Column {
  readonly column: string;
  readonly name: string;
  readonly read: (value: unknown) => unknown;
}

interface Prepared {
  readonly statement: Database.Statement;
  /** Empty for a statement that returns no rows. */
  readonly columns: readonly Column[];
  /** Some of them differ in a row from what SQL returns. */
  readonly isRead: boolean;
}

/** A template as `sql` takes it. */
type Query = [texts: TemplateStringsArray, ...values: Bound[]];

/** A connection that prepares each statement once. Columns in camel case, `BOOLEAN` as booleans, `JSON_TEXT` parsed. */
export class Connection extends Database {
  /** By the template, or by the text of one with other SQL in it. */
  readonly #prepared = new Map<TemplateStringsArray | string, Prepared>();

  one<Row>(...query: Query): Row | null {
    const { prepared, bound } = this.#bind(query);
    const row = first(prepared.statement.pluck(false), bound);
    return row === undefined ? null : (read(row, prepared) as Row);
  }

  all<Row>(...query: Query): Row[] {
    const { prepared, bound } = this.#bind(query);
    const rows = prepared.statement.pluck(false).all(...bound);
    return (prepared.isRead ? rows.map((row) => read(row, prepared)) : rows) as Row[];
  }

  /** The first column of the first row; null where there is none. */
  value<Value>(...query: Query): Value | null {
    const { prepared, bound } = this.#bind(query);
    const value = first(prepared.statement.pluck(), bound);
    return value === undefined ? null : (prepared.columns[0]?.read(value) as Value);
  }

  /** The same for a number: 0 where there is none. */
  count(...query: Query): number {
    return this.value<number>(...query) ?? 0;
  }

  values<Value>(...query: Query): Value[] {
    const { prepared, bound } = this.#bind(query);
    const values = prepared.statement.pluck().all(...bound);
    return (prepared.isRead ? values.map((value) => prepared.columns[0]?.read(value)) : values) as Value[];
  }

  has(...query: Query): boolean {
    const { prepared, bound } = this.#bind(query);
    return prepared.statement.pluck().get(...bound) !== undefined;
  }

  run(...query: Query): number {
    const { prepared, bound } = this.#bind(query);
    return prepared.statement.run(...bound).changes;
  }

  insert(...query: Query): number {
    const { prepared, bound } = this.#bind(query);
    return Number(prepared.statement.run(...bound).lastInsertRowid);
  }

  inOneCommit<Result>(work: () => Result): Result {
    return this.transaction(work).immediate();
  }

  #bind([texts, ...values]: Query): { readonly prepared: Prepared; readonly bound: unknown[] } {
    if (!values.some((value) => value instanceof Sql))
      return { prepared: this.#known(texts), bound: values.map(toColumn) };
    const { text, bound } = sql(texts, ...values);
    return { prepared: this.#known(text), bound: bound.map(toColumn) };
  }

  #known(query: TemplateStringsArray | string): Prepared {
    const before = this.#prepared.get(query);
    if (before !== undefined) return before;
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size >= MAX_STATEMENTS && oldest !== undefined) this.#prepared.delete(oldest);
    const statement = this.prepare(typeof query === 'string' ? query : query.join('?'));
    const columns = statement.reader ? statement.columns().map(describeColumn) : [];
    const isRead = columns.some(({ column, name, read: reads }) => column !== name || reads !== unchanged);
    const made = { statement, columns, isRead };
    this.#prepared.set(query, made);
    return made;
  }
}

/** better-sqlite3 commits what a `get` wrote after it has the row, and then says nothing of a commit that failed. */
const first = (statement: Database.Statement, bound: readonly unknown[]): unknown =>
  statement.readonly ? statement.get(...bound) : statement.all(...bound)[0];

const unchanged = (value: unknown): unknown => value;

function describeColumn({ name: column, column: origin }: Database.ColumnDefinition): Column {
  const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (BOOLEAN.test(name)) return { column, name, read: (value) => value === 1 };
  const isJson = JSON_TEXT.test(origin ?? name);
  return { column, name, read: isJson ? fromJson : unchanged };
}

const fromJson = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

function read(row: unknown, { columns, isRead }: Prepared): unknown {
  if (!isRead) return row;
  const values = row as Readonly<Record<string, unknown>>;
  const named: Record<string, unknown> = {};
  for (const { column, name, read: reads } of columns) named[name] = reads(values[column]);
  return named;
}

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

type Connections = Pick<EngineDatabase, 'facts' | 'hints'>;

/** Statements about one thing. What a method of a store writes belongs in the commit of its caller, if there is one. */
export abstract class Store {
  protected readonly db: Connections;
  protected readonly facts: Connection;
  protected readonly hints: Connection;

  constructor(db: Connections) {
    this.db = db;
    this.facts = db.facts;
    this.hints = db.hints;
  }

  inOneCommit<Result>(work: () => Result): Result {
    return this.facts.inOneCommit(work);
  }
}

/** A row without its empty columns, for a type whose fields are missing where nothing is known. */
export const withoutNulls = <Known>(row: object): Known =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Known;
