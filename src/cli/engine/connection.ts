import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { Agent, fetch as fetchPlainly } from 'undici';
import type { Contract } from '../../contract/procedures.ts';
import { DailiesError } from '../../engine/errors.ts';
import type { Holder } from '../../engine/instance-lock.ts';
import { InterruptedError } from '../exit.ts';
import { EngineGoneError, SharedRefusal, TokenRefusedError, type Refusal } from './shared-errors.ts';

type Api = ContractRouterClient<Contract>;

const CONNECT_MS = 3000;

/** A line to the engine of another process of this machine. */
export interface Connection {
  readonly holder: Holder;
  /** Makes a call. Throws EngineGoneError, SharedRefusal, TokenRefusedError. */
  ask<Answer>(call: (api: Api) => Promise<Answer>): Promise<Answer>;
  /** The messages of a stream; ends with EngineGoneError when it breaks off. */
  listen<Message>(stream: AsyncIterable<Message>): AsyncGenerator<Message, void, void>;
  close(): Promise<void>;
}

/** Nothing is sent before the first call. `address` is one of this machine. */
export function connect(holder: Holder, address: string, token: string): Connection {
  // Of its own, so that no proxy of the environment is ever told the token; and a wait for an asset takes as long as it takes.
  const dispatcher = new Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: 0 });
  const link = new RPCLink({
    url: `${address}/rpc`,
    headers: { authorization: `Bearer ${token}`, 'x-dailies': '1' },
    async fetch(request) {
      const { url, method, signal } = request;
      const headers = Object.fromEntries(request.headers);
      const body = new Uint8Array(await request.arrayBuffer());
      const sent = { method, headers, body, signal, dispatcher, redirect: 'error' } as const;
      // The same class by another copy of the library that Node itself brings.
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
    close: () => dispatcher.destroy(),
  };
}

function told(error: unknown, holder: Holder): unknown {
  if (!(error instanceof ORPCError)) return isOurs(error) ? error : new EngineGoneError(holder, { cause: error });
  if (error.code === 'REFUSED') return new SharedRefusal(error.message, error.data as Refusal);
  return error.status === 401 || error.status === 403 ? new TokenRefusedError(error.message) : error;
}

/** An interruption by the person, and what a listener of ours has thrown, are no trouble of the line. */
const isOurs = (error: unknown): boolean => error instanceof DailiesError || error instanceof InterruptedError;
