import Database from 'better-sqlite3';

interface Statement {
  readonly database: Database.Database;
  run(...args: unknown[]): unknown;
}

/**
 * Calls `look` whenever this process has committed something: what it finds then is what a kill would leave. Stops when
 * the returned function is called.
 */
export function atEachCommit(look: () => void): () => void {
  const statement = new Database(':memory:').prepare('SELECT 1');
  const prototype = Object.getPrototypeOf(statement) as Statement;
  const { run } = prototype;
  prototype.run = function (this: Statement, ...args) {
    const result = run.apply(this, args);
    if (!this.database.inTransaction) look();
    return result;
  };
  return () => {
    prototype.run = run;
  };
}
