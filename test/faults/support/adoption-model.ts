import Database from 'better-sqlite3';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerEntry } from '../../../src/demo/ledger.ts';
import { databaseFile } from '../../../src/engine/db/open.ts';

/** Rows of a list are told apart by the number at the end of their prompt, whatever else is in it. */
export const numberOf = (text: string): string => /(\d+)\D*$/.exec(text)?.[1] ?? text;

/** How many of something each row has. */
export type Counts = ReadonlyMap<string, number>;

export const countsOf = (rows: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
};

/** A request that may have been charged, and the row that it was for. */
interface Request {
  readonly id: string;
  readonly row: string;
  /** Its task neither failed nor was it given up: nobody would ask for another one by running the list. */
  readonly isMade: boolean;
}

const FAILED = ['rejected', 'remote_failed', 'remote_cancelled'];

/** What is known of a project. */
export interface Knowledge {
  readonly requests: readonly Request[];
  /** The most takes, where a person has limited them. */
  readonly cap: number | null;
  /** What is known to count against the cap, however little is known of it. */
  readonly sent: number;
}

export interface DataKnowledge extends Knowledge {
  /** Rows of the takes that wait to be sent. */
  readonly waiting: readonly string[];
  /** Requests that cost nothing for certain, whatever an older recipe says. */
  readonly free: ReadonlySet<string>;
  /** Takes whose request has no end, and that no person is asked about. */
  readonly forgotten: readonly string[];
  /** Ids of the takes about whose request a person is asked, and of those that were not sent since others were. */
  readonly unclear: readonly string[];
  readonly madeElsewhere: readonly string[];
}

interface RecipeFile {
  readonly state: string;
  readonly attemptId?: string;
  readonly shot: { readonly prompt: string };
}

const NOTHING: Knowledge = { requests: [], cap: null, sent: 0 };
const NO_DATA: DataKnowledge = {
  ...NOTHING,
  waiting: [],
  free: new Set(),
  forgotten: [],
  unclear: [],
  madeElsewhere: [],
};

/** What lies in the folder of a project, read as it is. */
export function knownInFolder(project: string): Knowledge {
  const takes = join(project, '.dailies', 'takes');
  const names = existsSync(takes) ? readdirSync(takes).filter((name) => /^[^.].*\.json$/.test(name)) : [];
  const recipes = names.map((name) => JSON.parse(readFileSync(join(takes, name), 'utf8')) as RecipeFile);
  const requests = recipes.flatMap(({ state, attemptId: id, shot }) =>
    id === undefined || state === 'rejected'
      ? []
      : [{ id, row: numberOf(shot.prompt), isMade: !FAILED.includes(state) }],
  );
  return { requests, ...limitsIn(project) };
}

function limitsIn(project: string): Pick<Knowledge, 'cap' | 'sent'> {
  const file = join(project, '.dailies', 'limits.json');
  if (!existsSync(file)) return NOTHING;
  type Limits = { limits: { batch: string | null; cap?: { takes: number | null }; sent?: { takes: number } }[] };
  const own = (JSON.parse(readFileSync(file, 'utf8')) as Limits).limits.find(({ batch }) => batch === null);
  return { cap: own?.cap?.takes ?? null, sent: own?.sent?.takes ?? 0 };
}

/** What lies in a data folder that no engine uses now, read as it is. */
export function knownInData(dataFolder: string): DataKnowledge {
  if (!existsSync(databaseFile(dataFolder))) return NO_DATA;
  const db = new Database(databaseFile(dataFolder), { readonly: true });
  try {
    if (db.pragma('user_version', { simple: true }) === 0) return NO_DATA;
    const spec = `(SELECT spec ->> '$.prompt' FROM shots WHERE shots.id = jobs.shot_id)`;
    const requests = db
      .prepare(
        `SELECT attempts.id, ${spec} AS row, state FROM attempts JOIN jobs ON jobs.id = job_id
         WHERE outcome IS NULL OR outcome NOT IN ('not_accepted', 'refused')`,
      )
      .all() as { id: string; row: string; state: string }[];
    const waiting = db.prepare(`SELECT ${spec} FROM jobs WHERE state IN ('ready', 'needs_assets')`).pluck().all();
    const forgotten = db
      .prepare(
        `SELECT ${spec} FROM attempts JOIN jobs ON jobs.id = job_id
         WHERE outcome IS NULL AND attempts.id = jobs.attempt_id AND state <> 'submitting' AND state <> 'submit_unknown'`,
      )
      .pluck()
      .all();
    const free = db.prepare(`SELECT id FROM attempts WHERE outcome IN ('not_accepted', 'refused')`).pluck().all();
    const idsOf = (which: string) => db.prepare(`SELECT id FROM jobs WHERE ${which}`).pluck().all() as string[];
    const cap = db.prepare(`SELECT takes FROM caps WHERE scope = 'project'`).pluck().get() as number | null | undefined;
    return {
      requests: requests.map(({ id, row, state }) => ({ id, row: numberOf(row), isMade: !FAILED.includes(state) })),
      free: new Set(free as string[]),
      waiting: (waiting as string[]).map(numberOf),
      forgotten: forgotten as string[],
      unclear: idsOf(`state = 'submit_unknown'`),
      madeElsewhere: idsOf(`state = 'rejected' AND facts ->> '$.failure.code' = 'made_elsewhere'`),
      ...{ cap: cap ?? null, sent: 0 },
    };
  } finally {
    db.close();
  }
}

/** What a list asks for. */
export interface Asked {
  readonly rows: readonly { readonly row: string; readonly takes: number }[];
  /** The person has agreed to pay for it again. */
  readonly agreed: boolean;
}

/** As `docs/reference/cli.md` says: fewer rows than these may be repeated on purpose, and nobody is asked. */
const asksFrom = (rows: number): number => Math.min(10, rows / 2);

/** What of these requests nobody allowed, given what could be known before a command; sentences. */
export function notAllowed(
  sent: Counts,
  { data, folder, asked }: { readonly data: DataKnowledge; readonly folder: Knowledge; readonly asked: Asked | null },
): string[] {
  const inFolder = folder.requests.filter(({ id }) => !data.free.has(id));
  const own = new Set(data.requests.map(({ id }) => id));
  const newly = countsOf(inFolder.filter(({ id, isMade }) => isMade && !own.has(id)).map(({ row }) => row));
  const known = new Map(newly);
  for (const { row } of data.requests.filter(({ isMade }) => isMade)) known.set(row, (known.get(row) ?? 0) + 1);
  const waiting = countsOf(data.waiting);
  const wanted = new Map<string, number>();
  for (const { row, takes } of asked?.rows ?? []) wanted.set(row, (wanted.get(row) ?? 0) + takes);
  const beyond = [...sent].flatMap(([row, count]) => {
    const carried = (waiting.get(row) ?? 0) - (newly.get(row) ?? 0);
    const missing = (wanted.get(row) ?? 0) - (known.get(row) ?? 0);
    const again =
      asked?.agreed === true ? (wanted.get(row) ?? 0) + Math.max(carried, 0) : Math.max(carried, missing, 0);
    return count > again
      ? [{ row, by: count - again, of: `${String(known.get(row) ?? 0)} known, ${String(carried)} waited` }]
      : [];
  });
  const mayRepeat = asked !== null && !asked.agreed && beyond.length < asksFrom(asked.rows.length);
  const total = [...sent.values()].reduce((sum, count) => sum + count, 0);
  const cap = Math.max(data.cap ?? -1, folder.cap ?? -1);
  const before = Math.max(new Set([...data.requests, ...inFolder].map(({ id }) => id)).size, folder.sent);
  return [
    ...(mayRepeat
      ? []
      : beyond.map(({ row, by, of }) => `doubled: row ${row} was sent ${String(by)} times too often (${of})`)),
    ...(cap >= 0 && total > 0 && before + total > cap
      ? [`cap passed: ${String(total)} sent after ${String(before)}, under a cap of ${String(cap)}`]
      : []),
  ];
}

/** Statuses by which the service refuses a request for certain, so that another one may follow. */
const isRefused = ({ status }: LedgerEntry): boolean => [400, 401, 403, 404, 422, 429].includes(status ?? 0);

export const rowOf = ({ body }: LedgerEntry): string => {
  const { prompt, messages } = body as { prompt?: string; messages?: { content: string }[] };
  return numberOf(prompt ?? messages?.at(-1)?.content ?? '');
};

/** The row of each of these requests that may have been charged. */
export const mayBeCharged = (posts: readonly LedgerEntry[]): string[] =>
  posts.filter((post) => !isRefused(post)).map(rowOf);

/** Requests with a name in braces that nobody has replaced. */
export const raw = (posts: readonly LedgerEntry[]): string[] =>
  posts.flatMap(({ body }) => (/[{]\w+[}]/.test(JSON.stringify(body)) ? [`raw: ${JSON.stringify(body)}`] : []));

/** What the service has taken and nobody knows of any more: neither a take nor a decision. */
export function lost(posts: readonly LedgerEntry[], knowledge: readonly Knowledge[]): string[] {
  const ids = new Map(knowledge.flatMap(({ requests }) => requests).map(({ id, row }) => [id, row]));
  const known = countsOf([...ids.values()]);
  return [...countsOf(mayBeCharged(posts))].flatMap(([row, count]) =>
    count > (known.get(row) ?? 0)
      ? [`lost: row ${row} was sent ${String(count)} times, ${String(known.get(row) ?? 0)} known`]
      : [],
  );
}
