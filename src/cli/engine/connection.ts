import { Refused } from '../../contract/refusals.ts';
import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { Agent, fetch as fetchPlainly } from 'undici';
import type { Contract } from '../../contract/procedures.ts';
import { DailiesError } from '../../engine/base/errors.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import { InterruptedError } from '../exit.ts';
import { EngineGoneError, SharedRefusal } from './shared-errors.ts';

/** The procedures of an engine, as commands call them. */
export type Api = ContractRouterClient<Contract>;

const CONNECT_MS = 3000;
/** A socket has no host name, but HTTP needs one. */
const ORIGIN = 'http://localhost';

/** A connection to the engine of another process on this machine. */
export interface Connection {
  readonly holder: Holder;
  /** Its calls throw EngineGoneError, SharedRefusal, and what interrupts the session. */
  readonly api: Api;
  /** The messages of a stream; ends with EngineGoneError when the connection breaks. */
  listen<Message>(stream: AsyncIterable<Message>): AsyncGenerator<Message, void, void>;
  /** An address that opens one window in a browser; null when the engine serves none. Throws EngineGoneError. */
  newEntry(): Promise<string | null>;
  close(): Promise<void>;
}

/** Nothing is sent before the first call. Calls end when `interrupted` is aborted. */
export function connect(holder: Holder, socketPath: string, interrupted?: AbortSignal): Connection {
  // Waiting for an asset has no time limit.
  const dispatcher = new Agent({ connect: { socketPath, timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: 0 });
  const link = new RPCLink({
    url: `${ORIGIN}/rpc`,
    async fetch(request) {
      const { url, method, signal } = request;
      const headers = Object.fromEntries(request.headers);
      const body = new Uint8Array(await request.arrayBuffer());
      const sent = { method, headers, body, signal, dispatcher, redirect: 'error' } as const;
      // The same class from the copy of the library that Node.js brings.
      return (await fetchPlainly(url, sent)) as unknown as Response;
    },
  });
  return {
    holder,
    api: callable(createORPCClient<Api>(link), { told: (error) => told(error, holder), interrupted }),
    async *listen(stream) {
      try {
        yield* stream;
      } catch (error) {
        throw told(error, holder);
      }
      throw new EngineGoneError(holder);
    },
    async newEntry() {
      try {
        const answer = await fetchPlainly(`${ORIGIN}/entry`, { method: 'POST', dispatcher, redirect: 'error' });
        return answer.ok ? await answer.text() : null;
      } catch (error) {
        throw new EngineGoneError(holder, { cause: error });
      }
    },
    close: () => dispatcher.destroy(),
  };
}

type Call = (input: unknown, options?: { readonly signal?: AbortSignal }) => Promise<unknown>;

interface Calling {
  /** What a call throws in place of what its client threw. */
  readonly told: (error: unknown) => unknown;
  readonly interrupted?: AbortSignal | undefined;
}

/** A client whose calls end when the session does, and throw errors for people. */
export function callable(client: Api, { told, interrupted }: Calling): Api {
  const calling =
    (call: Call): Call =>
    async (input, options) => {
      try {
        return await call(input, { ...(interrupted && { signal: interrupted }), ...options });
      } catch (error) {
        throw told(error);
      }
    };
  // Only the names of procedures are asked for: `await` asks a noun for none of its own.
  const procedures = (noun: object): object =>
    new Proxy(noun, { get: (_, verb: string) => calling((noun as Readonly<Record<string, Call>>)[verb] as Call) });
  return new Proxy(client, {
    get: (_, noun: string) => procedures((client as unknown as Readonly<Record<string, object>>)[noun] as object),
  });
}

function told(error: unknown, holder: Holder): unknown {
  if (!(error instanceof ORPCError)) return isOurs(error) ? error : new EngineGoneError(holder, { cause: error });
  return error.code === 'REFUSED' ? new SharedRefusal(Refused.parse(error.data)) : error;
}

/** An interruption by the person, or an error thrown by our own listener, is not a broken connection. */
const isOurs = (error: unknown): boolean => error instanceof DailiesError || error instanceof InterruptedError;
