import { say } from '../../contract/messages/words.ts';
import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { BRIDGE_NAME, type DesktopBridge } from '../../contract/bridge.ts';
import type { Contract } from '../../contract/procedures.ts';
import { passHeaders } from '../web/pass.ts';
import { EngineGoneError, linkOverPorts } from './port-link.ts';
import { fetchQuietly, quietRefusals } from './quiet-refusals.ts';

/** What the desktop app gives its page beyond what a browser does; null in a browser. */
export const bridge: DesktopBridge<File> | null =
  (window as Window & { readonly [BRIDGE_NAME]?: DesktopBridge<File> })[BRIDGE_NAME] ?? null;

/** What requests that change something carry besides: in a browser, the pass of this window. */
export const callHeaders = (): Promise<Record<string, string>> => (bridge ? Promise.resolve({}) : passHeaders());

/** The engine, as this window reaches it: the only way out of the renderer besides media by URL. */
export const api: ContractRouterClient<Contract> = createORPCClient(
  bridge
    ? linkOverPorts(window, location.origin)
    : new RPCLink({
        url: `${location.origin}/rpc`,
        headers: async () => ({ ...quietRefusals, ...(await callHeaders()) }),
        fetch: fetchQuietly,
      }),
);

/** A failure as sentences for people: what happened, and what to do next where that is known. */
export interface Trouble {
  readonly message: string;
  readonly remedy: string;
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ORPCError) {
    const data: unknown = error.data;
    const remedy = typeof data === 'object' && data !== null && 'remedy' in data ? String(data.remedy) : '';
    return { message: error.message, remedy };
  }
  if (error instanceof EngineGoneError) {
    return { message: say('window.noAnswer'), remedy: say('window.noAnswerRemedyApp') };
  }
  if (error instanceof TypeError) {
    return { message: say('window.noAnswer'), remedy: say('window.noAnswerRemedyBrowser') };
  }
  return { message: error instanceof Error ? error.message : String(error), remedy: '' };
}

/** URL of one output of a take. */
export const mediaUrl = (takeId: string, output: number): string => `/media/${encodeURIComponent(takeId)}/${output}`;

/** URL of its still picture, at most `width` pixels wide. */
export const thumbUrl = (takeId: string, output: number, width: 320 | 640): string =>
  `/thumb/${encodeURIComponent(takeId)}/${output}?w=${width}`;
