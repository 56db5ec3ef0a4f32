import Database from 'better-sqlite3';
import { subscribe } from 'node:diagnostics_channel';
import fs, { readlinkSync, statSync, truncateSync } from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { relative, sep } from 'node:path';
import { promisify } from 'node:util';

/**
 * Every moment at which a kill makes a difference: after each durable write of the process, and around each message to
 * and from the service. The moment before a write is the moment after the previous one. The product knows nothing of
 * this: its calls are wrapped from outside. A point is named by what happens there and by how often it has happened in
 * this process.
 */
export class KillPoints {
  readonly reached: string[] = [];
  readonly #times = new Map<string, number>();
  readonly #atPoint: (name: string) => void;

  constructor(atPoint: (name: string) => void) {
    this.#atPoint = atPoint;
  }

  pass(what: string): void {
    const times = (this.#times.get(what) ?? 0) + 1;
    this.#times.set(what, times);
    const name = `${what} #${times}`;
    this.reached.push(name);
    this.#atPoint(name);
  }
}

/** From here on SQLite moves the log into the database, and starts it over: 1,000 pages with their heads. */
const LOG_IS_CHECKPOINTED_AT = 1000 * (4096 + 24);

/** How much of the write-ahead log of each database is on the disk for certain, bytes. */
const syncedLogs = new Map<string, number>();

/** Takes back what was committed without a sync: after a power cut the disk may not have it. */
export function loseUnsyncedCommits(): void {
  for (const [log, bytes] of syncedLogs) truncateSync(log, bytes);
}

/** To be called after each write. Its log must never begin again from its start: then its length would say nothing. */
function noteSynced(database: Database.Database): void {
  if (database.inTransaction || database.pragma('synchronous', { simple: true }) !== 2) return;
  const log = `${database.name}-wal`;
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < LOG_IS_CHECKPOINTED_AT) syncedLogs.set(log, bytes);
  else throw new Error('The film has become too long for its log to be cut.');
}

/** Wraps the database, the files below `folder`, and the requests of this process. */
export async function watchEverything(points: KillPoints, folder: string): Promise<void> {
  watchDatabase(points);
  await watchFiles(points, folder);
  watchRequests(points);
}

type Run = (this: { readonly source: string; readonly database: Database.Database }, ...args: unknown[]) => unknown;

/** Each write, each commit: whatever store of the engine it comes from. */
function watchDatabase(points: KillPoints): void {
  const statement = new Database(':memory:').prepare('SELECT 1');
  const prototype = Object.getPrototypeOf(statement) as { run: Run };
  const run = prototype.run;
  let underWay: string[] = [];
  prototype.run = function (...args) {
    const what = writeName(this.source, args[0]);
    if (what === null) return run.apply(this, args);
    const result = run.apply(this, args);
    noteSynced(this.database);
    // A transaction is named by what it holds.
    if (what === 'COMMIT') points.pass(`after commit (${[...new Set(underWay)].join(', ') || 'schema'})`);
    else if (what !== 'BEGIN') points.pass(`after ${what}`);
    underWay = what === 'BEGIN' ? [] : [...underWay, what];
    return result;
  };
}

/** `BEGIN`, `insert attempts`, `update jobs to accepted`, `COMMIT`; null for what writes nothing. */
function writeName(sql: string, parameters: unknown): string | null {
  const [, verb, table] = /^\s*(BEGIN|COMMIT|INSERT|UPDATE|DELETE)(?:\s+(?:INTO|FROM))?\s*(\w*)/.exec(sql) ?? [];
  if (verb === undefined || verb === 'BEGIN' || verb === 'COMMIT') return verb ?? null;
  const state = (parameters as { state?: unknown } | undefined)?.state;
  return `${verb.toLowerCase()} ${table ?? ''}${typeof state === 'string' ? ` to ${state}` : ''}`;
}

type Act = (...args: unknown[]) => Promise<unknown>;

/** Files that are made, written, synced, renamed, linked and removed. */
async function watchFiles(points: KillPoints, folder: string): Promise<void> {
  const nameOf = (path: unknown) => placeName(relative(folder, withoutHandle(String(path))));
  const functions = fsPromises as unknown as Record<string, Act>;
  const afterEach = (verb: string, note: (result: unknown, args: unknown[]) => void): void => {
    const act = functions[verb];
    if (!act) throw new Error(`node:fs/promises has no ${verb}`);
    functions[verb] = async (...args) => {
      const result = await act(...args);
      note(result, args);
      return result;
    };
  };
  for (const verb of ['rename', 'link', 'unlink', 'rm', 'copyFile']) {
    afterEach(verb, (_, [from, to]) => points.pass(`after ${verb} ${nameOf(typeof to === 'string' ? to : from)}`));
  }
  afterEach('mkdir', (made, [path, options]) => {
    const wasThere = made === undefined && (options as { recursive?: boolean } | undefined)?.recursive === true;
    if (!wasThere) points.pass(`after mkdir ${nameOf(path)}`);
  });
  const places = new WeakMap<object, string>();
  afterEach('open', (handle, [path, flags]) => {
    places.set(handle as object, nameOf(path));
    if (String(flags).startsWith('w')) points.pass(`after open ${nameOf(path)}`);
  });

  const some = await fsPromises.open(process.execPath, 'r');
  const handles = Object.getPrototypeOf(some) as Record<string, (this: object, ...args: unknown[]) => Promise<unknown>>;
  await some.close();
  for (const verb of ['sync', 'datasync', 'write', 'writev', 'writeFile', 'truncate']) {
    const act = handles[verb];
    if (!act) throw new Error(`a file handle has no ${verb}`);
    handles[verb] = async function (...args) {
      const result = await act.apply(this, args);
      points.pass(`after ${verb} ${places.get(this) ?? 'a file'}`);
      return result;
    };
  }
  // Folders are held by their numbers.
  const { fsync } = fs;
  fs.fsync = Object.assign(
    (fd: number, done: (error: NodeJS.ErrnoException | null) => void): void =>
      fsync(fd, (error) => {
        points.pass(`after sync ${nameOf(readlinkSync(`/proc/self/fd/${fd}`))}`);
        done(error);
      }),
    { __promisify__: promisify(fsync) },
  );
  syncBuiltinESMExports();
}

/** A path by way of an open folder, as it is written without one. */
const withoutHandle = (path: string): string =>
  path.replace(/^\/proc\/self\/fd\/\d+/, (folder) => readlinkSync(folder));

/** The same in every run: ids and random endings are left out. */
const placeName = (path: string): string =>
  path
    .replaceAll(sep, '/')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'ID')
    .replace(/[0-9a-f]{12}\.tmp$/, 'tmp') || 'the folder';

/** Watches undici's requests on their way out, and their answers on the way in. */
function watchRequests(points: KillPoints): void {
  const moments = {
    'undici:request:create': 'before connecting for',
    'undici:client:sendHeaders': 'before the first byte of',
    'undici:request:bodySent': 'after the last byte of',
    'undici:request:headers': 'at the head of the answer to',
    'undici:request:trailers': 'at the end of the answer to',
  };
  for (const [channel, moment] of Object.entries(moments)) {
    subscribe(channel, (message) => points.pass(`${moment} ${requestName(message)}`));
  }
}

function requestName(message: unknown): string {
  const { method, path } = (message as { request: { method: string; path: string } }).request;
  return `${method} ${path
    .replace(/\?.*$/, '')
    .replace(/task_[0-9a-f]+/, 'TASK')
    .replace(/\/\d+\.\w+$/, '/N')}`;
}
