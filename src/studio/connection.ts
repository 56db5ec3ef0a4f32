import { Client, type ClientBase, type ClientConfig, Pool, type QueryResultRow } from 'pg';
import type { Logger } from '../engine/base/ports.ts';
import { toMessage } from '../engine/base/errors.ts';
import { type StudioAddress, tlsFor } from './address.ts';
import { StudioError, toStudioError } from './errors.ts';

export interface ConnectionFacts {
  readonly address: StudioAddress;
  readonly password: string | null;
  /** For the administrator's list of connections. */
  readonly name: string;
}

/** A server that does not answer for so long is away, ms. Its own limits are shorter, so that it can still say why. */
const ANSWER_MS = 20_000;
const STATEMENT_MS = 15_000;
const LOCK_MS = 10_000;

/** How pg is told where the database is. Its own variables of the environment have no say in it. */
export function clientConfig({ address, password, name }: ConnectionFacts): ClientConfig {
  const { host, port, database, user } = address;
  return {
    ...{ host, port, database, user, ssl: tlsFor(address), application_name: name },
    // An empty one is sent to a server that asks for none of its own.
    password: password ?? '',
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    query_timeout: ANSWER_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    types: { getTypeParser: (oid, format) => (format !== 'binary' && PARSERS[oid]) || defaultParser },
  } as ClientConfig;
}

const number = (text: string): number => Number(text);
const json = (text: string): unknown => JSON.parse(text) as unknown;
const flag = (text: string): boolean => text === 't';
/** Of the few types that the studio reads; everything else stays a text. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  ...{ 16: flag, 20: number, 21: number, 23: number, 26: number, 700: number, 701: number, 114: json, 3802: json },
};
const defaultParser = (text: string): string => text;

/** Deadlocks and lost races are undone as a whole, so they are simply done again. */
const AGAIN: ReadonlySet<string> = new Set(['40001', '40P01']);
const MAX_TRIES = 5;

/**
 * The connections of one machine. `greet` runs on each before its first use: a server that was replaced or restored while
 * we were connected is noticed at the first new connection.
 */
export class StudioConnection {
  readonly #pool: Pool;
  readonly #facts: ConnectionFacts;
  readonly #logger: Logger;
  readonly #names = new Map<string, string>();
  #listener: Client | null = null;
  #isClosed = false;

  constructor(facts: ConnectionFacts, size: number, logger: Logger, greet: (client: ClientBase) => Promise<void>) {
    this.#facts = facts;
    this.#logger = logger;
    // The pool waits for its promise, which its types do not know.
    this.#pool = new Pool({
      ...clientConfig(facts),
      max: size,
      idleTimeoutMillis: 60_000,
      onConnect: greet as unknown as () => void,
    });
    // An idle connection that breaks is replaced; without a listener it would end the process.
    this.#pool.on('error', (error) => logger.warn('studio connection lost', { reason: toMessage(error) }));
  }

  /** The rows of one function, in a transaction of its own. */
  async rows<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return this.#tried(async () => (await this.#pool.query<Row>({ name: this.#nameFor(text), text, values })).rows);
  }

  /** The one value that a function returns. */
  async value<Value>(call: string, ...values: unknown[]): Promise<Value> {
    const places = values.map((_, index) => `$${index + 1}`).join();
    const [row] = await this.rows<{ value: Value }>(`SELECT dailies.${call}(${places}) AS value`, ...values);
    return row?.value as Value;
  }

  /** A statement with a name is planned once for each connection. There are a few dozen of them. */
  #nameFor(text: string): string {
    const name = this.#names.get(text) ?? `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  async transaction<Result>(work: (client: ClientBase) => Promise<Result>): Promise<Result> {
    return this.#tried(async () => {
      const client = await this.#pool.connect();
      // The statement that runs is rejected with the same error.
      const ignore = (): void => undefined;
      client.on('error', ignore);
      try {
        await client.query('BEGIN');
        const result = await work(client);
        await client.query('COMMIT');
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        throw error;
      } finally {
        client.off('error', ignore);
      }
    });
  }

  async #tried<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        if (this.#isClosed) throw new StudioError('studio_away');
        return await work();
      } catch (error) {
        const { code = '' } = error as { code?: string };
        if (!AGAIN.has(code) || tries === MAX_TRIES) throw toStudioError(error);
      }
    }
  }

  /**
   * Passes on what the functions notify, until it is closed, and says `reconnected` whenever something may have been
   * missed. Rejects if it cannot begin.
   */
  async listen(onNotice: (payload: string | 'reconnected') => void): Promise<void> {
    const begin = async (): Promise<void> => {
      const client = new Client(clientConfig(this.#facts));
      client.on('error', (error) => this.#logger.warn('studio listener lost', { reason: toMessage(error) }));
      client.on('notification', ({ payload = '' }) => onNotice(payload));
      try {
        await client.connect();
        await client.query('LISTEN dailies');
      } catch (error) {
        await client.end().catch(() => null);
        throw error;
      }
      if (this.#isClosed) return client.end();
      this.#listener = client;
      client.once('end', () => void again(FIRST_PAUSE_MS));
    };
    const again = async (pauseMs: number): Promise<void> => {
      this.#listener = null;
      if (this.#isClosed) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      if (this.#isClosed) return;
      try {
        await begin();
        onNotice('reconnected');
      } catch {
        void again(Math.min(pauseMs * 2, MAX_PAUSE_MS));
      }
    };
    try {
      await begin();
    } catch (error) {
      throw toStudioError(error);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([this.#pool.end(), this.#listener?.end()]);
  }
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
