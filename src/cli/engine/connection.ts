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

type Api = ContractRouterClient<Contract>;

const CONNECT_MS = 3000;
/** A socket has no host name, but HTTP needs one. */
const ORIGIN = 'http://localhost';

/** A connection to the engine of another process on this machine. */
export interface Connection {
  readonly holder: Holder;
  /** Makes a call. Throws EngineGoneError, SharedRefusal. */
  ask<Answer>(call: (api: Api) => Promise<Answer>): Promise<Answer>;
  /** The messages of a stream; ends with EngineGoneError when the connection breaks. */
  listen<Message>(stream: AsyncIterable<Message>): AsyncGenerator<Message, void, void>;
  /** An address that opens one window in a browser; null when the engine serves none. Throws EngineGoneError. */
  newEntry(): Promise<string | null>;
  close(): Promise<void>;
}

/** Nothing is sent before the first call. */
export function connect(holder: Holder, socketPath: string): Connection {
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
  const api: Api = createORPCClient(link);
  return {
    holder,
    async ask(call) {
      try {
        return await call(api);
      } catch (error) {
        throw told(error, holder);
      }
    },
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

function told(error: unknown, holder: Holder): unknown {
  if (!(error instanceof ORPCError)) return isOurs(error) ? error : new EngineGoneError(holder, { cause: error });
  return error.code === 'REFUSED' ? new SharedRefusal(Refused.parse(error.data)) : error;
}

/** An interruption by the person, or an error thrown by our own listener, is not a broken connection. */
const isOurs = (error: unknown): boolean => error instanceof DailiesError || error instanceof InterruptedError;
